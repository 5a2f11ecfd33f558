import type { Files, Stamp } from '../../core/files.ts'
import { forEachSlice } from '../../core/slices.ts'
import type { CollectionState } from '../collection-state.ts'
import type { CheckpointDeps } from '../disk/checkpoint.ts'
import { numberOf } from '../disk/paths.ts'
import type { Snapshot } from '../disk/snapshot-data.ts'
import { parseSnapshot } from '../disk/snapshot-text.ts'
import { decodeStartIndex, type StartIndex } from '../disk/start-index.ts'
import { isSameStamp } from '../disk/start-from-index.ts'
import type { FactRow } from '../facts.ts'
import { BlobUsage, Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import { toEntry } from '../disk/entries.ts'
import { listed, type Report } from './findings.ts'

/**
 * Compares each index for the start with the records of its file: ids, places, keys, facts, and the space of messages.
 *
 * @param stampNow  As in `Files`.
 */
export async function inspectIndexes(
  deps: CheckpointDeps,
  stampNow: Files['stampNow'],
  records: Records,
  report: Report,
): Promise<void> {
  const { files, paths } = deps
  const before = report.problems
  const unused: string[] = []
  let count = 0
  for (const state of records.collections.values()) {
    if (!state.large) continue
    const names = (await files.list(paths.startIndexes(state.name))).sort()
    for (const number of names.map((name) => numberOf(name, '.idx'))) {
      if (number === null) continue
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
  { files, paths }: CheckpointDeps,
  stampNow: Files['stampNow'],
  state: CollectionState,
  number: number,
): Promise<string[] | null> {
  const bytes = await files.readAll(paths.startIndex(state.name, number)).catch(() => null)
  const index = bytes && decodeStartIndex(state, number, bytes)
  const path = paths.segment(state.name, number)
  const file = await files.readAll(path).catch(() => null)
  const stamp = file && stampNow(path)
  if (!index || !stamp || !file) return null
  const snapshot = wholeSnapshot(file, path)
  if (!snapshot?.file || !isOf(index, stamp, snapshot.file)) return null
  return await differencesOf(state, index, snapshot)
}

/** The content of a file; null if it is damaged, which is reported elsewhere. */
function wholeSnapshot(bytes: Buffer, path: string): Snapshot | null {
  try {
    return parseSnapshot(bytes, path).snapshot
  } catch {
    return null
  }
}

function isOf(index: StartIndex, { ino, mtimeMs }: Stamp, file: { size: number; crc: number }): boolean {
  return isSameStamp(index.file, { ...file, ino, mtimeMs })
}

async function differencesOf(
  state: CollectionState,
  index: StartIndex,
  snapshot: Snapshot,
): Promise<string[]> {
  const pack = new Packed({ number: 0, replacing: null }, '', index.rows, new Set())
  const keyed = new Map(index.keyed.map(({ id, keys, version }) => [id, JSON.stringify([keys, version])]))
  const [missing, places, keys, facts]: string[][] = [[], [], [], []]
  const usage = new BlobUsage()
  let count = 0
  await forEachSlice(snapshot.sections.get(state.name) ?? [], (line) => {
    const entry = toEntry(state, 0, line)
    if (!entry) return
    const { id, version } = entry
    const row = pack.find(id)
    usage.add(entry.blobs)
    count++
    if (row < 0) return void missing?.push(id)
    if (pack.at(row) !== line.at || pack.length(row) !== line.length) places?.push(id)
    const isKeyed = entry.keys.some((key) => key !== null)
    if (keyed.get(id) !== (isKeyed ? JSON.stringify([entry.keys, version]) : undefined)) keys?.push(id)
    if (!areFactsOf(state, index.facts?.get(row) ?? null, entry.facts)) facts?.push(id)
  })
  const lists = {
    'it lacks': missing,
    'it has other places of': places,
    'other keys of': keys,
    'other facts of': facts,
  }
  const differences = Object.entries(lists).flatMap(([what, ids = []]) =>
    ids.length > 0 ? `${what} ${listed(ids)}` : [],
  )
  if (pack.count > count - (missing?.length ?? 0))
    differences.push('it has records that the file does not have')
  if (usageText(usage) !== usageText(index.usage)) differences.push('it has other places of messages')
  return differences
}

/** Whether facts of an index are those of the record. Facts and texts that are not known are never wrong. */
function areFactsOf(
  { facts: table }: CollectionState,
  known: FactRow | null,
  facts: FactRow | null,
): boolean {
  if (known === null || table === null) return true
  const texts = 1 + table.numbers
  return known.every(
    (value, at) => value === facts?.[at] || (at >= texts && table.textsOf(at - texts, value) === null),
  )
}

const usageText = ({ logs, large }: BlobUsage): string =>
  JSON.stringify(
    [[...logs].map(([log, { bytes, end }]) => [log, bytes, end]), [...large]].map((list) => list.sort()),
  )
