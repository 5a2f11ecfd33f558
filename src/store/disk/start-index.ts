import { endianness } from 'node:os'
import { crc32 } from 'node:zlib'
import type { CollectionState } from '../collection-state.ts'
import { Entry, atRest } from '../entry.ts'
import { PackFacts } from '../pack-facts.ts'
import { BlobUsage, type FileStamp, type Packed, type PackedFile, type PackRows } from '../packed.ts'
import type { IndexKey } from '../queries.ts'
import { isObject } from '../stored.ts'
import { formatVersion } from './format.ts'
import { readColumns, writeColumns } from './start-index-columns.ts'

/** The content of an index for the start. */
export interface StartIndex {
  /** The segment file that it describes. */
  readonly file: FileStamp
  readonly rows: PackRows
  readonly usage: BlobUsage
  /** Entries without text, for the records that are in an index of the collection. */
  readonly keyed: readonly Entry[]
  /** Null if the collection has no facts. */
  readonly facts: PackFacts | null
}

/**
 * The index of a segment for the start, as bytes: a line of JSON, columns of numbers, and a checksum over both.
 *
 * @param pack  Must have all records of its file, exactly as they are in it.
 */
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
  const { facts } = pack
  const { texts, codes } = ownCodes(state, facts)
  const { head, blocks } = writeColumns({ rows: pack.rows, facts: facts && { ...facts.columns, codes } })
  const line = JSON.stringify({
    ...formOf(state, pack.segment.number),
    file: { size, crc, ino, mtimeMs },
    usage: {
      logs: [...usage.logs].map(([log, { bytes, end }]) => [log, bytes, end]),
      large: [...usage.large],
    },
    keyed,
    texts,
    columns: head,
  })
  const content = Buffer.concat([Buffer.from(`${line}\n`), ...blocks])
  const end = Buffer.alloc(4)
  end.writeUInt32LE(crc32(content))
  return Buffer.concat([content, end])
}

/**
 * Reads the index of a segment for the start.
 *
 * @returns null if it is damaged, of another segment, or of another version of Localpost.
 */
export function decodeStartIndex(state: CollectionState, segment: number, bytes: Buffer): StartIndex | null {
  const end = bytes.byteLength - 4
  if (end < 0 || crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null
  const lineEnd = bytes.indexOf(newline)
  if (lineEnd < 0) return null
  try {
    const head: unknown = JSON.parse(bytes.toString('utf8', 0, lineEnd))
    if (!isObject(head)) return null
    for (const [name, value] of Object.entries(formOf(state, segment))) if (head[name] !== value) return null
    if (!isHead(head)) return null
    const { file, usage, keyed, texts, columns } = head
    const { rows, facts } = readColumns(columns, bytes.subarray(lineEnd + 1, end))
    const used = new BlobUsage()
    for (const [log, size, until] of usage.logs) used.logs.set(log, { bytes: size, end: until })
    for (const [name, size] of usage.large) used.large.set(name, size)
    return {
      file,
      rows,
      usage: used,
      keyed: keyed.map(([row, version, keys]) => {
        return new Entry(idIn(rows, row), segment, version, '', keys, atRest)
      }),
      facts: facts && new PackFacts({ ...facts, codes: tableCodes(state, texts, facts.codes) }),
    }
  } catch {
    return null
  }
}

interface Head {
  readonly file: FileStamp
  readonly usage: {
    readonly logs: readonly (readonly [number, number, number])[]
    readonly large: readonly (readonly [string, number])[]
  }
  readonly keyed: readonly KeyedRow[]
  readonly texts: Texts
  readonly columns: ReturnType<typeof writeColumns>['head']
}

/** Row, version, and keys of a record. */
type KeyedRow = readonly [number, number, readonly (IndexKey | null)[]]
/**
 * For each column of codes, the list of texts that each code of this file stands for; null if the texts are only in the
 * record.
 */
type Texts = readonly (readonly (readonly string[] | null)[])[]

/** These few checks are enough, because the checksum matched: the rest is as `encodeStartIndex` wrote it. */
function isHead(head: object): head is Head {
  const { file, usage, columns, keyed, texts } = { ...nothing, ...head }
  return (
    isObject(file) && isObject(usage) && isObject(columns) && Array.isArray(keyed) && Array.isArray(texts)
  )
}

const nothing = { file: null, usage: null, columns: null, keyed: null, texts: null }

/** An index is used only if all of these values match. */
function formOf(state: CollectionState, segment: number): Record<string, unknown> {
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

/** Replaces the codes of this process, which other processes do not know, with codes for this file, and lists their texts. */
function ownCodes(
  { facts: table }: CollectionState,
  facts: PackFacts | null,
): { texts: Texts; codes: Uint16Array[] } {
  const texts: (readonly string[] | null)[][] = []
  const codes: Uint16Array[] = []
  for (const [slot, column] of facts?.columns.codes.entries() ?? []) {
    const lists: (readonly string[] | null)[] = []
    const own = new Map<number, number>()
    texts.push(lists)
    codes.push(
      column.map((code) => {
        let known = own.get(code)
        if (known === undefined) {
          own.set(code, (known = lists.length))
          lists.push(table?.textsOf(slot, code) ?? null)
        }
        return known
      }),
    )
  }
  return { texts, codes }
}

/** Replaces the codes of a file with those of this process. */
function tableCodes(
  { facts: table }: CollectionState,
  texts: Texts,
  codes: readonly Uint16Array[],
): Uint16Array[] {
  return codes.map((column, slot) => {
    const known = (texts[slot] ?? []).map((list) => table?.codeOf(slot, list) ?? 0)
    return column.map((code) => known[code] ?? 0)
  })
}

function idIn({ ids, idEnds, lines }: PackRows, row: number): string {
  const length = (2 * ids.byteLength) / lines.length
  const [from, to] = idEnds
    ? [row === 0 ? 0 : idEnds[row - 1], idEnds[row]]
    : [row * length, (row + 1) * length]
  return ids.toString('utf8', from, to)
}

const newline = 10
