import type { Calls } from '../client/call.ts'
import { invalidOption, isErrorOf, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import { lowestId } from '../core/ids.ts'
import { monotonicNow } from '../core/machine.ts'
import type { Inbox } from '../inbox/methods.ts'
import type { Mail, MailSummary } from '../inbox/types.ts'
import { assertWaitCount, type QuietOptions, type WaitOptions } from '../inbox/wait.ts'
import {
  assertAfter,
  assertQueryMembers,
  assertRemovesAll,
  cameAfter,
  type MailQuery,
} from '../search/query-members.ts'
import { createMailReader, type MailReader } from './mails.ts'
import { sayExpectation } from './outcome.ts'
import { poll } from './poll.ts'
import { findMails, listMails, type FoundMails } from './sent.ts'
import { takeWantedMail } from './wanted-mail.ts'

/** The part of an inbox that tests use, of an account on a server that runs elsewhere. */
export type AccountInbox = Pick<
  Inbox,
  | 'list'
  | 'get'
  | 'check'
  | 'update'
  | 'remove'
  | 'removeAll'
  | 'latest'
  | 'mark'
  | 'waitFor'
  | 'waitForCount'
  | 'expectNone'
  | 'explainMissing'
  | 'reply'
>

/** @param waitTimeoutMs  The default time-out of waits. */
export function createAccountInbox({ ask }: Pick<Calls, 'ask'>, waitTimeoutMs: number): AccountInbox {
  const inbox: AccountInbox = {
    async list({ signal, ...query } = {}) {
      assertKnownOptions(query, ['query', 'cursor', 'offset', 'limit', 'fold', 'count'], 'inbox.list()')
      const request = { query: toQuery(query), ...(signal && { signal }) }
      const { emails, ...page } = await ask<FoundPage>('GET', ['inbox'], request)
      return { ...page, items: emails }
    },
    get: async (id) => ask('GET', ['inbox', id]),
    async check(mail, { except, clients, live, signal, ...rest } = {}) {
      assertKnownOptions(rest, [], 'inbox.check()')
      const query = toQuery({ except: except?.join(','), clients: clients?.join(','), live })
      return ask('GET', ['inbox', idOf(mail), 'checks'], { query, ...(signal && { signal }) })
    },
    update: async (id, changes) => ask('PATCH', ['inbox', id], { body: changes }),
    async remove(id) {
      await ask('DELETE', ['inbox', id])
    },
    async removeAll(...given: unknown[]) {
      assertRemovesAll(given)
      const { deleted } = await ask<{ deleted: number }>('DELETE', ['inbox'], { query: { all: 'true' } })
      return deleted
    },
    async latest(query) {
      const found =
        typeof query === 'object'
          ? (await find(createMailReader({ inbox }), query)).matches[0]
          : (await inbox.list({ limit: 1, ...(query !== undefined && { query }) })).items[0]
      return found ? inbox.get(found.id) : null
    },
    async mark() {
      return (await inbox.list({ limit: 1 })).items[0]?.id ?? lowestId('em')
    },
    async waitFor(query, options = {}) {
      const [mail] = await wait(query, 1, readWaitOptions(options, 'waitFor()', waitTimeoutMs))
      if (!mail) throw new TypeError('A wait ended without a mail.')
      return mail
    },
    async waitForCount(query, count, options = {}) {
      assertWaitCount(count)
      return wait(query, count, readWaitOptions(options, 'waitForCount()', waitTimeoutMs))
    },
    async explainMissing({ since, signal, ...query } = {}) {
      assertKnownOptions(query, ['to'], 'inbox.explainMissing()')
      if (since !== undefined) assertAfter(since)
      const request = toQuery({ ...query, since: since instanceof Date ? since.toISOString() : since })
      return ask('GET', ['missing'], { query: request, ...(signal && { signal }) })
    },
    async reply(mail, request, { signal, ...rest } = {}) {
      assertKnownOptions(rest, [], 'inbox.reply()')
      return ask('POST', ['inbox', idOf(mail), 'reply'], { body: request, ...(signal && { signal }) })
    },
    async expectNone(query, options = {}) {
      const given = readWaitOptions(options, 'expectNone()', defaultQuietMs)
      const found = await wait(query, 1, given).catch((error: unknown) => {
        if (isErrorOf(error, 'wait_timeout')) return []
        throw error
      })
      if (found.length === 0) return
      const message = `Unexpected mail for ${wordsOf(query)}:\n${listMails(found)}`
      throw new LocalpostError('unexpected_mail', message)
    },
  }
  return inbox

  /** At least `count` mails that have arrived, newest first. @throws wait_timeout. */
  async function wait(query: MailQuery | undefined, count: number, options: Wait): Promise<Mail[]> {
    if (query === undefined || typeof query === 'string') return waitThere(query, count, options)
    const { timeoutMs, after, signal } = options
    const end = monotonicNow() + timeoutMs
    const reader = createMailReader({ inbox })
    const found = await poll(
      async () => {
        signal?.throwIfAborted()
        return find(reader, query, after)
      },
      ({ matches }) => matches.length >= count,
      timeoutMs,
    )
    const ids = found.matches.slice(0, count).map(({ id }) => id)
    if (ids.length < count) throw timedOut(found, query, count, timeoutMs)
    // A mail has arrived when its first delivery was tried, which the server waits for.
    const leftMs = Math.max(0, Math.ceil(end - monotonicNow()))
    return waitThere(`id:${ids.join(',')}`, count, { timeoutMs: leftMs, signal })
  }

  /** Waits at the server, for a query that the query language can express. */
  async function waitThere(
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
    const answer = await ask<Mail | { emails: Mail[] }>('GET', ['inbox', 'wait'], {
      query,
      waitMs: timeoutMs,
      ...(signal && { signal }),
    })
    return 'emails' in answer ? answer.emails : [answer]
  }
}

async function find(
  reader: MailReader,
  query: Exclude<MailQuery, string>,
  after?: Date | string,
): Promise<FoundMails> {
  assertQueryMembers(query)
  const found = await findMails(reader, takeWantedMail(query, 'A query').mail)
  if (after === undefined) return found
  const isLater = cameAfter(after)
  const matches = found.matches.filter(({ id, received }) => isLater({ id, created: received }))
  return { ...found, matches }
}

interface FoundPage {
  emails: MailSummary[]
  count: number
  cursor: string | null
}

interface Wait {
  timeoutMs: number
  after?: Date | string | undefined
  signal?: AbortSignal | undefined
}

const defaultQuietMs = 1000
/** The longest that a server waits, as the schema of `/dev/inbox/wait` has it. */
const longestWaitMs = 300_000

function readWaitOptions(options: WaitOptions | QuietOptions, of: string, defaultMs: number): Wait {
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

function timedOut(
  { all, matches }: FoundMails,
  query: MailQuery,
  count: number,
  timeoutMs: number,
): LocalpostError {
  const what = count === 1 ? 'No mail for' : `Only ${matches.length} of ${count} mails for`
  const newest = all.length > 0 ? ` The newest:\n${listMails(all)}` : ' The inbox is empty.'
  return new LocalpostError('wait_timeout', `${what} ${wordsOf(query)} within ${timeoutMs} ms.${newest}`)
}

function wordsOf(query: MailQuery | undefined): string {
  if (query === undefined) return 'any mail'
  return typeof query === 'string' ? quote(query) : sayExpectation(query)
}

function idOf(mail: string | Pick<Mail, 'id'>): string {
  return typeof mail === 'string' ? mail : mail.id
}

function toQuery(members: object): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
