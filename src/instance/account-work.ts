import type { AccountRecord } from '../accounts/account.ts'
import { domainCollection } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import type { Config } from '../options/options.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import type { Store } from '../store/store.ts'
import { webhookDeliveryCollection } from '../webhooks/webhook.ts'

/** When an account has work of its own to do, which it does only while it is open. */
interface AccountWork {
  /** Whether something is under way or due: sends, deliveries of webhooks, emails to delete, domains to look up. */
  isNow: boolean
  /** When the next email is too old, or a scheduled one is sent; null: none will be. */
  nextAt: number | null
}

/** Finds out from what is stored, so that an account need not be open for it. */
export async function findWork(
  store: Store,
  { max_emails, max_age_ms }: Pick<AccountRecord, 'max_emails' | 'max_age_ms'>,
  { clock, maxEmails, maxAgeMs, verifyIntervalMs }: Config,
): Promise<AccountWork> {
  const most = max_emails ?? maxEmails ?? Number.POSITIVE_INFINITY
  const ageMs = max_age_ms ?? maxAgeMs
  const isWaiting =
    (await store.count(emailCollection, { index: 'outbox' })) > 0 ||
    (await store.count(webhookDeliveryCollection, { index: 'due' })) > 0 ||
    (await store.count(emailCollection)) > most ||
    (verifyIntervalMs !== null && (await store.count(domainCollection)) > 0)
  if (isWaiting) return { isNow: true, nextAt: null }
  const next = await store.page(scheduledCollection, { index: 'send_at', limit: 1 })
  const { records } = ageMs === null ? { records: [] } : await store.page(emailCollection, { limit: 1 })
  const times = [
    ...next.records.map(({ send_at }) => send_at),
    ...records.map(({ created }) => created + (ageMs ?? 0)),
  ]
  if (times.length === 0) return { isNow: false, nextAt: null }
  const nextAt = Math.min(...times)
  return { isNow: nextAt <= clock.now(), nextAt }
}
