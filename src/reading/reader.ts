import type { JobQueue } from '../core/job-queue.ts'
import type { ParsedFacts } from '../mime/parse.ts'
import type { MimeStructure } from '../mime/structure.ts'
import type { DkimResult } from '../mime/types.ts'
import type { BlobId } from '../store/store.ts'
import type { Readings, SignerKey, StoredBodies } from './jobs.ts'
import type { NestedAnswer, NestedRequest } from './nested.ts'
import type { PageOptions } from './page.ts'

/**
 * Reads and parses stored messages. To limit memory, it reads at most one large message (over 1 MiB) and eight others at
 * the same time; the rest wait. Callers that ask for the same reading of the same message share it. Messages of more than
 * 128 KiB are parsed in the worker thread, and what the detail of a mail shows of them is kept for a while, because people and
 * tests look at the same mail again.
 *
 * Methods that read take the signal of their caller. If it aborts while the call waits, the work never starts. If it aborts
 * during the work, the work ends, unless other callers share it.
 */
export interface Reader {
  /**
   * The parsed message without its bodies; null if it does not exist.
   *
   * @throws service_unavailable when the request waited too long, or too many wait; the signal's reason.
   */
  facts(blob: BlobId, signal?: AbortSignal): Promise<ParsedFacts | null>
  /** The parsed message with its links and codes. Null and errors as for `facts`. */
  mail(blob: BlobId, signal?: AbortSignal): Promise<Readings['mail'] | null>
  /** The header fields and the names of attachments. Null and errors as for `facts`. */
  fields(blob: BlobId, signal?: AbortSignal): Promise<Readings['fields'] | null>
  /** Only the bodies. Null and errors as for `facts`. */
  bodies(blob: BlobId, signal?: AbortSignal): Promise<Readings['bodies'] | null>
  /** What lists show and searches look at. Null and errors as for `facts`. */
  digest(blob: BlobId, patience?: Patience): Promise<Readings['digest'] | null>
  /**
   * What lists show of a message, and searches look at, for background work. Errors as for `facts`.
   *
   * @param message  Its bytes. They are transferred to the thread: do not use them afterwards.
   */
  digestOf(message: Buffer): Promise<Readings['digest']>
  /** The stored bodies of an API send, whole. Null and errors as for `facts`. */
  content(blob: BlobId, signal?: AbortSignal): Promise<StoredBodies | null>
  /** The stored bodies of an API send, cut to the length at which the inbox also cuts the body of a message. */
  shownContent(blob: BlobId, signal?: AbortSignal): Promise<(StoredBodies & { isCut: boolean }) | null>
  /** The text of an API send that searches look at. Null and errors as for `facts`. */
  contentText(blob: BlobId, patience?: Patience): Promise<Readings['contentText'] | null>
  /** The HTML of a mail as UTF-8; see {@link readPage}. Errors as for `facts`. */
  page(
    blobs: { message: BlobId | null; content: BlobId | null },
    options: PageOptions,
    signal?: AbortSignal,
  ): Promise<Uint8Array>
  /** A message that is attached to a message; see `readNested`. Null and errors as for `facts`. */
  nested(
    blob: BlobId,
    path: readonly number[],
    request: NestedRequest,
    signal?: AbortSignal,
  ): Promise<NestedAnswer | null>
  /**
   * The links and codes in the bodies of a mail.
   *
   * @param blob  What the bodies were read from; null if they were not.
   * @throws service_unavailable; the signal's reason.
   */
  findings(
    mail: { subject: string; html: string; text: string },
    blob: BlobId | null,
    signal?: AbortSignal,
  ): Promise<Readings['findings']>
  /**
   * Verifies the DKIM signatures of a message; see `verifyDkim`. Null and errors as for `facts`.
   *
   * @param nowMs  Unix time in milliseconds.
   */
  signatures(
    blob: BlobId,
    keys: readonly SignerKey[],
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<DkimResult | null>
  /** The MIME structure of a message. Null and errors as for `facts`. */
  structure(blob: BlobId, signal?: AbortSignal): Promise<MimeStructure | null>
  /** Calls `work` with the bytes of a message. Do not keep the bytes after it. Null and errors as for `facts`. */
  bytes<T>(blob: BlobId, work: (bytes: Buffer) => Promise<T>, signal?: AbortSignal): Promise<T | null>
  /**
   * Reads a whole mail with its bodies; large mails one at a time.
   *
   * @param bytes  The size of the mail.
   * @param read  May call the other methods. It must watch the signal and end when it aborts.
   * @throws service_unavailable when it waited too long, or too many wait; the signal's reason; what `read` throws.
   */
  readWhole<T>(bytes: number, read: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * Works with the bodies of whole mails, which may take longer than reading them; large mails one at a time. Reads do not
   * wait for it.
   *
   * @param bytes  The size of the mails together.
   * @throws As for `readWhole`.
   */
  workOnWhole<T>(bytes: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The queue of the reads of large messages, for other work that needs much memory. */
  readonly large: JobQueue
  /**
   * The queue for memory-heavy work outside the thread: that of `large`. The thread is ended first, because it keeps the memory
   * of its last message.
   */
  readonly outsideThread: JobQueue
  /** Ends the thread if a mail of this size is large and no reading runs in it. Call it after reading the mail. */
  restAfterMail(bytes: number): Promise<void>
}

/** How long a call may wait, and when it is ended. */
export interface Patience {
  /** Waits without a time limit; for background work. Default: false. */
  isPatient?: boolean
  /** Default: the call is never ended. */
  signal?: AbortSignal | undefined
}

/** Mails that are larger, in bytes, are read and written one at a time. */
export const largeMailBytes: number = 1024 * 1024
