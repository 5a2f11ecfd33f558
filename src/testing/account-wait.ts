import type { Calls } from '../client/call.ts'
import { invalidOption, LocalpostError } from '../core/errors.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import { monotonicNow } from '../core/machine.ts'
import { quote } from '../core/quote.ts'
import type { Mail } from '../inbox/types.ts'
import { longestWaitMs, type QuietOptions, type WaitOptions } from '../inbox/wait.ts'
import {
  assertAfter,
  assertQueryMembers,
  cameAfter,
  type MailQuery,
  type MailQueryMembers,
} from '../search/query-members.ts'
import { createMailReader, type MailReader } from './mail-reader.ts'
import { sayExpectation } from './outcome.ts'
import { poll } from './poll.ts'
import type { Inspected } from './received.ts'
import { findMails, listMails, type FoundMails } from './sent.ts'
import { takeWantedMail } from './wanted-mail.ts'

/** How long to wait for mail of an account, and for which. */
interface Wait {
  timeoutMs: number
  after?: Date | string | undefined
  signal?: AbortSignal | undefined
}

/** @param of  The method with these options, for messages. @throws invalid_option. */
export function readWaitOptions(options: WaitOptions | QuietOptions, of: string, defaultMs: number): Wait {
  assertKnownOptions(options, ['timeoutMs', 'after', 'signal'], of)
  const { timeoutMs = defaultMs, after, signal } = options
  assertWaitMs('timeoutMs', timeoutMs)
  if (timeoutMs > longestWaitMs) {
    const message = `Option "timeoutMs" of ${of} is ${quote(timeoutMs)}; a server waits for at most ${longestWaitMs} ms.`
    throw invalidOption(message)
  }
  if (after !== undefined) assertAfter(after)
  return { timeoutMs, after, signal }
}

/** At least `count` mails of an account that have arrived, newest first. @throws wait_timeout. */
export async function waitForMails(
  { ask, inbox }: Pick<Calls, 'ask'> & Inspected,
  query: MailQuery | undefined,
  count: number,
  { timeoutMs, after, signal }: Wait,
): Promise<Mail[]> {
  if (query === undefined || typeof query === 'string')
    return waitAtServer(ask, query, count, { timeoutMs, after, signal })
  const end = monotonicNow() + timeoutMs
  const reader = createMailReader({ inbox })
  const found = await poll(
    async () => {
      signal?.throwIfAborted()
      return findFor(query, reader, after)
    },
    ({ matches }) => matches.length >= count,
    timeoutMs,
  )
  const ids = found.matches.slice(0, count).map(({ id }) => id)
  if (ids.length < count) throw timedOut(found, query, count, timeoutMs)
  // A mail has arrived when its first delivery was tried, which the server waits for.
  const leftMs = Math.max(0, Math.ceil(end - monotonicNow()))
  return waitAtServer(ask, `id:${ids.join(',')}`, count, { timeoutMs: leftMs, signal })
}

/** Waits at the server, for a query of the query language. */
async function waitAtServer(
  ask: Calls['ask'],
  text: string | undefined,
  count: number,
  { timeoutMs, after, signal }: Wait,
): Promise<Mail[]> {
  const since = after instanceof Date ? `after:${after.toISOString()}` : ''
  const query = toQuery({
    query: `${text ?? ''} ${since}`.trim() || undefined,
    after: after instanceof Date ? undefined : after,
    timeout_ms: Math.ceil(timeoutMs),
    count: count === 1 ? undefined : count,
  })
  const request = { query, waitMs: timeoutMs, signal }
  const answer = await ask<Mail | { emails: Mail[] }>('GET', ['inbox', 'wait'], request)
  return 'emails' in answer ? answer.emails : [answer]
}

/** The mails that have the members of a query. @param after  Only those that came after it. */
export async function findFor(
  query: MailQueryMembers,
  reader: MailReader,
  after?: Date | string,
): Promise<FoundMails> {
  assertQueryMembers(query)
  const found = await findMails(reader, takeWantedMail(query, 'A query').mail)
  if (after === undefined) return found
  const isLater = cameAfter(after)
  const matches = found.matches.filter(({ id, received }) => isLater({ id, created: received }))
  return { ...found, matches }
}

function timedOut({ all, matches }: FoundMails, query: MailQuery, count: number, ms: number): LocalpostError {
  const what = count === 1 ? 'No mail for' : `Only ${matches.length} of ${count} mails for`
  const newest = all.length > 0 ? ` The newest:\n${listMails(all)}` : ' The inbox is empty.'
  return new LocalpostError('wait_timeout', `${what} ${wordsOf(query)} within ${ms} ms.${newest}`)
}

/** A query as messages name it. */
export function wordsOf(query: MailQuery | undefined): string {
  if (query === undefined) return 'any mail'
  return typeof query === 'string' ? quote(query) : sayExpectation(query)
}

/** The query of a URL. Members without a value are left out. */
export function toQuery(members: object): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
