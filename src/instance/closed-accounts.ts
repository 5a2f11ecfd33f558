import type { AccountRecord } from '../accounts/account.ts'
import { domainCollection } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import type { Config } from '../options/options.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import type { Store } from '../store/store.ts'
import { webhookDeliveryCollection } from '../webhooks/webhook.ts'
import type { Clock } from '../core/clock.ts'
import type { InnerAccounts } from '../accounts/accounts.ts'
import type { ForeignMail } from '../inbox/missing-facts.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'

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

/** Remembers when closed accounts have work to do, and wakes them. */
export class AccountWakes {
  readonly #clock: Clock
  readonly #wake: (id: string) => void
  readonly #times = new Map<string, number>()
  #cancelTimer = (): void => {}
  #timerAt = Number.POSITIVE_INFINITY
  #isClosed = false

  /** @param wake  Called with the id of an account when its time has come. */
  constructor(clock: Clock, wake: (id: string) => void) {
    this.#clock = clock
    this.#wake = wake
  }

  /** @param at  null: never. */
  plan(id: string, at: number | null): void {
    this.#times.delete(id)
    if (at === null) return
    this.#times.set(id, at)
    this.#wakeAt(at)
  }

  forget(id: string): void {
    this.#times.delete(id)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  #wakeAt(at: number): void {
    if (this.#isClosed || at >= this.#timerAt) return
    this.#cancelTimer()
    this.#timerAt = at
    // The clock may be set in the meantime, so no timer runs longer than an hour.
    const waitMs = Math.min(Math.max(at - this.#clock.now(), shortestWaitMs), longestWaitMs)
    this.#cancelTimer = this.#clock.after(waitMs, () => this.#wakeDue())
  }

  #wakeDue(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = this.#clock.now()
    for (const [id, at] of this.#times) {
      if (at > now) continue
      this.#times.delete(id)
      this.#wake(id)
    }
    this.#wakeAt(Math.min(...this.#times.values()))
  }
}

const shortestWaitMs = 50
const longestWaitMs = 60 * 60 * 1000

/** How many emails an account has. */
export async function countsOf(store: Store): Promise<{ emails: number; unread: number }> {
  const [emails, unread] = await Promise.all([
    store.count(emailCollection),
    store.count(emailCollection, { where: { flag: 'unread' } }),
  ])
  return { emails, unread }
}

/** The newest mail for a recipient since a time, of each account that has some. */
export async function findForeignMail(
  accounts: Pick<InnerAccounts, 'ids' | 'byId'>,
  stored: Pick<PartitionedStore, 'partition'>,
  isWanted: (address: string) => boolean,
  since: number,
): Promise<ForeignMail[]> {
  const found: ForeignMail[] = []
  for (const id of accounts.ids().slice(0, mostSearched)) {
    const account = accounts.byId(id)
    if (!account) continue
    const page = await stored.partition(id).page(emailCollection, { direction: 'desc', limit: mostCompared })
    const mail = page.records.find(
      ({ created, envelope }) => created >= since && envelope.rcpt_to.some(isWanted),
    )
    if (mail) found.push({ account: account.name, id: mail.id, time: mail.created })
  }
  return found
}

/** How many accounts are looked at for a missing mail, and how many of the newest mails of each. */
const mostSearched = 200
const mostCompared = 100
