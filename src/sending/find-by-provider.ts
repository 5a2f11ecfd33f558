import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { pagesOf } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { providerKey } from './record.ts'
import { scheduledCollection, type ScheduledRecord } from './scheduled.ts'

/** The emails that one id of a provider names. */
export interface Found {
  emails: EmailRecord[]
  /** Those that are not sent yet. */
  scheduled: ScheduledRecord[]
}

/** Finds the emails whose provider gave this id in its answer, in order; null if there is none. */
export async function findByProvider(store: Store, name: string, message_id: string): Promise<Found | null> {
  const query = { index: 'provider', prefix: [providerKey({ name, message_id })], limit: 500 }
  // First those that wait: one that is sent meanwhile is found twice rather than not at all.
  const scheduled: ScheduledRecord[] = []
  for await (const records of pagesOf(store, scheduledCollection, query)) scheduled.push(...records)
  const emails: EmailRecord[] = []
  for await (const records of pagesOf(store, emailCollection, query)) emails.push(...records)
  return emails.length > 0 || scheduled.length > 0 ? { emails, scheduled } : null
}
