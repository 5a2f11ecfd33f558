import type { BlobId } from './names.ts'

/** A part of the bytes, from `start` up to but without `end`. Default: from the beginning, to the end. */
export interface ByteRange {
  readonly start?: number
  readonly end?: number
}

/** Bytes for a commit: in memory, or already written by a {@link BlobWriter}. */
export interface Blob {
  readonly id: BlobId
  readonly size: number
  /** The bytes in pieces, if they are in memory. The store owns them after the commit. */
  readonly parts?: readonly Uint8Array[]
  /** The adapter's own handle, if the bytes are in a spool file. */
  readonly spooled?: unknown
}

/** Receives the bytes of one blob. Small blobs are kept in memory, large ones are written to the medium at once. */
export interface BlobWriter {
  readonly size: number
  /** Adds a piece, which the writer then owns. If it returns a promise, wait for it before the next piece. */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * Returns the blob for `commit`; without a promise if the bytes are in memory. A blob that is never committed is removed
   * by `discard` or at the next start.
   */
  finish(): Blob | Promise<Blob>
  /** Discards the bytes. Has no effect after a successful commit. */
  discard(): Promise<void>
}
