import { crc32 } from 'node:zlib'
import type { LogPlace, Places } from '../entry.ts'
import type { StagedCommit } from '../medium.ts'
import type { Effect } from '../records.ts'
import { forEachSlice } from '../../core/slices.ts'

/**
 * The frame of a commit in the log: `{"seq":7,"len":2048,"crc":"0f3a9c1e","ops":["0000015a9bd1c2aa",…]}`, a line feed,
 * `len` bytes. `crc` covers everything except its own eight digits. The first op has eight digits for the length of the
 * line with its line feed, and eight for a checksum of that and of everything before the digits of `crc`. They show where
 * an incomplete frame would end.
 * An optional `"nth":3` after `len` says that three frames of the same synced write precede this one.
 */
export interface Frame {
  readonly seq: number
  /** The seq of the first frame of the same synced write. The frames of one write are acknowledged together. */
  readonly batch: number
  readonly ops: readonly unknown[]
  readonly payloadAt: number
  readonly end: number
}

/** Encodes batches of commits. The returned buffer is valid until the next call. */
export class FrameWriter {
  readonly #synced: boolean
  #scratch: Buffer = Buffer.allocUnsafeSlow(1024 * 1024)

  /**
   * @param synced  Whether each batch is synced before it is acknowledged. All its frames but the first then have `nth`,
   *   which marks them as one write.
   */
  constructor(synced: boolean) {
    this.#synced = synced
  }

  /** Encodes the frames of a batch for this place in the log, and sets the final places of the blobs in them. */
  async encode(batch: readonly StagedCommit[], log: number, offset: number): Promise<Buffer> {
    let bytes = this.#scratch
    let at = 0
    for (const [nth, commit] of batch.entries()) {
      let ops = ''
      const own: LogPlace[] = []
      await forEachSlice(commit.effects, (effect) => {
        ops += `,${opText(effect, own)}`
      })
      const place = this.#synced && nth > 0 ? `"nth":${nth},` : ''
      const text = `{"seq":${commit.seq},"len":${commit.payloadSize},${place}"crc":"${noCrc}","ops":["${noCrc}${noCrc}"${ops}]}\n`
      const end = at + text.length * mostOctets + commit.payloadSize
      if (end > bytes.byteLength) {
        const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * bytes.byteLength))
        larger.set(bytes.subarray(0, at))
        bytes = larger
      }
      const payloadAt = at + bytes.write(text, at)
      for (const place of own) {
        // Already final. When several blobs of a record are moved, its versions in this commit share the same place objects.
        if (place.log !== 0) continue
        place.log = log
        place.at += offset + payloadAt
      }
      at = writeRest(bytes, at, payloadAt, text, commit)
    }
    return bytes.subarray(0, at)
  }
}

/** The most bytes that one UTF-16 code unit takes in UTF-8. */
const mostOctets = 3

