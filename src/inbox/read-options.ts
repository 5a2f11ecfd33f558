import type { Readable } from 'node:stream'

/** Ends a reading. */
export interface ReadOptions {
  /** Ends the reading, also while it waits for others; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Selects the copy of one recipient, where each recipient has its own. */
export interface CopyOptions extends ReadOptions {
  /** The recipient whose copy is wanted, if each recipient has one. Default: the first recipient. */
  recipient?: string
}

/** Selects bytes of a copy. */
export interface RawOptions extends CopyOptions {
  /** Only these bytes: `start` inclusive, `end` exclusive. Default: all. */
  range?: { start: number; end: number }
}

/** An attachment that is being read. */
export interface OpenAttachment {
  filename: string
  content_type: string
  stream: Readable
}
