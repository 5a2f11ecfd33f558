import { crc32 } from 'node:zlib'

// A block: rows before it (12), seal (8), seal of the head (8), last id (25), cut flag (1), filter (4096), rows, zeros.
// A row: rowBegin, id, "\n", head in lines, bodyBegin, body, rowEnd. None of the marks is ever in a folded text.
export const rowBegin = 0x00
export const bodyBegin = 0x02
export const rowEnd = 0x03
/** The end of a body that lacks the rest of its text. It is never in a folded text. */
export const cutMark = '\x04'
const cutEnd = Buffer.from(`${cutMark}\x03`)
const idLength = 25
/** Where the id ends in a row; the line end follows, and then the head. */
export const idEnd: number = 1 + idLength
/** The number of rows before a block, in digits. */
const countLength = 12
const sealLength = 8
const sealEnd = countLength + sealLength
const headSealEnd = sealEnd + sealLength
const lastIdAt = headSealEnd
const cutFlagAt = lastIdAt + idLength
const filterAt = cutFlagAt + 1
export const filterBytes = 4096
export const headerLength: number = filterAt + filterBytes
/** The head of a block: up to the id of its first row. */
export const headBytes: number = headerLength + idEnd

/** The bytes of a row: the searchable text of one mail. Both texts are folded. */
export function toTextRow(id: string, head: string, body: string): Buffer {
  return Buffer.from(`\0${id}\n${head}\x02${body}\x03`)
}

/** Begins a block. @param rows  How many there are before it. @returns How many bytes of the block are used. */
export function beginBlock(block: Buffer, rows: number): number {
  block.fill(0)
  block.write(String(rows).padStart(countLength, '0'), 'latin1')
  return headerLength
}

/** How many rows are in the blocks before this one. */
export function rowsBefore(block: Buffer): number {
  return Number(block.toString('latin1', 0, countLength))
}

/** The bytes of its head in which a block has its filter. */
export function filterOfBlock(block: Buffer): Buffer {
  return block.subarray(filterAt, headerLength)
}

/**
 * Completes the head of a block, and writes a checksum of the head and one of the block. In a block without a row the last id
 * has no meaning; {@link isSealedBlock} never accepts such a block.
 */
export function sealBlock(block: Buffer): void {
  block.write(lastId(block), lastIdAt, 'latin1')
  block.write(block.includes(cutEnd, headerLength) ? '1' : '0', cutFlagAt, 'latin1')
  block.write(headSealOf(block), sealEnd, 'latin1')
  block.write(sealOf(block), countLength, 'latin1')
}

/** What the head of a full block says of it; null if the checksum of the head is wrong. */
export function readHead(
  head: Buffer,
): { rowsBefore: number; first: string; last: string; hasCut: boolean; filter: Buffer } | null {
  if (head.length < headBytes || head.toString('latin1', sealEnd, headSealEnd) !== headSealOf(head))
    return null
  return {
    rowsBefore: rowsBefore(head),
    first: firstIdOf(head),
    last: head.toString('latin1', lastIdAt, cutFlagAt),
    hasCut: head[cutFlagAt] === '1'.charCodeAt(0),
    filter: filterOfBlock(head),
  }
}

/** Whether a block has a row, and its checksum is right. It is wrong if the block was cut or changed. */
export function isSealedBlock(block: Buffer): boolean {
  return block.length > headerLength && block.toString('latin1', countLength, sealEnd) === sealOf(block)
}

function sealOf(block: Buffer): string {
  return blockChecksum(block, sealEnd, block.length)
}

function headSealOf(block: Buffer): string {
  return blockChecksum(block, headSealEnd, headBytes)
}

/** Of the number of rows before a block, and of its bytes from one place to another. */
function blockChecksum(block: Buffer, from: number, to: number): string {
  const sum = crc32(block.subarray(from, to), crc32(block.subarray(0, countLength)))
  return sum.toString(16).padStart(sealLength, '0')
}

export function firstIdOf(block: Buffer): string {
  return idAt(block, headerLength)
}

/** The id of the last whole row of a block that has one. */
export function lastId(block: Buffer): string {
  return idAt(block, block.lastIndexOf(rowBegin, block.lastIndexOf(rowEnd)))
}

/** The id of the row that begins at `start`. */
export function idAt(block: Buffer, start: number): string {
  return block.toString('latin1', start + 1, start + idEnd)
}

/** The rows that have these bytes, each once, in order of arrival: where they begin, and the first place of the bytes. */
export function* rowsWith(block: Buffer, bytes: Buffer): Generator<{ start: number; hit: number }> {
  let hit = block.indexOf(bytes, headerLength)
  while (hit >= 0) {
    const start = block.lastIndexOf(rowBegin, hit)
    const end = start < headerLength ? -1 : block.indexOf(rowEnd, start)
    // After the last row there are only zeros.
    if (end < 0) return
    // A row may lack its beginning where a file was damaged.
    if (end > hit) yield { start, hit }
    hit = block.indexOf(bytes, Math.max(end, hit) + 1)
  }
}

export function countRows(block: Buffer): number {
  let rows = 0
  for (let at = block.indexOf(rowEnd, headerLength); at >= 0; at = block.indexOf(rowEnd, at + 1)) rows++
  return rows
}

/** The rows of a block whose body ends with {@link cutMark}. */
export function cutRows(block: Buffer): string[] {
  const ids: string[] = []
  for (let at = block.indexOf(cutEnd, headerLength); at >= 0; at = block.indexOf(cutEnd, at + 1))
    ids.push(idAt(block, block.lastIndexOf(rowBegin, at)))
  return ids
}
