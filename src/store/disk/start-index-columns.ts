import type { FactColumns } from '../pack-facts.ts'
import type { PackRows } from '../packed.ts'

/** The columns of an index for the start. */
export interface IndexColumns {
  readonly rows: PackRows
  readonly facts: FactColumns | null
}

/** The layout of the columns in a file. */
interface ColumnHead {
  readonly count: number
  readonly idBytes: number
  readonly hasEnds: boolean
  /** For each column of numbers, how many bytes a number has; null without facts. */
  readonly numbers: readonly (4 | 8)[] | null
  /** The number of columns of codes. */
  readonly codes: number
}

/** The columns one after the other, and the layout that is needed to read them again. */
export function writeColumns({ rows, facts }: IndexColumns): { head: ColumnHead; blocks: Uint8Array[] } {
  const { ids, idEnds, lines } = rows
  const columns = [
    ...(facts?.numbers ?? []),
    lines,
    ...(idEnds ? [idEnds] : []),
    ...(facts ? [facts.flags, ...facts.codes] : []),
  ]
  return {
    head: {
      count: lines.length / 2,
      idBytes: ids.byteLength,
      hasEnds: idEnds !== null,
      numbers: facts?.numbers.map((column) => (column instanceof Float64Array ? 8 : 4)) ?? null,
      codes: facts?.codes.length ?? 0,
    },
    blocks: [
      ...columns.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
      ids,
    ],
  }
}

/** @throws RangeError if the bytes are not exactly these columns, or if there are no rows. */
export function readColumns(head: ColumnHead, bytes: Buffer): IndexColumns {
  let at = 0
  /** Copies the next bytes, because arrays of numbers need an alignment that they may not have in the file. */
  const take = (length: number): ArrayBuffer => {
    if (at + length > bytes.byteLength) throw new RangeError('The columns are incomplete.')
    at += length
    return new Uint8Array(bytes.subarray(at - length, at)).buffer
  }
  const { count } = head
  const numbers = (head.numbers ?? []).map((size) =>
    size === 8 ? new Float64Array(take(8 * count)) : new Uint32Array(take(4 * count)),
  )
  const lines = new Uint32Array(take(8 * count))
  const idEnds = head.hasEnds ? new Uint32Array(take(4 * count)) : null
  const facts: FactColumns | null = head.numbers && {
    numbers,
    flags: new Uint32Array(take(4 * count)),
    codes: Array.from({ length: head.codes }, () => new Uint16Array(take(2 * count))),
  }
  const ids = Buffer.from(take(head.idBytes))
  if (count === 0 || at !== bytes.byteLength) throw new RangeError('The columns do not fit their file.')
  return { rows: { ids, idEnds, lines }, facts }
}
