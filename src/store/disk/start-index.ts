import { endianness } from 'node:os'
import { crc32 } from 'node:zlib'
import type { CollectionState } from '../collection-state.ts'
import { type FactColumns, PackFacts } from '../pack-facts.ts'
import type { FileStamp, Packed, PackedFile, PackRows } from '../packed.ts'
import type { IndexKey } from '../queries.ts'
import { isRecord } from '../../core/members.ts'
import { formatVersion } from './format.ts'
import { BlobUsage } from '../blob-usage.ts'

export interface StartIndex {
  readonly file: FileStamp
  readonly rows: PackRows
  readonly usage: BlobUsage
  /** The records that are in an index of the collection. */
  readonly keyed: readonly KeyedRow[]
  readonly facts: PackFacts | null
}

export type KeyedRow = readonly [row: number, version: number, keys: readonly (IndexKey | null)[]]

/** The first line of the file. */
interface IndexHead {
  readonly file: FileStamp
  readonly usage: {
    readonly logs: readonly (readonly [log: number, bytes: number, end: number])[]
    readonly large: readonly (readonly [name: string, size: number])[]
  }
  readonly keyed: readonly KeyedRow[]
  /** For each column, the texts that each code of this file stands for; null if the texts are only in the record. */
  readonly texts: readonly (readonly (readonly string[] | null)[])[]
  /** The layout of the columns after this line. */
  readonly columns: {
    readonly count: number
    readonly idBytes: number
    readonly hasEnds: boolean
    /** For each column of numbers, how many bytes a number has; null without facts. */
    readonly numbers: readonly (4 | 8)[] | null
    readonly codes: number
  }
}

/** Encodes the index of a segment: a line of JSON, columns of numbers, a checksum. @param pack  As its file is now. */
export function encodeStartIndex(
  state: CollectionState,
  pack: Packed,
  { size, crc, ino, mtimeMs, usage }: PackedFile,
): Buffer {
  const keyed: KeyedRow[] = []
  for (let row = 0; row < pack.count; row++) {
    const entry = state.byId.get(pack.id(row))
    if (entry?.keys.some((key) => key !== null)) keyed.push([row, entry.version, entry.keys])
  }
  const facts = pack.facts?.columns ?? null
  const { ids, idEnds, lines } = pack.rows
  const { texts, codes } = ownCodes(state, facts?.codes ?? [])
  const head: IndexHead = {
    file: { size, crc, ino, mtimeMs },
    usage: {
      logs: [...usage.logs].map(([log, { bytes, end }]) => [log, bytes, end]),
      large: [...usage.large],
    },
    keyed,
    texts,
    columns: {
      count: pack.count,
      idBytes: ids.byteLength,
      hasEnds: idEnds !== null,
      numbers: facts && facts.numbers.map((column) => (column instanceof Float64Array ? 8 : 4)),
      codes: codes.length,
    },
  }
  // The order and the widths in which `readColumns` takes them. A change of either needs another `form`.
  const columns = [
    ...(facts?.numbers ?? []),
    lines,
    ...(idEnds ? [idEnds] : []),
    ...(facts ? [facts.flags, ...codes] : []),
    ids,
  ]
  const line = JSON.stringify({ ...fingerprintOf(state, pack.segment.number), ...head })
  const content = Buffer.concat([
    Buffer.from(`${line}\n`),
    ...columns.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  ])
  const end = Buffer.alloc(4)
  end.writeUInt32LE(crc32(content))
  return Buffer.concat([content, end])
}

/** Reads such an index; null if it is damaged, of another segment, or of another version of Localpost. */
export function decodeStartIndex(state: CollectionState, segment: number, bytes: Buffer): StartIndex | null {
  const end = bytes.byteLength - 4
  const lineEnd = bytes.indexOf('\n')
  if (lineEnd < 0 || lineEnd > end || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null
  try {
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, lineEnd))
    if (!isHeadOf(state, segment, head)) return null
    const { file, usage, keyed, texts, columns } = head
    const { rows, facts } = readColumns(columns, bytes.subarray(lineEnd + 1, end))
    const used = new BlobUsage()
    for (const [log, size, until] of usage.logs) used.logs.set(log, { bytes: size, end: until })
    for (const [name, size] of usage.large) used.large.set(name, size)
    const codes = facts ? tableCodes(state, texts, facts.codes) : []
    return { file, rows, usage: used, keyed, facts: facts && new PackFacts({ ...facts, codes }) }
  } catch {
    return null
  }
}

/** Whether this is the head of such an index. The checksum matched, so that the rest is as `encodeStartIndex` wrote it. */
function isHeadOf(state: CollectionState, segment: number, head: unknown): head is IndexHead {
  if (!isRecord(head) || !Array.isArray(head.keyed) || !head.keyed.every(Array.isArray)) return false
  return Object.entries(fingerprintOf(state, segment)).every(([name, value]) => head[name] === value)
}

/** What an index is of: it is used only if all of these values match. */
function fingerprintOf(state: CollectionState, segment: number): Record<string, unknown> {
  return {
    form: 1,
    endianness: endianness(),
    collection: state.name,
    segment,
    schema: formatVersion,
    indexes: state.signature,
    facts: state.facts?.signature ?? null,
  }
}

/** @throws RangeError if the bytes are not exactly these columns, or if there are no rows. */
function readColumns(
  { count, idBytes, hasEnds, numbers, codes }: IndexHead['columns'],
  bytes: Buffer,
): { rows: PackRows; facts: FactColumns | null } {
  let at = 0
  /** Copies the next bytes, because arrays of numbers need an alignment that they may not have in the file. */
  const take = (length: number): ArrayBuffer => {
    if (at + length > bytes.byteLength) throw new RangeError('The columns are incomplete.')
    at += length
    return new Uint8Array(bytes.subarray(at - length, at)).buffer
  }
  const numberColumns = numbers?.map((size) =>
    size === 8 ? new Float64Array(take(8 * count)) : new Uint32Array(take(4 * count)),
  )
  const lines = new Uint32Array(take(8 * count))
  const idEnds = hasEnds ? new Uint32Array(take(4 * count)) : null
  const facts = numberColumns && {
    numbers: numberColumns,
    flags: new Uint32Array(take(4 * count)),
    codes: Array.from({ length: codes }, () => new Uint16Array(take(2 * count))),
  }
  const ids = Buffer.from(take(idBytes))
  if (count === 0 || at !== bytes.byteLength) throw new RangeError('The columns do not fit their file.')
  return { rows: { ids, idEnds, lines }, facts: facts ?? null }
}

/** Replaces the codes of this process, which other processes do not know, with codes for this file, and lists their texts. */
function ownCodes(
  { facts: table }: CollectionState,
  columns: readonly Uint16Array[],
): { texts: IndexHead['texts']; codes: Uint16Array[] } {
  const texts: (readonly string[] | null)[][] = []
  const codes = columns.map((column, at) => {
    const used = [...new Set(column)]
    texts.push(used.map((code) => table?.textsOf(at, code) ?? null))
    const own = new Map(used.map((code, nth) => [code, nth]))
    // `own` has every code of the column.
    return column.map((code) => own.get(code) ?? 0)
  })
  return { texts, codes }
}

/** Replaces the codes of a file with those of this process. */
function tableCodes(
  { facts: table }: CollectionState,
  texts: IndexHead['texts'],
  columns: readonly Uint16Array[],
): Uint16Array[] {
  return columns.map((column, at) => {
    const known = (texts[at] ?? []).map((list) => table?.codeOf(at, list) ?? 0)
    // The checksum matched, so that each code is one of these.
    return column.map((code) => known[code] ?? 0)
  })
}
