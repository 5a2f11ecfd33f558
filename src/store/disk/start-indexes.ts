import { crc32 } from 'node:zlib'
import type { Clock } from '../../core/clock.ts'
import { writeWhole } from '../../core/files.ts'
import { nextTurn } from '../../core/machine.ts'
import type { CollectionState, Segment } from '../collection-state.ts'
import { messageOf } from '../io-errors.ts'
import type { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import type { CheckpointDeps } from './checkpoint.ts'
import { numberOf } from './paths.ts'
import type { Reserve } from './reserve.ts'
import { editedText } from './snapshot-edits.ts'
import { footerLength, parseSnapshot, storedCrc } from './snapshot-text.ts'
import { encodeStartIndex } from './start-index.ts'

/**
 * Indexes in `derived`, one per segment, from which a start takes ids, places and facts instead of reading each record.
 * They may be missing, damaged or old: then the start reads the segment.
 */
export interface StartIndexes {
  /**
   * Writes the indexes of segments that have none, if they are as their files are. Never rejects.
   *
   * @param options.newest  Also of segments that change soon: the newest ones, and those of which a tenth is in an index of
   *   the collection, as emails are while the outbox has them. Default: false.
   */
  write(options?: { newest?: boolean }): Promise<void>
  /** Stops the checks. */
  close(): Promise<void>
}

export interface StartIndexDeps extends CheckpointDeps {
  readonly clock: Clock
  readonly reserve: Reserve
}

/**
 * Starts to check the files that the start did not read, one after the other, and to write missing indexes. Damage is
 * reported, and the next start reads that file.
 */
export function createStartIndexes(deps: StartIndexDeps, records: Records): StartIndexes {
  const { files, paths, clock, reserve, onNotice } = deps
  const buffer = { bytes: Buffer.alloc(0) }
  let isClosed = false
  let cancelTimer: (() => void) | null = null
  let line: Promise<void> = Promise.resolve()

  /** Runs work that only reads or that may fail, one at a time. */
  function queued(run: () => Promise<void>): Promise<void> {
    // On a full or failing disk, for example. Without an index, a start reads the segment.
    line = line.then(run).catch(() => {})
    return line
  }

  const plan = (delayMs: number): void => {
    if (!isClosed) cancelTimer = clock.after(delayMs, () => void queued(checkNext))
  }

  async function checkNext(): Promise<void> {
    if (isClosed) return
    const [segment] = records.resting.unchecked
    if (!segment) {
      await writeAll(true)
      await sweep()
      return
    }
    records.resting.unchecked.delete(segment)
    try {
      await check(segment)
    } finally {
      plan(pauseMs)
    }
  }

  /** Compares a file with the checksum in its last line. */
  async function check({ state, number, pack }: Segment): Promise<void> {
    if (!pack?.file) return
    const { path, segment, file } = pack
    const isSame = (): boolean => state.segments.get(number)?.pack === pack && !segment.replacing
    const found = await crcOf(path, file.size).catch(() => null)
    if (found === file.crc || isClosed || !isSame()) return
    const bytes = await files.readAll(path).catch(() => null)
    if (!isSame()) return
    pack.file = null
    await files.remove(paths.startIndex(state.name, number)).catch(() => {})
    onNotice(`${problemOf(bytes, path)} Found while Localpost uses the folder; other records are served.`)
  }

  function problemOf(bytes: Buffer | null, path: string): string {
    if (bytes === null) return `${path}: this file of records cannot be read.`
    try {
      const { edited } = parseSnapshot(bytes, path)
      return `${path} was changed since Localpost wrote it. ${edited ? editedText(edited) : ''}`
    } catch (error) {
      return messageOf(error)
    }
  }

  /** The checksum of a file without its last line, if that has the same one; otherwise null. */
  async function crcOf(path: string, size: number): Promise<number | null> {
    if ((await files.size(path)) !== size) return null
    if (buffer.bytes.byteLength === 0) buffer.bytes = Buffer.allocUnsafeSlow(pieceBytes)
    const fd = files.openNow(path)
    let crc = 0
    try {
      const end = size - footerLength
      for (let at = 0; at < size && !isClosed;) {
        const isEnd = at >= end
        const piece = buffer.bytes.subarray(0, isEnd ? size - at : Math.min(pieceBytes, end - at))
        const count = await files.read(fd, piece, at)
        if (count === 0) return null
        if (isEnd) return storedCrc(piece.subarray(0, count)) === crc ? crc : null
        crc = crc32(piece.subarray(0, count), crc)
        at += count
        await nextTurn()
      }
      return null
    } finally {
      await files.close(fd)
    }
  }

  async function writeAll(newest: boolean): Promise<void> {
    for (const state of records.collections.values()) {
      if (!state.large || state.readLater) continue
      const oldest = state.openSegment - records.resting.awakeSegments
      const due = [...state.segments.values()].filter(
        ({ number, pack }) => pack && isDue(pack) && (newest || (number <= oldest && !changesSoon(pack))),
      )
      if (due.length > 0) await files.makeFolder(paths.startIndexes(state.name))
      for (const segment of due) if (!reserve.isOpen) await writeOne(state, segment)
    }
  }

  async function writeOne(state: CollectionState, segment: Segment): Promise<void> {
    const { pack, number } = segment
    // A record may have changed since its file was written. Then the next checkpoint writes the file again.
    if (!pack?.file || records.dirty.has(segment) || segment.replacing) return
    const bytes = encodeStartIndex(state, pack, pack.file)
    const isComplete = pack.facts?.isComplete ?? true
    const path = paths.startIndex(state.name, number)
    const fd = await files.open(path, 'w')
    try {
      await writeWhole(files, fd, bytes, 0)
      pack.file.index = isComplete ? 'all' : 'not all facts'
    } catch (error) {
      await files.remove(path).catch(() => {})
      throw error
    } finally {
      await files.close(fd)
    }
    // The segment may have been removed meanwhile.
    if (segment.pack === null) await files.remove(path)
  }

  /** Removes indexes of segments that no longer exist. */
  async function sweep(): Promise<void> {
    for (const { name, large, segments } of records.collections.values()) {
      if (!large) continue
      for (const file of await files.list(paths.startIndexes(name))) {
        const number = numberOf(file, '.idx')
        if (number !== null && !segments.get(number)?.pack) await files.remove(paths.startIndex(name, number))
      }
    }
  }

  plan(firstMs)
  return {
    write: ({ newest = false } = {}) => queued(() => writeAll(newest)),
    async close() {
      isClosed = true
      cancelTimer?.()
      await line
    },
  }
}

/** Whether a pack could have an index with more than it has now. */
function isDue({ file, facts }: Packed): boolean {
  if (!file || file.index === 'all') return false
  return file.index === null || (facts?.isComplete ?? true)
}

/** Whether an index would soon be of a file that was replaced. Writing the keys of many records takes some time. */
function changesSoon({ keyed, count }: Packed): boolean {
  return keyed > count / 10
}

/** Reading this much takes less than a millisecond, also for the checksum. */
const pieceBytes = 256 * 1024
/** The first check waits for the work of a start to end. */
const firstMs = 3000
/** Between two files of about 1 MB. */
const pauseMs = 25
