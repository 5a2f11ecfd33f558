/**
 * Makes a buffer for many bytes that are needed for a short time. Its memory is taken from the system in pages, and goes
 * back to the system when the buffer is collected. Memory of `Buffer.allocUnsafeSlow` goes back to the C library, which
 * keeps freed blocks between blocks in use: after a few large sends it kept as much memory as the sends had used.
 *
 * @param bytes  How many; all are zero.
 */
export function pageBuffer(bytes: number): Buffer<ArrayBuffer> {
  // V8 allocates only resizable buffers in pages. This one is never resized.
  return Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }))
}

/**
 * Makes V8 start an incremental garbage collection before work on many bytes. Otherwise V8 keeps the texts of the last
 * large mail until its heap is several times as large as what is in use.
 *
 * @param bytes  The size of the work. Below 8 MiB nothing is done, because a collection would cost more than the work.
 */
export function collectBefore(bytes: number): void {
  if (bytes < worthwhileBytes) return
  try {
    // V8 starts one after 64 MiB were allocated outside of its heap. Pages that are never written to take no memory.
    pageBuffer(2 * 64 * 1024 * 1024)
  } catch {
    // The system may refuse so much address space.
  }
}

const worthwhileBytes = 8 * 1024 * 1024
