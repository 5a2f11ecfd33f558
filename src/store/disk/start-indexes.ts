import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import { withFile, writeWhole } from '../../core/files.ts'
import type { CollectionState, Segment } from '../collection-state.ts'
import type { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import type { CheckpointDeps } from './checkpoint.ts'
import { numbersIn } from './paths.ts'
import type { Reserve } from './reserve.ts'
import { editedText } from './snapshot-edits.ts'
import { untouchedCrc } from './snapshot-lines.ts'
import { parseSnapshot } from './snapshot-text.ts'
import { encodeStartIndex } from './start-index.ts'
import { createSequence } from '../../core/sequence.ts'

type StartIndexDeps = CheckpointDeps & { readonly clock: Clock; readonly reserve: Reserve }

/**
 * Indexes in `derived`, one per segment, from which a start takes ids, places and facts. If one is missing, damaged or
 * old, the start reads the segment.
 *
 * The files that the start did not read are checked in the background, one after the other. Damage is reported, and the
 * next start reads that file. When all are checked, the indexes of the newest segments are written too, and the checks end.
 */
export class StartIndexes {
  readonly #deps: StartIndexDeps
  readonly #records: Records
  #isClosed = false
  #cancelTimer: () => void = () => {}
  readonly #inLine = createSequence()

  constructor(deps: StartIndexDeps, records: Records) {
    this.#deps = deps
    this.#records = records
    this.#plan(firstMs)
  }

  /**
   * Writes the indexes of segments that have none, if they are as their files are. Never rejects.
   *
   * @param newest  Also of segments that change soon: the newest ones, and those of which a tenth is in an index of the
   *   collection, as emails are while the outbox has them.
   */
  write(newest: boolean = false): Promise<void> {
    return this.#queue(() => this.#writeAll(newest))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTimer()
    await this.#queue(async () => {})
  }

  /** An error is ignored, as on a full disk: without an index, a start reads the segment. */
  #queue(run: () => Promise<void>): Promise<void> {
    return this.#inLine(run).catch(() => {})
  }

  #plan(delayMs: number): void {
    if (this.#isClosed) return
    this.#cancelTimer = this.#deps.clock.after(delayMs, () => void this.#queue(() => this.#checkNext()))
  }

  async #checkNext(): Promise<void> {
    if (this.#isClosed) return
    const { unchecked } = this.#records.resting
    const [segment] = unchecked
    if (!segment) {
      await this.#writeAll(true)
      await this.#sweep()
      return
    }
    unchecked.delete(segment)
    try {
      await this.#check(segment)
    } finally {
      this.#plan(pauseMs)
    }
  }

  /** Compares a file with the checksum in its last line. */
  async #check({ state, number, pack }: Segment): Promise<void> {
    if (!pack?.file) return
    const { files, paths, onNotice } = this.#deps
    const { path, segment, file } = pack
    const bytes = await files.readAll(path).catch(() => null)
    if (bytes?.byteLength === file.size && untouchedCrc(bytes) === file.crc) return
    if (this.#isClosed || state.segments.get(number)?.pack !== pack || segment.replacing) return
    // Without it no index of the file is written, so the next start reads the file itself.
    pack.file = null
    await files.remove(paths.startIndex(state.name, number)).catch(() => {})
    onNotice(`${problemOf(bytes, path)} Found while Localpost uses the folder; other records are served.`)
  }

  async #writeAll(newest: boolean): Promise<void> {
    const { files, paths, reserve } = this.#deps
    for (const state of this.#records.collections.all()) {
      if (!state.large) continue
      const { resting } = this.#records
      const due = [...state.segments.values()].filter(
        ({ number, pack }) =>
          // The file of a pack with many keyed records is replaced soon, and then its index is of no use.
          pack &&
          isDue(pack) &&
          (newest || (resting.isOld(number, state.openSegment) && pack.keyed <= pack.count / 10)),
      )
      if (due.length > 0) await files.makeFolder(paths.startIndexes(state.name))
      // An open reserve means that the disk is full: what is left belongs to mail.
      for (const segment of due) if (!reserve.isOpen) await this.#writeOne(state, segment)
    }
  }

  async #writeOne(state: CollectionState, segment: Segment): Promise<void> {
    const { files, paths } = this.#deps
    const { pack, number } = segment
    // A record may have changed since its file was written. Then the next checkpoint writes the file again.
    if (!pack?.file || this.#records.dirty.has(segment) || segment.replacing) return
    const bytes = encodeStartIndex(state, pack, pack.file)
    const isComplete = pack.facts?.isComplete ?? true
    const path = paths.startIndex(state.name, number)
    try {
      await withFile(files, path, 'w', (fd) => writeWhole(files, fd, bytes, 0))
      pack.file.index = isComplete ? 'all' : 'not all facts'
    } catch (error) {
      await files.remove(path).catch(() => {})
      throw error
    }
    // The segment may have been removed meanwhile.
    if (segment.pack === null) await files.remove(path)
  }

  /** Removes indexes of segments that no longer exist. */
  async #sweep(): Promise<void> {
    const { files, paths } = this.#deps
    for (const { name, large, segments } of this.#records.collections.all()) {
      if (!large) continue
      for (const number of await numbersIn(files, paths.startIndexes(name), '.idx'))
        if (!segments.get(number)?.pack) await files.remove(paths.startIndex(name, number))
    }
  }
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

/** Whether a pack could have an index with more than it has now. */
function isDue({ file, facts }: Packed): boolean {
  if (!file || file.index === 'all') return false
  return file.index === null || (facts?.isComplete ?? true)
}

/** The first check waits for the work of a start to end. */
const firstMs = 3000
/** Between two files of about 1 MB. */
const pauseMs = 25
