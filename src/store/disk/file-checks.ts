import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/errors.ts'
import type { Segment } from '../collection-state.ts'
import type { CheckpointDeps } from './checkpoint.ts'
import { editedText } from './snapshot-edits.ts'
import { untouchedCrc } from './snapshot-lines.ts'
import { parseSnapshot } from './snapshot-text.ts'

export interface FileChecksDeps extends Pick<CheckpointDeps, 'files' | 'paths' | 'onNotice'> {
  readonly clock: Clock
  /** The segments of the files that the start did not read, because it used their indexes. Each is removed in its turn. */
  readonly unchecked: Set<Segment>
  /** Runs one check, while nothing else is done with the indexes. */
  queue(run: () => Promise<void>): Promise<void>
  /** Called once, as a part of the last `queue`. */
  onAllChecked(): Promise<void>
}

/** Checks files in the background, one after the other. Damage is reported, and the next start reads that file. */
export class FileChecks {
  readonly #deps: FileChecksDeps
  #isStopped = false
  #cancelTimer: () => void = () => {}

  constructor(deps: FileChecksDeps) {
    this.#deps = deps
    this.#checkLater(firstMs)
  }

  /** A check that runs goes on. */
  stop(): void {
    this.#isStopped = true
    this.#cancelTimer()
  }

  #checkLater(delayMs: number): void {
    if (this.#isStopped) return
    const { clock, queue } = this.#deps
    this.#cancelTimer = clock.after(delayMs, () => void queue(() => this.#checkNext()))
  }

  async #checkNext(): Promise<void> {
    if (this.#isStopped) return
    const { unchecked, onAllChecked } = this.#deps
    const [segment] = unchecked
    if (!segment) return await onAllChecked()
    unchecked.delete(segment)
    try {
      await this.#check(segment)
    } finally {
      this.#checkLater(pauseMs)
    }
  }

  /** Compares a file with the checksum in its last line. */
  async #check({ state, number, pack }: Segment): Promise<void> {
    if (!pack?.file) return
    const { files, paths, onNotice } = this.#deps
    const { path, segment, file } = pack
    const bytes = await files.readAll(path).catch(() => null)
    if (bytes?.byteLength === file.size && untouchedCrc(bytes) === file.crc) return
    if (this.#isStopped || state.segments.get(number)?.pack !== pack || segment.replacing) return
    // Without it no index of the file is written, so the next start reads the file itself.
    pack.forgetFile()
    await files.remove(paths.startIndex(state.name, number)).catch(() => {})
    onNotice(`${problemOf(bytes, path)} Found while Localpost uses the folder; other records are served.`)
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

/** The first check waits for the work of a start to end. */
const firstMs = 3000
/** Between two files of about 1 MB. */
const pauseMs = 25
