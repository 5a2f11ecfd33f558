import { crc32 } from 'node:zlib'
import type { LogPlace, Places } from '../entry.ts'
import type { StagedCommit } from '../medium.ts'
import type { Effect } from '../records.ts'
import { forEachSlice } from '../../core/slices.ts'
import { writeHex } from './hex.ts'

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
  /** Where the payload of the commit begins. */
  readonly payloadAt: number
  /** Where the next frame begins. */
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

  /**
   * Encodes the frames of a batch, one after the other, and sets the final places of the blobs in them.
   *
   * @param log  The number of the log file that they are written to.
   * @param offset  The position of the first frame in that file.
   */
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
      if (end > bytes.byteLength) bytes = enlarged(bytes, at, end)
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
export const mostOctets = 3

/** A larger buffer that begins with the first `used` bytes of the given one. */
export function enlarged(bytes: Buffer, used: number, room: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(room, 2 * bytes.byteLength))
  larger.set(bytes.subarray(0, used))
  return larger
}

/**
 * Reads the frame that begins at a byte.
 *
 * @returns The frame, or null when there is no complete frame.
 */
export function readFrame(bytes: Buffer, at: number): Frame | null {
  const head = headForm.exec(bytes.toString('latin1', at, Math.min(at + maxHeadLength, bytes.byteLength)))
  if (!head) return null
  const lineEnd = bytes.indexOf(newline, at + head[0].length)
  const payloadAt = lineEnd + 1
  const end = payloadAt + Number(head[2])
  if (lineEnd < 0 || end > bytes.byteLength) return null
  const opsAt = at + head[0].indexOf(opsStart) + opsStart.length
  const digitsAt = opsAt - opsStart.length - crcLength
  if (checksum(bytes, at, digitsAt, end) !== Number.parseInt(head[4] ?? '', 16)) return null
  const ops: unknown = JSON.parse(bytes.toString('utf8', opsAt - 1, lineEnd - 1))
  if (!Array.isArray(ops)) return null
  ops.shift()
  const seq = Number(head[1])
  return { seq, batch: seq - Number(head[3] ?? 0), ops, payloadAt, end }
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
  if (headChecksum(bytes, at, digitsAt, lineAt) !== Number.parseInt(lineAndCrc.slice(crcLength), 16))
    return false
  return at + Number.parseInt(lineAndCrc.slice(0, crcLength), 16) + Number(len) > bytes.byteLength
}

/** Longer than the head of a frame, up to the end of its first op. */
const mostCutHeadBytes = 100

/** The beginning of every frame. */
export const frameStart = '{"seq":'

const noCrc = '00000000'
const crcLength = noCrc.length
const crcStart = '"crc":"'
const opsStart = '","ops":['
const headForm =
  /^\{"seq":(\d{1,16}),"len":(\d{1,16}),(?:"nth":(\d{1,6}),)?"crc":"([0-9a-f]{8})","ops":\["([0-9a-f]{16})"/
const maxHeadLength = 128
const newline = 10

/**
 * Writes the payload and the checksums of a frame whose first line is already written.
 *
 * @returns Where the frame ends.
 */
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
  const head = crc32(bytes.subarray(start, digitsAt))
  writeHex(crc32(bytes.subarray(lineAt, lineAt + crcLength), head), bytes, lineAt + crcLength)
  writeHex(crc32(bytes.subarray(digitsAt + crcLength, at), head), bytes, digitsAt)
  return at
}

function checksum(bytes: Buffer, start: number, digitsAt: number, end: number): number {
  return crc32(bytes.subarray(digitsAt + crcLength, end), crc32(bytes.subarray(start, digitsAt)))
}

/** The checksum in the first op: over everything before the digits of `crc`, and over the length of the line. */
function headChecksum(bytes: Buffer, start: number, digitsAt: number, lineAt: number): number {
  return crc32(bytes.subarray(lineAt, lineAt + crcLength), crc32(bytes.subarray(start, digitsAt)))
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
