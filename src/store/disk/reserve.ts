import { randomFillSync } from 'node:crypto'
import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { type Files, isShared, writeWhole } from '../../core/files.ts'
import { monotonicNow } from '../../core/machine.ts'
import type { Paths } from './paths.ts'

/** Disk space that new mail cannot use, so that removing mail and cleaning up still work when the disk is full. */
export interface Reserve {
  /** Whether the reserved space was given up. New mail is refused then. */
  readonly isOpen: boolean
  /** Why new mail is refused; null while the reserved space is there. */
  readonly refusal: LocalpostError | null
  /** Runs work that frees space. If the disk is full, gives up the reserved space and runs the work again. */
  spend<T>(run: () => Promise<T>): Promise<T>
  /** Reserves the space again if the disk has enough. Never rejects. */
  refill(): Promise<void>
  /** @throws store_full while the reserved space is given up. */
  assertWhole(): void
}

export interface ReserveDeps {
  readonly files: Files
  readonly paths: Paths
  /** Size of the reserve; 0 for none. */
  readonly bytes: number
  readonly onNotice: (text: string) => void
}

/** Default size of the reserve. */
export const defaultReserveBytes: number = 4 * 1024 * 1024

/**
 * @param isOpen  Whether the start itself already needed the reserved space.
 */
export function createReserve({ files, paths, bytes, onNotice }: ReserveDeps, isOpen: boolean): Reserve {
  let open = isOpen
  let triedAt = 0
  let filling: Promise<void> | null = null

  async function release(): Promise<boolean> {
    await filling
    if (!(await releaseReserve(files, paths))) return false
    if (!open)
      onNotice(
        `The disk of ${paths.folder} is full. New mail is refused until there is room; removing mail still works.`,
      )
    open = true
    return true
  }

  async function fill(): Promise<void> {
    try {
      // The space of a file that another folder shares cannot be given up here.
      const size = isShared(files, paths.reserve) ? null : await files.size(paths.reserve)
      if ((size ?? 0) < bytes) {
        const free = await files.freeBytes(paths.folder)
        // The space of a file that is too short was given up, perhaps by an earlier run. A new folder has no file.
        if (size !== null || free < bytes) open = true
        // Do not take the last free space of the disk: other programs write to it too.
        if (free < 2 * bytes) return
        await writeReserve(files, paths.reserve, bytes)
      }
      if (open) onNotice(`The disk of ${paths.folder} has room again. New mail is accepted.`)
      open = false
    } catch {
      // Another program took the space meanwhile. A later call tries again.
      await giveUp(files, paths.reserve).catch(() => {})
    }
  }

  const refusal = (): LocalpostError => {
    const message = `The disk of ${paths.folder} is full; the remaining space is reserved for removing mail. Free some space or remove mail, then send it again. Nothing was stored.`
    return new LocalpostError('store_full', message)
  }

  const refill = async (): Promise<void> => {
    if (bytes > 0) await (filling ??= fill().finally(() => (filling = null)))
  }

  return {
    get isOpen() {
      return open
    },
    get refusal() {
      return open ? refusal() : null
    },
    async spend(run) {
      try {
        return await run()
      } catch (error) {
        if (!isErrorOf(error, 'store_full') || !(await release())) throw error
        return await run()
      }
    },
    refill,
    assertWhole() {
      if (!open) return
      const now = monotonicNow()
      if (now - triedAt > retryMs) {
        triedAt = now
        void refill()
      }
      throw refusal()
    },
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
  const fd = await files.open(path, 'r+')
  try {
    await files.truncate(fd, 0)
    return true
  } finally {
    await files.close(fd)
  }
}

async function writeReserve(files: Files, path: string, size: number): Promise<void> {
  // Random bytes, because a file system with compression would not allocate space for zeros.
  const piece = randomFillSync(Buffer.allocUnsafe(Math.min(size, pieceBytes)))
  const fd = await files.open(path, 'w')
  try {
    for (let at = 0; at < size; at += piece.byteLength)
      await writeWhole(files, fd, piece.subarray(0, size - at), at)
  } finally {
    await files.close(fd)
  }
}

const pieceBytes = 1024 * 1024
const retryMs = 1000
