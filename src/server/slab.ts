/** Keeps copies of many small byte arrays for some time. */
export interface Slab {
  /** @returns The copy; its memory is freed when all copies in the same buffer are unused. */
  put(bytes: Uint8Array): Buffer
}

/**
 * Makes a slab of a few large buffers outside the heap. In the heap, the garbage collector would copy the bodies
 * around: with a thousand of them, that was a tenth of the cost of a request.
 *
 * @param boardBytes  How much one board takes; a larger piece has a board of its own.
 */
export function createSlab(boardBytes: number = 256 * 1024): Slab {
  let board = Buffer.alloc(0)
  let taken = 0
  return {
    put(bytes) {
      if (taken + bytes.byteLength > board.byteLength) {
        board = Buffer.allocUnsafeSlow(Math.max(boardBytes, bytes.byteLength))
        taken = 0
      }
      board.set(bytes, taken)
      taken += bytes.byteLength
      return board.subarray(taken - bytes.byteLength, taken)
    },
  }
}
