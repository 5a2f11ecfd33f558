import { join } from 'node:path'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import type { ReadableFolder } from '../disk/paths.ts'
import type { DamagedLine } from '../disk/snapshot-damage.ts'
import { editedText } from '../disk/snapshot-edits.ts'
import { collectionFolders, isTemporary, listSnapshot } from '../disk/snapshot-files.ts'
import { missingFix, missingFrom } from '../disk/snapshot-refusals.ts'
import { salvageHint } from '../io-errors.ts'
import type { Records } from '../records.ts'
import { listed, type Report } from './findings.ts'
import { readIntact } from './intact-records.ts'

/** Reads `db.json` and every segment into memory, and says which cannot be read, and which are missing. */
export async function inspectSnapshot(
  folder: ReadableFolder,
  checkpoint: Checkpoint,
  records: Records,
  report: Report,
): Promise<void> {
  const before = report.problems
  const [first, ...others] = missingFrom(checkpoint, await listSnapshot(folder))
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` So are ${listed(others)}.`
    const what = `${join(folder.paths.folder, first)} is missing.${more}`
    report.problem(`${what} The next start refuses the folder.`, `${missingFix} ${salvageHint}`)
  }
  const { count, damaged, edited } = await readIntact(folder, checkpoint, records, () => true)
  for (const { what, lines, older } of damaged)
    report.problem(`${what}${linesText(lines)}`, older?.fix ?? 'Until then, Localpost does not start.')
  for (const { path, edits } of edited)
    report.note(
      `${path} was changed since Localpost wrote it. The next start loads it. ${editedText(edits, allLines)}`,
    )
  if (report.problems === before) report.ok(`${count} files of records can be read.`)
}

/** Names all damaged lines if there are several, because the error names only the first. */
function linesText(damaged: readonly DamagedLine[]): string {
  if (damaged.length < 2) return ''
  const names = damaged
    .slice(0, allLines)
    .map(({ line, id }) => (id === null ? `${line}` : `${line} (${id})`))
  return ` These lines do not match their checksums: ${names.join(', ')}.`
}

/** Enough to compare each of them with what was edited. */
const allLines = 1000

/** Builds the indexes of the records, and says which records have the same key in a unique one. */
export function inspectKeys(deps: ReadableFolder, records: Records, report: Report): void {
  for (const state of records.collections.all()) {
    for (const index of state.indexes) {
      const duplicates = index.replaceAll([...state.byId.values()])
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
export async function inspectLeftovers(deps: ReadableFolder, report: Report): Promise<void> {
  const { files, paths } = deps
  const collections = (await collectionFolders(deps)).map((name) => paths.collection(name))
  for (const dir of [paths.folder, paths.logs, ...collections]) {
    const left = (await files.list(dir)).filter(isTemporary)
    if (left.length > 0)
      report.note(`Half-written files of a crash in ${dir}: ${left.join(', ')}. The next start removes them.`)
  }
  const cut = (await files.list(paths.logs)).filter((name) => name.includes('.log.cut-'))
  if (cut.length > 0)
    report.note(
      `Ends of the log that a start set aside in ${paths.logs}: ${cut.join(', ')}. They may be removed.`,
    )
}
