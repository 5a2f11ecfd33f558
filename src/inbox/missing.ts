import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isId, timeOfId } from '../core/ids.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { FaultsState } from '../faults/types.ts'
import type { FindRule } from '../rules/rules.ts'
import { addressTest } from '../search/query-fits.ts'
import { assertAfter } from '../search/query-members.ts'
import { parseMailQuery } from '../search/query.ts'
import type { Search } from '../search/search.ts'
import type { ScheduledEmail, Suppression } from '../sending/types.ts'
import type { Store } from '../store/store.ts'
import type { AttemptedRequest, ForeignMail, MissingFacts } from './missing-facts.ts'
import { causesOf } from './missing-causes.ts'
import type { SmtpSessionSummary } from './smtp-session-types.ts'
import type { MissingMail } from './missing-types.ts'

/** The mail that is missing. */
export interface MissingQuery {
  /** A recipient, as in a query: a whole address names one mailbox, other text may be anywhere in it. Default: any. */
  to?: string | undefined
  /** From when on something may have happened: a time, or the id of a mail. Default: an hour ago. */
  since?: Date | string | undefined
  /** Ends the search. */
  signal?: AbortSignal | undefined
}

/** Where the facts come from. Most of it is made after the inbox, or belongs to other parts of the instance. */
export interface MissingSources {
  sessions(query: ListQuery): Promise<ListPage<SmtpSessionSummary>>
  requests(query: ListQuery): ListPage<AttemptedRequest> | Promise<ListPage<AttemptedRequest>>
  scheduled(query: ListQuery): Promise<ListPage<ScheduledEmail>>
  /** @throws not_found. */
  suppression(address: string): Promise<Suppression>
  isSuppressed(address: string): boolean
  findRule: FindRule
  faults(): FaultsState | null
  /** Mail for a recipient in the other accounts, newest first; for callers who may see all of them. */
  foreignMail: ((isWanted: (address: string) => boolean, since: number) => Promise<ForeignMail[]>) | null
  readonly rejectSubmissions: boolean
  readonly maxEmails: number | null
  readonly maxAgeMs: number | null
}

/** Why there is no mail. */
export interface Missing {
  /**
   * @param caller.seesAccounts  Whether the caller may see the other accounts.
   * @throws invalid_query.
   */
  explain(query: MissingQuery, caller: { seesAccounts: boolean }): Promise<MissingMail>
}

interface MissingDeps {
  store: Store
  search: Pick<Search, 'matches'>
  now(): number
  sources: MissingSources
}

export function createMissing({ store, search, now, sources }: MissingDeps): Missing {
  /** Mails since a time, newest first. */
  async function newest(query: MissingQuery, since: number, most: number): Promise<EmailRecord[]> {
    const { to, signal } = query
    const filter = parseMailQuery({ after: new Date(since), ...(to !== undefined && { to }) }, now())
    const found: EmailRecord[] = []
    for await (const email of search.matches(filter, { signal })) {
      found.push(email)
      if (found.length >= most) break
    }
    return found
  }

  return {
    async explain(query, { seesAccounts }) {
      assertKnownOptions(query, ['to', 'since', 'signal'], 'inbox.explainMissing()')
      const { to = null } = query
      if (to !== null && (typeof to !== 'string' || to.trim() === '' || to.length > maxRecipientLength)) {
        const message = `to is ${quote(to)}; it takes an address or a part of one, of at most ${maxRecipientLength} characters.`
        throw new LocalpostError('invalid_query', message)
      }
      const since = timeOf(query.since, now())
      const fitsRecipient = to === null ? null : addressTest(to)
      const isWanted = (address: string): boolean => fitsRecipient === null || fitsRecipient(address)
      const mails = to === null ? [] : await newest(query, since, maxMails)
      const ids = new Set(mails.map(({ id }) => id))
      const all = await newest({ signal: query.signal }, since, maxMails)
      const [sessions, requests, scheduled] = await Promise.all([
        sources.sessions({ limit: maxLogged }),
        sources.requests({ limit: maxLogged }),
        sources.scheduled({ limit: maxLogged }),
      ])
      query.signal?.throwIfAborted()
      const waiting = scheduled.items.map(({ id, send_at, envelope }) => {
        return { id, send_at, recipients: envelope.rcpt_to }
      })
      const address = to !== null && /^[^\s@]+@[^\s@]+$/.test(to) ? to : null
      const isSuppressed = address !== null && sources.isSuppressed(address)
      const foreignMail = seesAccounts && to !== null ? sources.foreignMail : null
      const facts: MissingFacts = {
        to,
        since,
        isWanted,
        mails,
        others: all.filter(({ id }) => !ids.has(id)),
        scheduled: waiting.filter(({ recipients }) => recipients.some(isWanted)),
        sessions: sessions.items.filter(({ started, ended }) => (ended ?? started) >= since),
        requests: requests.items.filter(({ timestamp }) => timestamp >= since),
        suppression: isSuppressed ? await sources.suppression(address).catch(() => null) : null,
        rule: address === null ? null : sources.findRule(address, 'all'),
        rejectSubmissions: sources.rejectSubmissions,
        faults: sources.faults(),
        foreign: (await foreignMail?.(isWanted, since)) ?? [],
        kept: {
          emails: await store.count(emailCollection),
          maxEmails: sources.maxEmails,
          maxAgeMs: sources.maxAgeMs,
        },
        now: now(),
      }
      return { to, since, causes: causesOf(facts) }
    },
  }
}

function timeOf(since: Date | string | undefined, now: number): number {
  if (since === undefined) return now - defaultSpanMs
  assertAfter(since)
  return typeof since === 'string' && isId('em', since) ? timeOfId(since) : new Date(since).getTime()
}

const defaultSpanMs = 3_600_000
const maxRecipientLength = 320
const maxMails = 20
const maxLogged = 500
