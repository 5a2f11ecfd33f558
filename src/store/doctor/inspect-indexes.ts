import type { Files } from '../../core/files.ts'
import { forEachSlice } from '../../core/slices.ts'
import type { CollectionState } from '../collection-state.ts'
import { numbersIn, type ReadableFolder } from '../disk/paths.ts'
import { parseSnapshot, type SnapshotLine } from '../disk/snapshot-text.ts'
import { decodeStartIndex, type StartIndex } from '../disk/start-index.ts'
import { isSameStamp } from '../disk/start-from-index.ts'
import type { FactRow } from '../facts.ts'
import { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import { toEntry } from '../disk/entries.ts'
import { addTo, listed, type Report } from './findings.ts'
import { BlobUsage } from '../blob-usage.ts'

/** Compares each index for the start with the records of its file: ids, places, keys, facts, and the space of messages. */
export async function inspectIndexes(
  deps: ReadableFolder,
  stampNow: Files['stampNow'],
  records: Records,
  report: Report,
): Promise<void> {
  const { files, paths } = deps
  const before = report.problems
  const unused: string[] = []
  let count = 0
  for (const state of records.collections.all()) {
    if (!state.large) continue
    for (const number of await numbersIn(files, paths.startIndexes(state.name), '.idx')) {
      const path = paths.startIndex(state.name, number)
      const differences = await inspectIndex(deps, stampNow, state, number)
      if (differences === null) unused.push(path)
      else if (differences.length === 0) count++
      else
        report.problem(
          `${path} does not agree with ${paths.segment(state.name, number)}: ${differences.join('; ')}. Lists and searches may miss mail.`,
          `Stop Localpost and remove ${path}. The next start reads the file of records, and writes the index again.`,
        )
    }
  }
  if (unused.length > 0)
    report.ok(
      `A start does not use these indexes, because they are damaged, or their files are other ones now: ${listed(unused)}.`,
    )
  if (count > 0 && report.problems === before)
    report.ok(`${count} indexes for the start agree with their files of records.`)
}

/** @returns How an index differs from its file; null if a start does not use it. */
async function inspectIndex(
  { files, paths }: ReadableFolder,
  stampNow: Files['stampNow'],
  state: CollectionState,
  number: number,
): Promise<string[] | null> {
  const path = paths.segment(state.name, number)
  try {
    const bytes = await files.readAll(paths.startIndex(state.name, number))
    const content = await files.readAll(path)
    const index = bytes && decodeStartIndex(state, number, bytes)
    const stamp = stampNow(path)
    if (!index || !content || !stamp) return null
    const { file, sections } = parseSnapshot(content, path)
    const { ino, mtimeMs } = stamp
    if (!file || !isSameStamp(index.file, { ...file, ino, mtimeMs })) return null
    return await differencesOf(state, index, sections.get(state.name) ?? [])
  } catch {
    // A damaged file of records is reported elsewhere.
    return null
  }
}

async function differencesOf(
  state: CollectionState,
  index: StartIndex,
  lines: readonly SnapshotLine[],
): Promise<string[]> {
  const pack = new Packed({ number: 0, replacing: null }, '', index.rows, { logs: new Set() })
  const keyed = new Map(
    index.keyed.map(([row, version, keys]) => [pack.id(row), JSON.stringify([keys, version])]),
  )
  const found = new Map<string, string[]>()
  const usage = new BlobUsage()
  let count = 0
  await forEachSlice(lines, (line) => {
    const entry = toEntry(state, 0, line)
    if (!entry) return
    const { id, version } = entry
    const row = pack.find(id)
    usage.add(entry.blobs)
    if (row < 0) return addTo(found, 'it lacks', id)
    count++
    if (pack.at(row) !== line.at || pack.length(row) !== line.length)
      addTo(found, 'it has other places of', id)
    const isKeyed = entry.keys.some((key) => key !== null)
    if (keyed.get(id) !== (isKeyed ? JSON.stringify([entry.keys, version]) : undefined))
      addTo(found, 'it has other keys of', id)
    if (!areFactsOf(state, index.facts?.get(row) ?? null, entry.facts))
      addTo(found, 'it has other facts of', id)
  })
  const differences = [...found].map(([what, ids]) => `${what} ${listed(ids)}`)
  if (pack.count > count) differences.push('it has records that the file does not have')
  if (usageText(usage) !== usageText(index.usage)) differences.push('it has other places of messages')
  return differences
}

/** Whether facts of an index are those of the record. Facts and texts that are not known are never wrong. */
function areFactsOf({ facts: table }: CollectionState, known: FactRow | null, own: FactRow | null): boolean {
  if (known === null || table === null) return true
  const texts = table.textSlot(0)
  return known.every(
    (value, at) => value === own?.[at] || (at >= texts && table.textsOf(at - texts, value) === null),
  )
}

const usageText = ({ logs, large }: BlobUsage): string =>
  JSON.stringify(
    [[...logs].map(([log, { bytes, end }]) => [log, bytes, end]), [...large]].map((list) => list.sort()),
  )
