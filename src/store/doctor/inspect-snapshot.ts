import { join } from 'node:path'
import type { CheckpointDeps } from '../disk/checkpoint.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { listed, messageOf, type Report } from './findings.ts'
import type { Records } from '../records.ts'
import { salvageHint } from '../io-errors.ts'
import { newLockForm } from '../lock/lock-file.ts'
import {
  assertNotOlder,
  collectionFolders,
  listSnapshot,
  missingFrom,
  missingFix,
  type SnapshotFile,
} from '../disk/snapshot-files.ts'
import { wholeLines } from '../disk/snapshot-damage.ts'
import { editedText } from '../disk/snapshot-edits.ts'
import { parseSnapshot } from '../disk/snapshot-text.ts'
import { fillRecords } from '../disk/snapshot.ts'
import { nextTurn } from '../../core/machine.ts'

/** Reads `db.json` and every segment into memory, and says which cannot be read, and which are missing. */
export async function inspectSnapshot(
  deps: CheckpointDeps,
  checkpoint: Checkpoint,
  records: Records,
  report: Report,
): Promise<void> {
  const { files, paths } = deps
  const before = report.problems
  let count = 0
  async function read({ name, path, segment }: SnapshotFile): Promise<void> {
    let bytes: Buffer | null = null
    try {
      bytes = await files.readAll(path)
      if (bytes === null) return
      count++
      const { snapshot, edited } = parseSnapshot(bytes, path)
      assertNotOlder(checkpoint, name, path, snapshot)
      fillRecords(records, snapshot, segment, path)
      if (edited)
        report.note(
          `${path} was changed since Localpost wrote it. The next start loads it. ${editedText(edited, allLines)}`,
        )
    } catch (error) {
      const others = bytes === null ? '' : damagedLines(bytes, segment > 0)
      report.problem(`${messageOf(error)}${others}`, 'Until then, Localpost does not start.')
    }
    await nextTurn()
  }
  const found = await listSnapshot(deps)
  const [first, ...others] = missingFrom(checkpoint, found)
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` So are ${listed(others)}.`
    const what = `${join(paths.folder, first)} is missing.${more}`
    report.problem(`${what} The next start refuses the folder.`, `${missingFix} ${salvageHint}`)
  }
  for (const file of found) await read(file)
  if (report.problems === before) report.ok(`${count} files of records can be read.`)
}

/** Names all damaged lines if there are several, because the error names only the first. */
function damagedLines(bytes: Buffer, isSegment: boolean): string {
  const { damaged } = wholeLines(bytes, isSegment ? 'segment' : null, () => true)
  if (damaged.length < 2) return ''
  const names = damaged
    .slice(0, allLines)
    .map(({ line, id }) => (id === null ? `${line}` : `${line} (${id})`))
  return ` These lines do not match their checksums: ${names.join(', ')}.`
}

/** Enough to compare each of them with what was edited. */
const allLines = 1000

/** Looks for records with the same unique key. */
export function inspectKeys(deps: CheckpointDeps, records: Records, report: Report): void {
  for (const state of records.collections.values()) {
    for (const index of state.indexes) {
      const duplicates = index.takeAll([...state.byId.values()])
      if (!duplicates) continue
      const ids = duplicates.map(({ id }) => id).join(' and ')
      report.problem(
        `The records ${ids} of ${state.name} have the same ${index.on.join(', ')}.`,
        `Change or remove one of them in its file under ${deps.paths.folder}.`,
      )
    }
  }
}

/** Looks for files that a crash or an interrupted repair left. */
export async function inspectLeftovers(deps: CheckpointDeps, report: Report): Promise<void> {
  const { files, paths } = deps
  const collections = (await collectionFolders(deps)).map((name) => paths.collection(name))
  for (const folder of [paths.folder, paths.logs, ...collections]) {
    const left = (await files.list(folder)).filter(
      (name) => /^(?:[\w-]+\.(?:json|log)\.tmp|lock\.takeover)$/.test(name) || newLockForm.test(name),
    )
    if (left.length > 0)
      report.note(
        `Half written files of a crash in ${folder}: ${left.join(', ')}. The next start removes them.`,
      )
  }
  const cut = (await files.list(paths.logs)).filter((name) => name.includes('.log.cut-'))
  if (cut.length > 0)
    report.note(
      `Ends of the log that a start set aside in ${paths.logs}: ${cut.join(', ')}. They may be removed.`,
    )
}
