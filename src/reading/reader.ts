import type { KeyObject } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { heavyBytes, longBytes, type JobOptions, type JobThread } from '../core/job-thread.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { collectBefore } from '../core/page-memory.ts'
import { maxBodyBytes } from '../mime/bodies.ts'
import type { ParsedFacts } from '../mime/parse.ts'
import type { MimeStructure } from '../mime/structure.ts'
import type { DkimResult } from '../mime/types.ts'
import type { BlobId, Store } from '../store/store.ts'
import type { jobs, Readings, SignerKey, StoredBodies } from './jobs.ts'
import type { NestedAnswer, NestedRequest } from './nested.ts'
import type { PageOptions } from './page.ts'
import { createKept } from '../core/kept.ts'
import type { JobQueue } from '../core/job-queue.ts'
import { loadBlob } from './load-blob.ts'
import { createReadingTurns, type ReadingTurns } from './turns.ts'

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
  /** The same of the bytes of a message, for background work. Do not use them afterwards. Errors as for `facts`. */
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
  /** The MIME structure of a message. The latest structures are cached. Null and errors as for `facts`. */
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
  whole<T>(bytes: number, read: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The same for work that holds the bodies of mails and may take longer than reading them. Reads do not wait for it. */
  withWhole<T>(bytes: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The queue of the reads of large messages, for other work that needs much memory. */
  readonly large: JobQueue
  /** The same for work outside of the thread, which is ended first, because it keeps the memory of its last message. */
  readonly beside: JobQueue
  /** Ends the thread if a mail of this size is large and no reading runs in it. Call it after reading the mail. */
  rest(bytes: number): Promise<void>
}

/** How long a call may wait, and when it is ended. */
export interface Patience {
  /** Waits without a time limit; for background work. Default: false. */
  isPatient?: boolean
  /** Default: the call is never ended. */
  signal?: AbortSignal | undefined
}

export interface ReaderDeps {
  store: Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>
  clock: Pick<Clock, 'after'>
  /** Where large messages are read. */
  thread: JobThread<typeof jobs>
  /** The queues shared with the readers of other accounts, to limit the memory of all together. Default: new queues. */
  turns?: ReadingTurns
}

export function createReader(deps: ReaderDeps): Reader {
  const { store, thread, turns = createReadingTurns(deps.clock) } = deps
  const { small, large } = turns
  const shared = createSharedWork()
  const structures = createKept<MimeStructure>(maxStructures, () => 1)
  const kept = turns.kept.forReader()

  /** Keeps a reading of a long blob, whose bytes never change. @param leastBytes  As for `OwnReadings.take`. */
  async function keeping<T>(
    key: string,
    blob: BlobId,
    read: () => Promise<T | null>,
    leastBytes?: (reading: T) => number,
  ): Promise<T | null> {
    const size = await store.blobSize(blob)
    return size !== null && size > longBytes ? kept.take(`${key} ${blob}`, read, leastBytes) : read()
  }

  async function bytes<T>(
    blob: BlobId,
    work: (found: Buffer) => Promise<T>,
    { patienceMs = defaultPatienceMs, signal }: JobOptions,
  ): Promise<T | null> {
    const size = await store.blobSize(blob)
    if (size === null) return null
    return inTurn(size, patienceMs, signal, async () => {
      const found = await loadBlob(store, blob, signal, size)
      signal?.throwIfAborted()
      return found && work(found)
    })
  }

  function inTurn<T>(
    size: number,
    patienceMs: number,
    signal: AbortSignal | undefined,
    job: () => Promise<T>,
  ): Promise<T> {
    const work = async (): Promise<T> => {
      collectBefore(size)
      // The thread keeps the memory of its last message.
      if (size > heavyBytes) await thread.rest()
      return job()
    }
    return (size > largeMailBytes ? large : small).run(work, patienceMs, signal)
  }

  function inThread<T>(
    blob: BlobId,
    run: (found: Buffer, options: JobOptions) => Promise<T>,
    { isPatient = false, signal }: Patience,
  ): Promise<T | null> {
    const options = { signal, patienceMs: isPatient ? Number.POSITIVE_INFINITY : defaultPatienceMs }
    return bytes(blob, (found) => run(found, { ...options, size: found.length }), options)
  }

  /** Shares a reading, but not that of background work, which reads each mail once. */
  function share<T>(key: string, read: (patience: Patience) => Promise<T>, patience: Patience): Promise<T> {
    return patience.isPatient
      ? read(patience)
      : shared.run(key, (signal) => read({ signal }), patience.signal)
  }

  function read<Kind extends OfOneBlob>(
    kind: Kind,
    blob: BlobId,
    patience: Patience,
  ): Promise<Readings[Kind] | null> {
    const run = (found: Buffer, options: JobOptions): Promise<Readings[OfOneBlob]> =>
      thread.run<OfOneBlob>(kind, [found], options)
    return share(`${kind} ${blob}`, (own) => inThread(blob, run, own), patience) as Promise<
      Readings[Kind] | null
    >
  }

  function content(blob: BlobId, most: number, patience: Patience): Promise<Readings['content'] | null> {
    const run = (found: Buffer, options: JobOptions): Promise<Readings['content']> =>
      thread.run('content', [found, most], options)
    return share(`content ${most} ${blob}`, (own) => inThread(blob, run, own), patience)
  }

  async function page(
    blobs: { message: BlobId | null; content: BlobId | null },
    options: PageOptions,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const sizeOf = async (blob: BlobId | null): Promise<number> => (blob && (await store.blobSize(blob))) ?? 0
    const size = (await sizeOf(blobs.message)) + (await sizeOf(blobs.content))
    return inTurn(size, defaultPatienceMs, signal, async () => {
      // The beginning of the stored HTML first, so that all of it is not in memory together with the message.
      const json = blobs.content && (await loadBlob(store, blobs.content, signal))
      const sent = json && (await thread.run('content', [json, maxBodyBytes], { size: json.length, signal }))
      const message = blobs.message && (await loadBlob(store, blobs.message, signal))
      return thread.run('page', [message, sent?.html ?? null, options], { size, signal })
    })
  }

  return {
    mail: (blob, signal) => keeping('mail', blob, () => read('mail', blob, { signal }), lengthOfBodies),
    facts: (blob, signal) => keeping('facts', blob, () => read('facts', blob, { signal })),
    fields: (blob, signal) => read('fields', blob, { signal }),
    bodies: (blob, signal) => read('bodies', blob, { signal }),
    digest: (blob, patience = {}) => read('digest', blob, patience),
    digestOf: (message) =>
      thread.run('digest', [message], { size: message.length, patienceMs: Number.POSITIVE_INFINITY }),
    content: (blob, signal) => content(blob, Number.POSITIVE_INFINITY, { signal }),
    shownContent: (blob, signal) =>
      keeping('shown', blob, () => content(blob, maxBodyBytes, { signal }), lengthOfBodies),
    contentText: (blob, patience = {}) => read('contentText', blob, patience),
    page: (blobs, options, caller) =>
      shared.run(
        `page ${JSON.stringify([blobs, options])}`,
        (signal) => page(blobs, options, signal),
        caller,
      ),
    nested: (blob, path, request, signal) =>
      inThread(blob, (found, options) => thread.run('nested', [found, path, request], options), { signal }),
    async findings({ subject, html, text }, blob, signal) {
      const find = (): Promise<Readings['findings']> =>
        thread.run('findings', [{ subject, html, text }], { size: html.length + text.length, signal })
      return (blob && (await keeping('findings', blob, find))) ?? find()
    },
    async signatures(blob, keys, nowMs, signal) {
      const verify = (): Promise<Readings['signatures'] | null> =>
        inThread(blob, (found, options) => thread.run('signatures', [found, keys, nowMs], options), {
          signal,
        })
      const known = keys.map(({ domain, selector, key }) => [domain, selector, fingerprintOf(key)])
      const unlessTimed = ({ isTimed }: Readings['signatures']): number =>
        isTimed ? Number.POSITIVE_INFINITY : 0
      const found = await keeping(`signatures ${JSON.stringify(known)}`, blob, verify, unlessTimed)
      return found && found.dkim
    },
    async structure(blob, signal) {
      const known = structures.get(blob)
      const structure = known ?? (await read('structure', blob, { signal }))
      if (structure && !known) structures.put(blob, structure)
      return structure
    },
    bytes: (blob, work, signal) => bytes(blob, work, { signal }),
    whole: (size, work, signal) =>
      size > largeMailBytes ? turns.whole.run(work, wholePatienceMs, signal) : work(),
    withWhole: (size, work, signal) =>
      size > largeMailBytes ? turns.withWhole.run(work, wholePatienceMs, signal) : work(),
    large,
    beside: {
      run: (job, patienceMs, signal) => large.run(() => thread.rest().then(job), patienceMs, signal),
    },
    rest: (size) => (size > largeMailBytes ? thread.rest() : Promise.resolve()),
  }
}

/** A character takes at least one byte. */
function lengthOfBodies({ html, text }: StoredBodies): number {
  return html.length + text.length
}

function fingerprintOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}

type OfOneBlob = Exclude<keyof Readings, 'content' | 'page' | 'nested' | 'findings' | 'signatures'>

/** Mails that are larger, in bytes, are read and written one at a time. */
export const largeMailBytes: number = 1024 * 1024
const defaultPatienceMs = 15_000
/** Longer, because each job in this queue waits for several reads. */
const wholePatienceMs = 60_000
const maxStructures = 20
