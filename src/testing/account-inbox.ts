import type { Calls } from '../client/call.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { lowestId } from '../core/ids.ts'
import type { Inbox } from '../inbox/methods.ts'
import type { Mail, MailSummary } from '../inbox/types.ts'
import { assertWaitCount } from '../inbox/wait.ts'
import { assertAfter, assertRemovesAll } from '../search/query-members.ts'
import { findFor, readWaitOptions, toQuery, waitForMails, wordsOf } from './account-wait.ts'
import { createMailReader } from './mail-reader.ts'
import { listMails } from './sent.ts'

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
      const request = { query: toQuery(query), signal }
      const { emails, ...page } = await ask<FoundPage>('GET', ['inbox'], request)
      return { ...page, items: emails }
    },
    get: async (id) => ask('GET', ['inbox', id]),
    async check(mail, { except, clients, live, signal, ...rest } = {}) {
      assertKnownOptions(rest, [], 'inbox.check()')
      const query = toQuery({ except: except?.join(','), clients: clients?.join(','), live })
      return ask('GET', ['inbox', idOf(mail), 'checks'], { query, signal })
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
      if (typeof query === 'object') {
        const [found] = (await findFor(query, createMailReader({ inbox }))).matches
        return found ? inbox.get(found.id) : null
      }
      const [newest] = (await inbox.list({ limit: 1, ...(query !== undefined && { query }) })).items
      return newest ? inbox.get(newest.id) : null
    },
    async mark() {
      return (await inbox.list({ limit: 1 })).items[0]?.id ?? lowestId('em')
    },
    async waitFor(query, options = {}) {
      const [mail] = await waitForMails(calls, query, 1, readWaitOptions(options, 'waitFor()', waitTimeoutMs))
      if (!mail) throw new TypeError('A wait ended without a mail.')
      return mail
    },
    async waitForCount(query, count, options = {}) {
      assertWaitCount(count)
      return waitForMails(calls, query, count, readWaitOptions(options, 'waitForCount()', waitTimeoutMs))
    },
    async explainMissing({ since, signal, ...query } = {}) {
      assertKnownOptions(query, ['to'], 'inbox.explainMissing()')
      if (since !== undefined) assertAfter(since)
      const request = toQuery({ ...query, since: since instanceof Date ? since.toISOString() : since })
      return ask('GET', ['missing'], { query: request, signal })
    },
    async reply(mail, request, { signal, ...rest } = {}) {
      assertKnownOptions(rest, [], 'inbox.reply()')
      return ask('POST', ['inbox', idOf(mail), 'reply'], { body: request, signal })
    },
    async expectNone(query, options = {}) {
      const given = readWaitOptions(options, 'expectNone()', defaultQuietMs)
      const found = await waitForMails(calls, query, 1, given).catch((error: unknown) => {
        if (isErrorOf(error, 'wait_timeout')) return []
        throw error
      })
      if (found.length === 0) return
      const message = `Unexpected mail for ${wordsOf(query)}:\n${listMails(found)}`
      throw new LocalpostError('unexpected_mail', message)
    },
  }
  const calls = { ask, inbox }
  return inbox
}

interface FoundPage {
  emails: MailSummary[]
  count: number
  cursor: string | null
}

const defaultQuietMs = 1000

function idOf(mail: string | Pick<Mail, 'id'>): string {
  return typeof mail === 'string' ? mail : mail.id
}
