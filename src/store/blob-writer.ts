import type { Budget } from '../budget.ts'
import { misuse } from './faults.ts'
import type { Blob, BlobId, BlobWriter } from './store.ts'

/** A file that takes a large blob's bytes one after the other. */
export interface Spool {
  write(bytes: Uint8Array): Promise<void>
  /** Closes the file. @returns the handle that a commit takes. */
  finish(): Promise<unknown>
  /** Removes the file, unless a commit took it. */
  discard(): Promise<void>
}

/**
 * A blob writer that holds what is small and gives the rest to a spool.
 *
 * @param heldBytes  Up to this many bytes are held in memory, if all writers together have room for them.
 * @param room  What all writers together hold.
 */
export function createBlobWriter(
  id: BlobId,
  heldBytes: number,
  room: Budget,
  openSpool: () => Promise<Spool>,
): BlobWriter {
  let size = 0
  let parts: Uint8Array[] = []
  let held = 0
  /** How much of it is counted in `room`. */
  let counted = 0
  let spool: Promise<Spool> | null = null
  let ended = false
  let failed: Promise<void> | null = null
  /** The write that runs: the file must not be closed under it. */
  let flushing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    const pieces = parts
    parts = []
    held = 0
    spool ??= openSpool()
    try {
      const [first] = pieces
      await (await spool).write(pieces.length === 1 && first ? first : Buffer.concat(pieces))
    } finally {
      uncount()
    }
  }

  function uncount(): void {
    room.give(counted)
    counted = 0
  }

  return {
    get size() {
      return size
    },
    write(piece) {
      if (ended) throw misuse(`The blob ${id} is finished and takes no more bytes.`)
      if (failed) return failed
      parts.push(piece)
      held += piece.byteLength
      size += piece.byteLength
      if (held <= heldBytes && room.take(piece.byteLength)) {
        counted += piece.byteLength
        return undefined
      }
      const flushed = flush()
      flushing = flushed.catch(() => {
        failed = flushed
      })
      return flushed
    },
    async finish(): Promise<Blob> {
      ended = true
      await flushing
      if (failed) await failed
      if (!spool) {
        // From here on they count as what waits to be stored.
        uncount()
        return { id, size, parts }
      }
      if (held > 0) await flush()
      return { id, size, spooled: await (await spool).finish() }
    },
    async discard() {
      ended = true
      await flushing
      parts = []
      held = 0
      uncount()
      // A spool that could not be opened left nothing behind.
      const opened = await spool?.catch(() => null)
      await opened?.discard()
    },
  }
}
