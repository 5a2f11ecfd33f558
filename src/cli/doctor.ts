import { collections } from '../instance/collections.ts'
import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { acceptEdits } from '../store/doctor/accept-edits.ts'
import { inspectFolder, type Finding, type Inspection } from '../store/doctor/inspect.ts'
import type { Salvage } from '../store/doctor/salvage.ts'
import { parseArguments } from './arguments.ts'
import { type Output, paint } from './output.ts'
import { resolveSettings } from './settings.ts'

/**
 * Runs `localpost doctor`: checks a data folder and prints what it found. It only reads, but for `--accept-edits`;
 * `--salvage` writes another folder.
 *
 * @param raw  The arguments after `doctor`.
 * @returns The exit code: 0 healthy, 1 problems found.
 * @throws invalid_option for a wrong command line.
 */
export async function runDoctor(raw: readonly string[], output: Output): Promise<0 | 1> {
  const { json, acceptEdits: accepts, salvage, to, rest } = takeOwn(raw)
  const given = parseArguments(rest)
  if (given.help) {
    output.log(usage)
    return 0
  }
  const other = Object.keys(given.options).find((name) => name !== 'dir')
  if (other !== undefined || given.version)
    throw misused('takes --dir, --config, --json, --accept-edits, --salvage with --to, and --help only.')
  if (salvage !== (to !== undefined) || (salvage && accepts))
    throw misused('takes --salvage together with --to <new folder>, and without --accept-edits.')
  const { options } = await resolveSettings(given, process.env, process.cwd())
  if (options.dir === undefined) {
    const message = 'doctor checks a data folder, and memory is configured: give --dir <folder>.'
    throw new LocalpostError('invalid_option', message)
  }
  if (to !== undefined) {
    const { salvageFolder } = await import('../store/doctor/salvage.ts')
    const saved = await salvageFolder({ dir: options.dir, to, collections, clock: systemClock })
    output.log(json ? JSON.stringify(saved, null, 2) : renderSalvage(saved))
    return saved.lost.length === 0 ? 0 : 1
  }
  if (accepts) {
    const names = await acceptEdits(options.dir)
    if (!json)
      output.log(
        names.length === 0
          ? 'No file differs from its checksum.'
          : `Taken as edited from the next start on: ${names.join(', ')}.`,
      )
  }
  const inspection = await inspectFolder({ dir: options.dir, collections })
  output.log(json ? JSON.stringify(inspection, null, 2) : renderInspection(inspection))
  return inspection.healthy ? 0 : 1
}

/** The flags that only this command has. */
function takeOwn(raw: readonly string[]): {
  json: boolean
  acceptEdits: boolean
  salvage: boolean
  to: string | undefined
  rest: string[]
} {
  const rest: string[] = []
  const found = new Set<string>()
  let to: string | undefined
  for (let i = 0; i < raw.length; i++) {
    const word = raw[i] ?? ''
    if (word === '--json' || word === '--accept-edits' || word === '--salvage') found.add(word)
    else if (word.startsWith('--to=')) to = word.slice('--to='.length)
    else if (word === '--to') to = raw[++i] ?? ''
    else rest.push(word)
  }
  if (to === '') throw misused('needs a folder after --to.')
  const has = (word: string): boolean => found.has(word)
  return { json: has('--json'), acceptEdits: has('--accept-edits'), salvage: has('--salvage'), to, rest }
}

function misused(what: string): LocalpostError {
  return new LocalpostError('invalid_option', `doctor ${what}`)
}

const usage = `localpost doctor [--dir <folder>] [--config <file>] [--json]
localpost doctor --accept-edits [--dir <folder>]
localpost doctor --salvage --to <new folder> [--dir <folder>]

Checks a data folder from end to end: lock, records, log, messages, disk. It only reads, and works while an
instance runs. With --accept-edits it first takes the checksum out of files of records that you edited. With
--salvage it writes a new folder with everything that is whole, and lists what is not.
Exit codes: 0 healthy, 1 problems found, 2 wrong usage.`

function renderSalvage({ folder, to, saved, lost }: Salvage): string {
  const counts = Object.entries(saved).map(([name, count]) => `${count} ${name}`)
  const problems = lost.map((text) => `${paint('red', 'lost   ')}  ${text}`)
  return [...problems, `${to} holds what is whole in ${folder}: ${counts.join(', ') || 'nothing'}.`].join(
    '\n',
  )
}

/** An inspection as a person reads it: one line for each finding, and what it comes to. */
function renderInspection({ folder, healthy, findings }: Inspection): string {
  const problems = findings.filter(({ level }) => level === 'problem').length
  const summary = healthy
    ? `${folder} is healthy.`
    : `${folder} has ${problems} problem${problems === 1 ? '' : 's'}.`
  return [...findings.map(lineOf), summary].join('\n')
}

function lineOf({ level, message, fix }: Finding): string {
  const label =
    level === 'problem' ? paint('red', 'problem') : level === 'note' ? paint('yellow', 'note   ') : 'ok     '
  return `${label}  ${message}${fix === null ? '' : ` ${fix}`}`
}
