import { LocalpostError } from '../../core/errors.ts'
import type { Selection } from '../../inbox/bulk.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import type { Route } from '../../server/route.ts'
import { toListed } from './answers.ts'
import { defineMailpitRoutes, ok, okSuccess } from './define-routes.ts'
import { toInboxQuery } from './query.ts'
import {
  idsBody,
  listQuery,
  matchQuery,
  maxMessages,
  readStatusBody,
  searchQuery,
  zoneQuery,
} from './requests.ts'
import { summariesSchema, type Summaries, type Summary } from './schema.ts'

const { get, put, del } = defineMailpitRoutes('Messages')

/** `/api/v1/messages` and `/api/v1/search`: lists, and changes of many messages. */
export function messagesRoutes(inbox: Inbox & Pick<InboxPages, 'entries' | 'overview' | 'bulk'>): Route[] {
  /** How many messages a query matches; all if it is undefined. */
  async function countOf(query: string | undefined, signal: AbortSignal): Promise<number> {
    return (await inbox.entries({ query, limit: 1, signal })).count
  }

  /** `limit` messages from a position on, which may be several pages of the inbox, and how many a query matches. */
  async function pageOf(
    query: string | undefined,
    { start, limit }: { start: number; limit: number },
    signal: AbortSignal,
  ): Promise<{ messages: Summary[]; count: number }> {
    if (limit === 0) return { messages: [], count: await countOf(query, signal) }
    const first = await inbox.entries({ query, offset: start, limit: Math.min(maxPage, limit), signal })
    const messages = first.items.map(toListed)
    let { cursor } = first
    while (cursor !== null && messages.length < limit) {
      const wanted = { query, cursor, limit: Math.min(maxPage, limit - messages.length), signal }
      const page = await inbox.entries({ ...wanted, count: 'page' })
      for (const entry of page.items) messages.push(toListed(entry))
      cursor = page.cursor
    }
    return { messages, count: first.count }
  }

  /** How many matches are unread. */
  async function unreadOf(
    search: string,
    matches: number,
    { total, unread }: { total: number; unread: number },
    signal: AbortSignal,
  ): Promise<number> {
    if (unread === 0) return 0
    if (unread === total) return matches
    return countOf(`${search} is:unread`, signal)
  }

  return [
    get('/api/v1/messages', {
      summary: 'List messages, newest first',
      query: listQuery,
      success: { schema: summariesSchema },
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ query: { start = 0, limit = 50, before }, signal }): Promise<Summaries> {
        const range = toRange(before)
        // As Mailpit does, it answers all messages to a limit of 0. A search answers none.
        if (limit === 0) assertNotTooMany((await countOf(range, signal())) - start)
        const page = await pageOf(range, { start, limit: limit === 0 ? maxMessages : limit }, signal())
        const { total, unread, tags } = await inbox.overview()
        return {
          total,
          unread,
          count: page.messages.length,
          messages_count: total,
          messages_unread: unread,
          start,
          tags: [...tags],
          messages: page.messages,
        }
      },
    }),
    put('/api/v1/messages', {
      summary: 'Mark messages as read or unread: those of a list, the matches of a search, or all',
      query: zoneQuery,
      body: { schema: readStatusBody, anyType: true, optional: true },
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ query: { tz }, body: { Read = false, ...selected } }) {
        await inbox.bulk.change(selectionOf(selected, tz), { unread: !Read })
        return ok
      },
    }),
    del('/api/v1/messages', {
      summary: 'Delete messages: those of a list, or all',
      body: { schema: idsBody, anyType: true, optional: true },
      success: okSuccess,
      errors: ['service_unavailable'],
      async handler({ body }) {
        await inbox.bulk.remove(selectionOf(body))
        return ok
      },
    }),
    get('/api/v1/search', {
      summary: 'Search messages, newest first',
      query: searchQuery,
      success: { schema: summariesSchema },
      errors: ['invalid_query', 'service_unavailable'],
      async handler({
        query: { query = '', tz, start = 0, limit = 50, before },
        signal,
      }): Promise<Summaries> {
        const range = toRange(before)
        const found = toInboxQuery(query, tz)
        const search = range === undefined ? found : `${found} ${range}`
        const page = await pageOf(search, { start, limit }, signal())
        const { tags, ...all } = await inbox.overview()
        return {
          ...all,
          count: page.messages.length,
          messages_count: page.count,
          messages_unread: await unreadOf(search, page.count, all, signal()),
          start,
          tags: [...tags],
          messages: page.messages,
        }
      },
    }),
    del('/api/v1/search', {
      summary: 'Delete the matches of a search',
      query: matchQuery,
      success: okSuccess,
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ query: { query = '', tz } }) {
        await inbox.bulk.remove(toInboxQuery(query, tz))
        return ok
      },
    }),
  ]
}

/** The most items of a page of the inbox. */
const maxPage = 500

/** @throws validation_error */
function assertNotTooMany(left: number): void {
  if (left <= maxMessages) return
  const message = `limit=0 asks for all ${left} messages, and one answer has at most ${maxMessages}. Ask for pages with start and limit.`
  throw new LocalpostError('validation_error', message)
}

/** The query of the parameter `before`; undefined without it. @throws invalid_query */
function toRange(before: string | undefined): string | undefined {
  return before === undefined ? undefined : toInboxQuery(`before:"${before}"`)
}

/** What a request selects: the matches of a search, the messages of a list, or all. @throws validation_error, invalid_query */
function selectionOf({ IDs = [], Search = '' }: { IDs?: string[]; Search?: string }, tz?: string): Selection {
  if (IDs.length > 0 && Search !== '') {
    const message = 'You may specify either IDs or a search query, not both'
    throw new LocalpostError('validation_error', message)
  }
  if (Search !== '') return toInboxQuery(Search, tz)
  return IDs.length > 0 ? { ids: IDs } : null
}
