import { crc32 } from 'node:zlib'

/**
 * The frame of a commit in the log: `{"seq":7,"len":2048,"crc":"0f3a9c1e","ops":["0000015a9bd1c2aa",…]}`, a line feed,
 * `len` bytes. `crc` covers everything except its own eight digits. The first op has eight digits for the length of the
 * line with its line feed, and eight for a checksum of that and of everything before the digits of `crc`. They show
 * where an incomplete frame would end. An optional `"nth":3` after
 * `len` says that three frames of the same synced write precede this one.
 */
export interface Frame {
  readonly seq: number
  /** The seq of the first frame of the same synced write. The frames of one write are acknowledged together. */
  readonly batch: number
  readonly ops: readonly unknown[]
  readonly payloadAt: number
  readonly end: number
}

/** Reads the frame that begins at a byte; null when it is not complete. */
export function readFrame(bytes: Buffer, at: number): Frame | null {
  const head = headForm.exec(bytes.toString('latin1', at, Math.min(at + maxHeadLength, bytes.byteLength)))
  if (!head?.groups) return null
  const { seq: number, len, nth = 0, crc = '' } = head.groups
  const lineEnd = bytes.indexOf(newline, at + head[0].length)
  const payloadAt = lineEnd + 1
  const end = payloadAt + Number(len)
  if (lineEnd < 0 || end > bytes.byteLength) return null
  const opsAt = at + head[0].indexOf(opsStart) + opsStart.length
  const digitsAt = opsAt - opsStart.length - crcLength
  if (checksum(bytes, at, digitsAt, digitsAt + crcLength, end) !== Number.parseInt(crc, 16)) return null
  const ops = parseOps(bytes.toString('utf8', opsAt - 1, lineEnd - 1))
  if (ops === null) return null
  const seq = Number(number)
  return { seq, batch: seq - Number(nth), ops, payloadAt, end }
}

/** The ops without the first one; null if this is no list of ops, as in a message with bytes that look like a frame. */
function parseOps(text: string): unknown[] | null {
  try {
    const ops: unknown = JSON.parse(text)
    return Array.isArray(ops) ? ops.slice(1) : null
  } catch {
    return null
  }
}

/** Where a complete frame of a later commit is; null without one. Bytes of a message may look like an older one. */
export function findFrame(
  bytes: Buffer,
  from: number,
  seq: number,
  isWanted: (frame: Frame) => boolean = () => true,
): number | null {
  for (let at = bytes.indexOf(frameStart, from); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = readFrame(bytes, at)
    // Each commit takes at least a byte: what looks like a much later one is part of a message.
    if (frame && frame.seq > seq && frame.seq <= seq + bytes.byteLength && isWanted(frame)) return at
  }
  return null
}

/** A part of a log file: a complete frame, or a damaged range up to the next one. */
export interface LogPart {
  readonly at: number
  readonly end: number
  /** Null if the range is damaged. */
  readonly frame: Frame | null
}

/** Reads a whole file of the log, whatever its condition. @param seq  The last commit of the files before it. */
export function* logParts(bytes: Buffer, seq: number): Generator<LogPart> {
  let last = seq
  for (let at = 0; at < bytes.byteLength;) {
    const found = readFrame(bytes, at)
    const frame = found && found.seq > last ? found : null
    const end = frame?.end ?? endOfDamage(bytes, at, last)
    yield { at, end, frame }
    last = frame?.seq ?? last
    at = end
  }
}

/** Where the next frame or the end of the file is. A damaged frame is skipped as a whole if its length is still known. */
function endOfDamage(bytes: Buffer, at: number, seq: number): number {
  const [head, size] = lengthForm.exec(bytes.toString('latin1', at, at + maxHeadLength)) ?? []
  const lineEnd = head === undefined ? -1 : bytes.indexOf(newline, at)
  const end = lineEnd + 1 + Number(size)
  if (lineEnd >= 0 && (end === bytes.byteLength || findFrame(bytes, end, seq) === end)) return end
  return findFrame(bytes, at + 1, seq) ?? bytes.byteLength
}

/** Counts the complete frames, also behind an incomplete one. */
export function countFrames(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(frameStart); at >= 0;) {
    const frame = readFrame(bytes, at)
    if (frame) count++
    at = bytes.indexOf(frameStart, frame ? frame.end : at + 1)
  }
  return count
}

/**
 * Whether the end of a file is an incomplete frame, as left by a process that was killed while it wrote. A frame with its
 * full length is complete: if its checksum does not match, it was changed after it was written.
 *
 * @param at  Where the unreadable frame begins.
 */
export function isBeginning(bytes: Buffer, at: number): boolean {
  const head = headForm.exec(bytes.toString('latin1', at, Math.min(at + maxHeadLength, bytes.byteLength)))
  // A frame ends with a line feed, but no part of its head contains one.
  if (!head?.groups) return bytes.byteLength - at < maxCutHeadBytes && !bytes.includes(newline, at)
  const { len, line: lengthAndCrc = '' } = head.groups
  const lineAt = at + head[0].length - 1 - 2 * crcLength
  const digitsAt = lineAt - 1 - opsStart.length - crcLength
  const crc = Number.parseInt(lengthAndCrc.slice(crcLength), 16)
  if (checksum(bytes, at, digitsAt, lineAt, lineAt + crcLength) !== crc) return false
  return at + Number.parseInt(lengthAndCrc.slice(0, crcLength), 16) + Number(len) > bytes.byteLength
}

const frameStart = '{"seq":'
export const noCrc = '00000000'
export const crcLength = noCrc.length
export const opsStart = '","ops":['
const headForm =
  /^\{"seq":(?<seq>\d{1,16}),"len":(?<len>\d{1,16}),(?:"nth":(?<nth>\d{1,6}),)?"crc":"(?<crc>[0-9a-f]{8})","ops":\["(?<line>[0-9a-f]{16})"/
const lengthForm = /^\{"seq":\d{1,16},"len":(\d{1,16}),/
const maxHeadLength = 128
/** Longer than the head of a frame, up to the end of its first op. */
const maxCutHeadBytes = 100
const newline = 10

/** The checksum of everything before the digits of `crc`, and of another range after them. */
export function checksum(bytes: Buffer, start: number, digitsAt: number, from: number, to: number): number {
  return crc32(bytes.subarray(from, to), crc32(bytes.subarray(start, digitsAt)))
}
