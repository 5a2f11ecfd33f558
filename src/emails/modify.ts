import { untilCommitted } from '../store/repository.ts'
import { update, type Blob, type Store } from '../store/store.ts'
import { emailCollection, type EmailRecord } from './email.ts'

/**
 * Changes one stored email, and repeats the change on the newest version if another commit was first.
 *
 * @param change  Makes the new record of the stored one, without side effects; null leaves it as it is.
 * @param blobs  Blobs to store with the change.
 * @returns The email as stored now; null if it was removed.
 */
export async function modifyEmail(
  store: Store,
  id: string,
  change: (email: EmailRecord) => EmailRecord | null,
  blobs: readonly Blob[] = [],
): Promise<EmailRecord | null> {
  return untilCommitted(async () => {
    const email = await store.get(emailCollection, id)
    if (!email) return null
    const changed = change(email)
    if (!changed) return email
    await store.commit([update(emailCollection, changed)], blobs)
    return { ...changed, version: email.version + 1 }
  })
}
