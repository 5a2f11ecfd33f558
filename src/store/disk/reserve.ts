import { randomFillSync } from 'node:crypto'
import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { type Files, isShared, withFile, writeWhole } from '../../core/files.ts'
import { monotonicNow } from '../../core/machine.ts'
import type { DataFolder, Paths } from './paths.ts'

interface ReserveDeps extends DataFolder {
  /** Size of the reserve; 0 for none. */
  readonly bytes: number
  readonly onNotice: (text: string) => void
}

export const defaultReserveBytes: number = 4 * 1024 * 1024

/** Disk space that new mail cannot use, so that removing mail and cleaning up still work when the disk is full. */
export class Reserve {
  readonly #deps: ReserveDeps
  #isGivenUp: boolean
  #triedAt = 0
  #filling: Promise<void> | null = null

  /** @param isGivenUp  Whether the start itself already needed the reserved space. */
  constructor(deps: ReserveDeps, isGivenUp: boolean) {
    this.#deps = deps
    this.#isGivenUp = isGivenUp
  }

  /** Whether the reserved space was given up. New mail is refused then. */
  get isGivenUp(): boolean {
    return this.#isGivenUp
  }

  /** Why new mail is refused; null while the reserved space is there. */
  get refusal(): LocalpostError | null {
    if (!this.#isGivenUp) return null
    const message = `The disk of ${this.#deps.paths.folder} is full; the remaining space is reserved for removing mail. Free some space or remove mail, then send it again. Nothing was stored.`
    return new LocalpostError('store_full', message)
  }

  /** @throws store_full while the reserved space is given up. */
  assertWhole(): void {
    const { refusal } = this
    if (!refusal) return
    const now = monotonicNow()
    if (now - this.#triedAt > retryMs) {
      this.#triedAt = now
      void this.refill()
    }
    throw refusal
  }

  /** Runs work that frees space. If the disk is full, gives up the reserved space and runs the work again. */
  async spend<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      if (!isErrorOf(error, 'store_full') || !(await this.#release())) throw error
      return await run()
    }
  }

  async #release(): Promise<boolean> {
    const { files, paths, onNotice } = this.#deps
    await this.#filling
    if (!(await releaseReserve(files, paths))) return false
    const message = `The disk of ${paths.folder} is full. New mail is refused until there is room; removing mail still works.`
    if (!this.#isGivenUp) onNotice(message)
    this.#isGivenUp = true
    return true
  }

  /** Reserves the space again if the disk has enough. Never rejects. */
  async refill(): Promise<void> {
    if (this.#deps.bytes > 0) await (this.#filling ??= this.#fill().finally(() => (this.#filling = null)))
  }

  async #fill(): Promise<void> {
    const { files, paths, bytes, onNotice } = this.#deps
    try {
      // The space of a file that another folder shares cannot be given up here.
      const size = isShared(files, paths.reserve) ? null : await files.size(paths.reserve)
      if ((size ?? 0) < bytes) {
        const free = await files.freeBytes(paths.folder)
        // The space of a file that is too short was given up, perhaps by an earlier run. A new folder has no file.
        if (size !== null || free < bytes) this.#isGivenUp = true
        // Do not take the last free space of the disk: other programs write to it too.
        if (free < 2 * bytes) return
        await writeReserve(files, paths.reserve, bytes)
      }
      if (this.#isGivenUp) onNotice(`The disk of ${paths.folder} has room again. New mail is accepted.`)
      this.#isGivenUp = false
    } catch {
      // Another program took the space meanwhile. A later call tries again.
      await giveUp(files, paths.reserve).catch(() => {})
    }
  }
}

/** Empties the reserve file to free its space. @returns Whether there was any that belongs only to this folder. */
export async function releaseReserve(files: Files, paths: Paths): Promise<boolean> {
  if (!(await files.size(paths.reserve))) return false
  return await giveUp(files, paths.reserve)
}

// The file stays, so that the next start knows that its space was given up.
async function giveUp(files: Files, path: string): Promise<boolean> {
  if (isShared(files, path)) return false
  await withFile(files, path, 'r+', (fd) => files.truncate(fd, 0))
  return true
}

async function writeReserve(files: Files, path: string, size: number): Promise<void> {
  // Random bytes, because a file system with compression would not allocate space for zeros.
  const piece = randomFillSync(Buffer.allocUnsafe(Math.min(size, filledAtOnceBytes)))
  await withFile(files, path, 'w', async (fd) => {
    for (let at = 0; at < size; at += piece.byteLength)
      await writeWhole(files, fd, piece.subarray(0, size - at), at)
  })
}

const filledAtOnceBytes = 1024 * 1024
const retryMs = 1000
