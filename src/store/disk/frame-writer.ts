import type { LogPlace, Places } from '../entry.ts'
import type { StagedCommit } from '../medium.ts'
import type { Effect } from '../records.ts'
import type { LogPosition } from './log.ts'
import { forEachSlice } from '../../core/slices.ts'
import { crcLength, opsStart, checksum, noCrc } from './frame.ts'

/** Encodes batches of commits for the log. */
export class FrameWriter {
  readonly #synced: boolean
  /** Used for each batch that fits. A larger one gets a buffer of its own, which is not kept. */
  readonly #scratch: Buffer = Buffer.allocUnsafeSlow(1024 * 1024)

  /** @param synced  Whether each batch is synced before it is acknowledged: `nth` then marks it as one write. */
  constructor(synced: boolean) {
    this.#synced = synced
  }

  /** Encodes a batch that begins here, and sets the places of its blobs. @returns Bytes, valid until the next call. */
  async encode(batch: readonly StagedCommit[], from: LogPosition): Promise<Buffer> {
    let bytes = this.#scratch
    let at = 0
    for (const [nth, commit] of batch.entries()) {
      let ops = ''
      const placesHere: LogPlace[] = []
      await forEachSlice(commit.effects, (effect) => {
        ops += `,${opText(effect, placesHere)}`
      })
      const nthMember = this.#synced && nth > 0 ? `"nth":${nth},` : ''
      const text = `{"seq":${commit.seq},"len":${commit.payloadSize},${nthMember}"crc":"${noCrc}","ops":["${noCrc}${noCrc}"${ops}]}\n`
      const end = at + text.length * maxOctets + commit.payloadSize
      if (end > bytes.byteLength) {
        const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * bytes.byteLength))
        larger.set(bytes.subarray(0, at))
        bytes = larger
      }
      const payloadAt = at + bytes.write(text, at)
      for (const place of placesHere) {
        // Already final. When several blobs of a record are moved, its versions in this commit share the same place objects.
        if (place.log !== 0) continue
        place.log = from.log
        place.at += from.offset + payloadAt
      }
      at = writeRest(bytes, at, payloadAt, text, commit)
    }
    return bytes.subarray(0, at)
  }
}

/** The most bytes that one UTF-16 code unit takes in UTF-8. */
const maxOctets = 3

const crcStart = '"crc":"'

/** Writes the payload and the checksums of a frame whose first line is already written. @returns Where it ends. */
function writeRest(bytes: Buffer, start: number, restAt: number, text: string, commit: StagedCommit): number {
  let at = restAt
  for (const piece of commit.payload) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  const digitsAt = start + text.indexOf(crcStart) + crcStart.length
  const lineAt = digitsAt + crcLength + opsStart.length + 1
  writeHex(restAt - start, bytes, lineAt)
  writeHex(checksum(bytes, start, digitsAt, lineAt, lineAt + crcLength), bytes, lineAt + crcLength)
  writeHex(checksum(bytes, start, digitsAt, digitsAt + crcLength, at), bytes, digitsAt)
  return at
}

function writeHex(value: number, bytes: Buffer, at: number): void {
  bytes.write(value.toString(16).padStart(8, '0'), at, 'latin1')
}

/** @param placesHere  Collects the places of blobs whose bytes are in this frame. */
function opText(effect: Effect, placesHere: LogPlace[]): string {
  const { state } = effect
  if (effect.op === 'remove') return `{"op":"remove","in":"${state.name}","id":${JSON.stringify(effect.id)}}`
  if (effect.op === 'clear') return `{"op":"clear","in":"${state.name}"}`
  const { segment, blobs, text } = effect.draft
  const where = segment === 0 ? '' : `"segment":${segment},`
  const bytes = blobs === null ? '' : `"blobs":${placesText(blobs, placesHere)},`
  return `{"op":"put","in":"${state.name}",${where}${bytes}"record":${text}}`
}

function placesText(blobs: Places, placesHere: LogPlace[]): string {
  let texts = ''
  for (const name in blobs) {
    const place = blobs[name]
    if (!place) continue
    if (texts !== '') texts += ','
    if ('log' in place && place.log === 0) {
      placesHere.push(place)
      texts += `${JSON.stringify(name)}:{"at":${place.at},"size":${place.size},"crc":${place.crc}}`
    } else texts += `${JSON.stringify(name)}:${JSON.stringify(place)}`
  }
  return `{${texts}}`
}
