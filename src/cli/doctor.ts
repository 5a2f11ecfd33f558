import { allCollections, collections } from '../instance/collections.ts'
import { systemClock } from '../core/clock.ts'
import { invalidOption } from '../core/errors.ts'
import { messageBlobs } from '../emails/copies.ts'
import { emailCollection } from '../emails/email.ts'
import { type AcceptedFile, acceptEdits } from '../store/doctor/accept-edits.ts'
import { inspectFolder, type Finding, type Inspection } from '../store/doctor/inspect.ts'
import type { SchemaInspection } from '../store/postgres/inspect.ts'
import type { Salvage } from '../store/doctor/salvage.ts'
import type { Arguments } from './arguments.ts'
import { type Output, paint } from './output.ts'
import { resolveSettings } from './settings.ts'

/**
 * Runs `localpost doctor`: checks a data folder or a database and prints what it found. It only reads, except with
 * `--accept-edits`; `--salvage` writes another folder.
 *
 * @returns The exit code: 0 healthy, 1 problems found.
 * @throws invalid_option for a wrong command line.
 */
export async function runDoctor(given: Arguments, output: Output): Promise<0 | 1> {
  const { to } = given.flags
  const json = given.flags['json'] === 'true'
  const wantsAccept = given.flags['accept-edits'] === 'true'
  const wantsSalvage = given.flags['salvage'] === 'true'
  if (wantsSalvage !== (to !== undefined))
    throw invalidOption('doctor takes --salvage and --to <new folder> together.')
  if (wantsSalvage && wantsAccept) throw invalidOption('doctor takes either --salvage or --accept-edits.')
  const { options } = await resolveSettings(given, process.env, process.cwd())
  const print = (found: object, text: string): void =>
    output.log(json ? JSON.stringify(found, null, 2) : text)
  if (options.store !== undefined) {
    if (wantsAccept || wantsSalvage)
      throw invalidOption('--accept-edits and --salvage are for data folders: add --dir <folder>.')
    const inspection = await inspectDatabase(options.store)
    print(inspection, renderInspection(`${inspection.store} (schema ${inspection.schema})`, inspection))
    return inspection.healthy ? 0 : 1
  }
  if (options.dir === undefined)
    throw invalidOption(
      'There is no data folder to check, because "memory" is set: add --dir <folder>, or --store <URL>.',
    )
  if (to !== undefined) {
    const { salvageFolder } = await import('../store/doctor/salvage.ts')
    const saved = await salvageFolder({ dir: options.dir, to, collections, clock: systemClock })
    print(saved, renderSalvage(saved))
    return saved.lost.length === 0 ? 0 : 1
  }
  const accepted = wantsAccept ? await acceptEdits(options.dir) : null
  if (accepted && !json) output.log(renderAccepted(accepted))
  const inspection = await inspectFolder({ dir: options.dir, collections })
  print(accepted ? { accepted, ...inspection } : inspection, renderInspection(inspection.folder, inspection))
  return inspection.healthy ? 0 : 1
}

async function inspectDatabase(url: string): Promise<SchemaInspection> {
  const { inspectSchema } = await import('../store/postgres/inspect.ts')
  return await inspectSchema({
    url,
    collections: allCollections,
    required: { collection: emailCollection, blobsOf: messageBlobs },
  })
}

function renderAccepted(accepted: readonly AcceptedFile[]): string {
  const files = accepted.map(({ file, records, removed }) => {
    const lines = records.map(({ line, id }) => `  ${file}:${line}  ${id}`)
    const gone = (removed ?? []).map((id) => `  ${file}  removed: ${id}`)
    const count = removed === null ? '' : ` and ${removed.length} removed`
    return [`Accepted ${file}, with ${records.length} edited${count} records.`, ...lines, ...gone].join('\n')
  })
  if (files.length === 0) return 'No record file was edited.'
  return `${files.join('\n')}\nA record above that you did not edit or remove is damaged: restore the whole folder from one copy.`
}

function renderSalvage({ folder, to, saved, lost, restored }: Salvage): string {
  const counts = Object.entries(saved).map(([name, count]) => `${count} ${name}`)
  const problems = lost.map((text) => labelled('red', 'lost', text))
  const notes = restored.map((text) => labelled('yellow', 'note', text))
  return [...notes, ...problems, `Saved to ${to}: ${counts.join(', ') || 'nothing'} of ${folder}.`].join('\n')
}

/** An inspection as text: one line for each finding, and a conclusion. */
function renderInspection(
  name: string,
  { healthy, findings }: Pick<Inspection | SchemaInspection, 'healthy' | 'findings'>,
): string {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const summary = healthy
    ? `${name} is healthy.`
    : `${name} has ${problems} problem${problems === 1 ? '' : 's'}.`
  return [...findings.map(lineOf), summary].join('\n')
}

const colors = { problem: 'red', note: 'yellow', ok: null } as const

function lineOf({ level, message, fix }: Finding): string {
  return labelled(colors[level], level, fix === null ? message : `${message} ${fix}`)
}

function labelled(color: 'red' | 'yellow' | null, label: string, text: string): string {
  const padded = label.padEnd(7)
  return `${color === null ? padded : paint(color, padded)}  ${text}`
}