/** Reads the frame that begins at a byte; null when it is not complete. */
export function readFrame(bytes: Buffer, at: number): Frame | null {
  const head = headForm.exec(bytes.toString('latin1', at, Math.min(at + maxHeadLength, bytes.byteLength)))
  if (!head) return null
  const lineEnd = bytes.indexOf(newline, at + head[0].length)
  const payloadAt = lineEnd + 1
  const end = payloadAt + Number(head[2])
  if (lineEnd < 0 || end > bytes.byteLength) return null
  const opsAt = at + head[0].indexOf(opsStart) + opsStart.length
  const digitsAt = opsAt - opsStart.length - crcLength
  if (checksum(bytes, at, digitsAt, digitsAt + crcLength, end) !== Number.parseInt(head[4] ?? '', 16))
    return null
  const ops = parseOps(bytes.toString('utf8', opsAt - 1, lineEnd - 1))
  if (ops === null) return null
  const seq = Number(head[1])
  return { seq, batch: seq - Number(head[3] ?? 0), ops, payloadAt, end }
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

/**
 * Finds the complete frame of a commit after `seq`. A message can contain bytes that look like a frame; real frames of
 * this log continue the sequence numbers.
 *
 * @returns Its position in bytes; null when there is none.
 */
export function findFrame(
  bytes: Buffer,
  from: number,
  seq: number,
  isWanted: (frame: Frame) => boolean = () => true,
): number | null {
  for (let at = bytes.indexOf(frameStart, from); at >= 0; at = bytes.indexOf(frameStart, at + 1)) {
    const frame = readFrame(bytes, at)
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
export function* partsOf(bytes: Buffer, seq: number): Generator<LogPart> {
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

const lengthForm = /^\{"seq":\d{1,16},"len":(\d{1,16}),/

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
  if (!head) return bytes.byteLength - at < mostCutHeadBytes && !bytes.includes(newline, at)
  const [, , len, , , lineAndCrc = ''] = head
  const lineAt = at + head[0].length - 1 - 2 * crcLength
  const digitsAt = lineAt - 1 - opsStart.length - crcLength
  const crc = Number.parseInt(lineAndCrc.slice(crcLength), 16)
  if (checksum(bytes, at, digitsAt, lineAt, lineAt + crcLength) !== crc) return false
  return at + Number.parseInt(lineAndCrc.slice(0, crcLength), 16) + Number(len) > bytes.byteLength
}

/** Longer than the head of a frame, up to the end of its first op. */
const mostCutHeadBytes = 100

const frameStart = '{"seq":'

const noCrc = '00000000'
const crcLength = noCrc.length
const crcStart = '"crc":"'
const opsStart = '","ops":['
const headForm =
  /^\{"seq":(\d{1,16}),"len":(\d{1,16}),(?:"nth":(\d{1,6}),)?"crc":"([0-9a-f]{8})","ops":\["([0-9a-f]{16})"/
const maxHeadLength = 128
const newline = 10

/** Writes the payload and the checksums of a frame whose first line is already written. @returns Where it ends. */
function writeRest(
  bytes: Buffer,
  start: number,
  payloadAt: number,
  text: string,
  commit: StagedCommit,
): number {
  let at = payloadAt
  for (const piece of commit.payload) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  const digitsAt = start + text.indexOf(crcStart) + crcStart.length
  const lineAt = digitsAt + crcLength + opsStart.length + 1
  writeHex(payloadAt - start, bytes, lineAt)
  writeHex(checksum(bytes, start, digitsAt, lineAt, lineAt + crcLength), bytes, lineAt + crcLength)
  writeHex(checksum(bytes, start, digitsAt, digitsAt + crcLength, at), bytes, digitsAt)
  return at
}

/** The checksum of everything before the digits of `crc`, and of another range after them. */
function checksum(bytes: Buffer, start: number, digitsAt: number, from: number, to: number): number {
  return crc32(bytes.subarray(from, to), crc32(bytes.subarray(start, digitsAt)))
}

function writeHex(value: number, bytes: Buffer, at: number): void {
  bytes.write(value.toString(16).padStart(8, '0'), at, 'latin1')
}

/** @param own  Collects the places of blobs whose bytes are in this frame. */
function opText(effect: Effect, own: LogPlace[]): string {
  const { state } = effect
  if (effect.op === 'remove') return `{"op":"remove","in":"${state.name}","id":${JSON.stringify(effect.id)}}`
  if (effect.op === 'clear') return `{"op":"clear","in":"${state.name}"}`
  const { segment, blobs, text } = effect.draft
  const where = segment === 0 ? '' : `"segment":${segment},`
  const bytes = blobs === null ? '' : `"blobs":${placesText(blobs, own)},`
  return `{"op":"put","in":"${state.name}",${where}${bytes}"record":${text}}`
}

function placesText(blobs: Places, own: LogPlace[]): string {
  let texts = ''
  for (const name in blobs) {
    const place = blobs[name]
    if (!place) continue
    if (texts !== '') texts += ','
    if ('log' in place && place.log === 0) {
      own.push(place)
      texts += `${JSON.stringify(name)}:{"at":${place.at},"size":${place.size},"crc":${place.crc}}`
    } else texts += `${JSON.stringify(name)}:${JSON.stringify(place)}`
  }
  return `{${texts}}`
}
