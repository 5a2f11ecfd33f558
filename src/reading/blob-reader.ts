import type { KeyObject } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { longBytes, type JobOptions, type JobThread } from '../core/job-thread.ts'
import { createRecentValues } from '../core/recent-values.ts'
import { createSharedWork } from '../core/shared-work.ts'
import { maxBodyBytes } from '../mime/bodies.ts'
import type { MimeStructure } from '../mime/structure.ts'
import type { BlobId, Store } from '../store/store.ts'
import type { readingJobs, Readings, StoredBodies } from './jobs.ts'
import type { PageOptions } from './page.ts'
import { longestKept } from './kept.ts'
import { loadBlob } from './load-blob.ts'
import { createReadQueues, createReadingTurns, defaultPatienceMs, type ReadingTurns } from './turns.ts'
import type { Patience, Reader } from './reader.ts'

export interface ReaderDeps {
  store: Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>
  clock: Pick<Clock, 'after'>
  /** Where large messages are read. */
  thread: JobThread<typeof readingJobs>
  /** The queues shared with the readers of other accounts, to limit the memory of all together. Default: new queues. */
  turns?: ReadingTurns
}

/** Creates a reader of the blobs of a store. */
export function createReader(deps: ReaderDeps): Reader {
  const { store, thread, turns = createReadingTurns(deps.clock) } = deps
  const { inTurn, bytes, ...queued } = createReadQueues({ store, thread, turns })
  const shared = createSharedWork()
  const structures = createRecentValues<MimeStructure>(maxStructures, () => 1)
  const readOrKept = turns.kept.forReader()

  /** Keeps a reading of a long blob, whose bytes never change. @param mayKeep  As for `ReadOrKept`. */
  async function keptIfLong<T>(
    key: string,
    blob: BlobId,
    read: () => Promise<T | null>,
    mayKeep?: (reading: T) => boolean,
  ): Promise<T | null> {
    const size = await store.blobSize(blob)
    return size !== null && size > longBytes ? readOrKept(`${key} ${blob}`, read, mayKeep) : read()
  }

  function inThread<T>(
    blob: BlobId,
    run: (found: Buffer, options: JobOptions) => Promise<T>,
    { isPatient = false, signal }: Patience,
  ): Promise<T | null> {
    const options = { signal, patienceMs: isPatient ? Number.POSITIVE_INFINITY : defaultPatienceMs }
    return bytes(blob, options, (found) => run(found, { ...options, size: found.length }))
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
    // `kind` is a union, so TypeScript does not know that the result is that of this kind: hence the cast below.
    const run = (found: Buffer, options: JobOptions): Promise<Readings[OfOneBlob]> =>
      thread.run<OfOneBlob>(kind, [found], options)
    return share(`${kind} ${blob}`, (waiting) => inThread(blob, run, waiting), patience) as Promise<
      Readings[Kind] | null
    >
  }

  function content(blob: BlobId, most: number, patience: Patience): Promise<Readings['content'] | null> {
    const run = (found: Buffer, options: JobOptions): Promise<Readings['content']> =>
      thread.run('content', [found, most], options)
    return share(`content ${most} ${blob}`, (waiting) => inThread(blob, run, waiting), patience)
  }

  async function page(
    blobs: { message: BlobId | null; content: BlobId | null },
    options: PageOptions,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const sizeOf = async (blob: BlobId | null): Promise<number> => (blob && (await store.blobSize(blob))) ?? 0
    const size = (await sizeOf(blobs.message)) + (await sizeOf(blobs.content))
    return inTurn(size, { signal }, async () => {
      // The beginning of the stored HTML first, so that all of it is not in memory together with the message.
      const json = blobs.content && (await loadBlob(store, blobs.content, { signal }))
      const sent = json && (await thread.run('content', [json, maxBodyBytes], { size: json.length, signal }))
      const message = blobs.message && (await loadBlob(store, blobs.message, { signal }))
      return thread.run('page', [message, sent?.html ?? null, options], { size, signal })
    })
  }

  // Which layers each reading of the methods below passes, from the outside in: kept (an earlier reading is given again; only of
  // long blobs), shared (with other callers, unless it is patient), queue (its turn to hold the bytes), thread (large ones are
  // parsed there).
  //
  //                                       kept           shared   queue   thread
  //   mail, shownContent                  if short       yes      yes     yes
  //   facts                               yes            yes      yes     yes
  //   structure                           the last 20    yes      yes     yes
  //   fields, bodies, digest, content,
  //   contentText                         -              yes      yes     yes
  //   page                                -              yes      once    for each blob
  //   signatures                          if not timed   -        yes     yes
  //   nested                              -              -        yes     yes
  //   findings                            with a blob    -        -       yes
  //   digestOf                            -              -        -       yes
  //   bytes                               -              -        yes     -
  return {
    mail: (blob, signal) => keptIfLong('mail', blob, () => read('mail', blob, { signal }), areShort),
    facts: (blob, signal) => keptIfLong('facts', blob, () => read('facts', blob, { signal })),
    fields: (blob, signal) => read('fields', blob, { signal }),
    bodies: (blob, signal) => read('bodies', blob, { signal }),
    digest: (blob, patience = {}) => read('digest', blob, patience),
    digestOf: (message) =>
      thread.run('digest', [message], { size: message.length, patienceMs: Number.POSITIVE_INFINITY }),
    content: (blob, signal) => content(blob, Number.POSITIVE_INFINITY, { signal }),
    shownContent: (blob, signal) =>
      keptIfLong('shown', blob, () => content(blob, maxBodyBytes, { signal }), areShort),
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
      return (blob && (await keptIfLong('findings', blob, find))) ?? find()
    },
    async signatures(blob, keys, nowMs, signal) {
      const verify = (): Promise<Readings['signatures'] | null> =>
        inThread(blob, (found, options) => thread.run('signatures', [found, keys, nowMs], options), {
          signal,
        })
      const known = keys.map(({ domain, selector, key }) => [domain, selector, fingerprintOf(key)])
      const key = `signatures ${JSON.stringify(known)}`
      const found = await keptIfLong(key, blob, verify, ({ isTimed }) => !isTimed)
      return found && found.dkim
    },
    async structure(blob, signal) {
      const existing = structures.get(blob)
      const structure = existing ?? (await read('structure', blob, { signal }))
      if (structure && !existing) structures.put(blob, structure)
      return structure
    },
    bytes: (blob, work, signal) => bytes(blob, { signal }, work),
    ...queued,
  }
}

/** A character takes at least one byte. */
function areShort({ html, text }: StoredBodies): boolean {
  return html.length + text.length <= longestKept
}

function fingerprintOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64')
}

/** The readings that take nothing but the bytes of one blob. */
type OfOneBlob = Exclude<keyof Readings, 'content' | 'page' | 'nested' | 'findings' | 'signatures'>

const maxStructures = 20
