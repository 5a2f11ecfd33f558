import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { insert, remove, type Blob, type BlobWriter, type Store } from '../store/store.ts'
import { toSentEmail } from './record.ts'
import { scheduledCollection, type ScheduledRecord } from './scheduled.ts'

/** What {@link commitScheduled} needs. */
export interface CommitDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** Called with each email that was sent. Default: not called. */
  onStored?: ((email: EmailRecord) => void) | undefined
}

/** A scheduled email whose bytes were read, to be stored with the email that it becomes. */
export interface Prepared {
  record: ScheduledRecord
  blobs: { name: string; blob: Blob }[]
  discard(): Promise<void>
}

/** Copies the bytes of a scheduled email. @param temporary  A unique name for its blobs until they are committed. */
export async function prepareScheduled(
  store: Store,
  record: ScheduledRecord,
  temporary: string,
): Promise<Prepared> {
  const writers: BlobWriter[] = []
  const discard = async (): Promise<void> => {
    for (const writer of writers) await writer.discard()
  }
  const blobs: Prepared['blobs'] = []
  try {
    for (const name of await store.blobNames(scheduledCollection, record.id)) {
      const stream = await store.openBlob(`${record.id}/${name}`)
      // Removed meanwhile: then the commit is refused.
      if (!stream) continue
      const writer = store.createBlob(`${temporary}/${name}`)
      writers.push(writer)
      for await (const piece of stream as AsyncIterable<Buffer>) await writer.write(piece)
      blobs.push({ name, blob: await writer.finish() })
    }
  } catch (error) {
    await discard()
    throw error
  }
  return { record, blobs, discard }
}

/**
 * Replaces a scheduled email by an email, in one commit.
 *
 * @returns The id of the email; null if the scheduled email was sent, changed or cancelled meanwhile.
 */
export async function commitScheduled(
  { record, blobs }: Prepared,
  { store, clock, ids, onStored }: CommitDeps,
): Promise<string | null> {
  // Ids define the order of the list: nothing may be awaited between the id and the commit, or a page could miss a mail.
  const id = ids.next('em')
  const email = toSentEmail(record, id, clock.now())
  const changes = [remove(scheduledCollection, record.id, record.version), insert(emailCollection, email)]
  const own = blobs.map(({ name, blob }): Blob => ({ ...blob, id: `${id}/${name}` }))
  try {
    await store.commit(changes, own)
    onStored?.(email)
    return id
  } catch (error) {
    if (isErrorOf(error, 'version_conflict')) return null
    throw error
  }
}
