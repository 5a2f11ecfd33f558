import { withFile, writeWhole } from '../../core/files.ts'
import type { CollectionState, Segment } from '../collection-state.ts'
import type { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import type { CheckpointDeps } from './checkpoint.ts'
import { FileChecks, type FileChecksDeps } from './file-checks.ts'
import { numbersIn } from './paths.ts'
import type { Reserve } from './reserve.ts'
import { encodeStartIndex } from './start-index.ts'
import { createSequence } from '../../core/sequence.ts'

type StartIndexDeps = CheckpointDeps &
  Pick<FileChecksDeps, 'clock' | 'unchecked'> & { readonly reserve: Reserve }

/**
 * Indexes in `derived`, one per segment, from which a start takes ids, places and facts. If one is missing, damaged or
 * old, the start reads the segment.
 *
 * Meanwhile {@link FileChecks} checks the files that the start did not read. Then the indexes of the newest segments
 * are written too.
 */
export class StartIndexes {
  readonly #deps: StartIndexDeps
  readonly #records: Records
  readonly #checks: FileChecks
  /** What is written and checked, one after the other. */
  readonly #sequence = createSequence()

  /** Begins to check the files in the background. */
  constructor(deps: StartIndexDeps, records: Records) {
    this.#deps = deps
    this.#records = records
    this.#checks = new FileChecks({
      ...deps,
      queue: (run) => this.#queue(run),
      onAllChecked: async () => {
        await this.#writeAll(true)
        await this.#sweep()
      },
    })
  }

  /**
   * Writes the indexes of segments that have none, if they are as their files are. Never rejects.
   *
   * @param options  `newestToo`: also of segments that change soon: the newest ones, and those of which a tenth is in an index
   *   of the collection, as emails are while the outbox has them.
   */
  write({ newestToo = false }: { newestToo?: boolean } = {}): Promise<void> {
    return this.#queue(() => this.#writeAll(newestToo))
  }

  /** Ends the checks, and waits for what runs. `write` may still be called. */
  async stopChecks(): Promise<void> {
    this.#checks.stop()
    await this.#queue(async () => {})
  }

  /** An error is ignored, as on a full disk: without an index, a start reads the segment. */
  #queue(run: () => Promise<void>): Promise<void> {
    return this.#sequence(run).catch(() => {})
  }

  async #writeAll(newestToo: boolean): Promise<void> {
    const { files, paths, reserve } = this.#deps
    for (const state of this.#records.collections.all()) {
      if (!state.large) continue
      const { resting } = this.#records
      const due = [...state.segments.values()].filter(
        ({ number, pack }) =>
          // The file of a pack with many keyed records is replaced soon, and then its index is of no use.
          pack &&
          isDue(pack) &&
          (newestToo || (resting.isOld(number, state.openSegment) && pack.keyed <= pack.count / 10)),
      )
      if (due.length > 0) await files.makeFolder(paths.startIndexes(state.name))
      // If the reserve was given up, the disk is full: what is left belongs to mail.
      for (const segment of due) if (!reserve.isGivenUp) await this.#writeOne(state, segment)
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

/** Whether writing the index of a pack now would add something to it. */
function isDue({ file, facts }: Packed): boolean {
  if (!file || file.index === 'all') return false
  return file.index === null || (facts?.isComplete ?? true)
}
