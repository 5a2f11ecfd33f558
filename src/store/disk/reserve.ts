import { randomFillSync } from 'node:crypto'
import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import { monotonicNow } from '../../core/machine.ts'
import type { Paths } from './paths.ts'

/** Room on the disk that new mail cannot take, so that removing and cleaning up still work when the disk is full. */
export interface Reserve {
  /** Whether its room is in use. New mail is refused then. */
  readonly isOpen: boolean
  /** Runs work that frees space; on a full disk again, with the space of the reserve. */
  spend<T>(run: () => Promise<T>): Promise<T>
  /** Makes it whole where the disk has the room. Never rejects. */
  refill(): Promise<void>
  /** @throws store_full while its room is in use. */
  assertWhole(): void
}

export interface ReserveDeps {
  readonly files: Files
  readonly paths: Paths
  /** How large it is; 0 for none. */
  readonly bytes: number
  readonly onNotice: (text: string) => void
}

/** How much room a store keeps in reserve. */
export const defaultReserveBytes: number = 4 * 1024 * 1024

/**
 * @param isOpen  Whether the start itself needed its room.
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
      if (((await files.size(paths.reserve)) ?? 0) < bytes) {
        const free = await files.freeBytes(paths.folder)
        // What a start finds on a full disk may be what an earlier run did not use up.
        if (free < bytes) open = true
        // Not the last room of the disk: others write to it too.
        if (free < 2 * bytes) return
        await writeReserve(files, paths.reserve, bytes)
      }
      if (open) onNotice(`The disk of ${paths.folder} has room again. New mail is taken.`)
      open = false
    } catch {
      // Others took the room meanwhile. It is tried again.
      await files.remove(paths.reserve).catch(() => {})
    }
  }

  const refill = async (): Promise<void> => {
    if (bytes > 0) await (filling ??= fill().finally(() => (filling = null)))
  }

  return {
    get isOpen() {
      return open
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
      const message = `The disk of ${paths.folder} is full; what is left is kept for removing mail. Free some space or remove mail, then send it again. Nothing was stored.`
      throw new LocalpostError('store_full', message)
    },
  }
}

/** Gives the room of the reserve to the disk. @returns Whether there was any. */
export async function releaseReserve(files: Files, paths: Paths): Promise<boolean> {
  if (!(await files.size(paths.reserve))) return false
  await files.remove(paths.reserve)
  return true
}

async function writeReserve(files: Files, path: string, size: number): Promise<void> {
  // Zeros would take no room where the file system compresses.
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
