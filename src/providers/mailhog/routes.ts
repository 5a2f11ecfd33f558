import { z } from 'zod'
import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { quotedString } from '../../core/text.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import type { MailEntry } from '../../inbox/views.ts'
import { bytesAnswer } from '../../server/answer.ts'
import { streamBody } from '../../server/body-streams.ts'
import { disposition, bytesHeaders } from '../../server/dev/guarded-bytes.ts'
import { readErrors } from '../../server/dev/mail.ts'
import { queryNumber } from '../../server/query-values.ts'
import type { Route } from '../../server/route.ts'
import { defineMailpitRoutes } from '../mailpit/define-routes.ts'
import { absentIfEmpty } from '../mailpit/requests.ts'
import { mailhogFace } from './face.ts'
import { toMessage } from './message.ts'
import { messageSchema, pageSchema, type Message, type Page } from './schema.ts'

const { get, del } = defineMailpitRoutes('Messages', mailhogFace)

const page = {
  start: absentIfEmpty(queryNumber(0)).describe('Position of the first message. Default: 0'),
  limit: absentIfEmpty(queryNumber(0)).describe('How many messages. Default: 50; at most 250'),
}
const listQuery = z.strictObject(page)
const searchQuery = z.strictObject({
  ...page,
  kind: z.enum(['from', 'to', 'containing']),
  query: z.string().min(1).max(1000).describe('A text, whose case does not matter'),
})

/** The operations of MailHog that Mailpit's API does not have: `GET` and `DELETE` of `/api/v1/messages` are those of Mailpit. */
export function mailhogRoutes({ inbox }: { readonly inbox: Inbox & InboxPages }): Route[] {
  /** The source of a message; `""` while it is not written. */
  async function sourceOf(id: string, signal: AbortSignal): Promise<string> {
    try {
      const { stream } = await inbox.raw(id, { signal })
      return Buffer.concat(await stream.toArray({ signal })).toString()
    } catch (error) {
      if (isErrorOf(error, 'message_pending')) return ''
      throw error
    }
  }

  async function read(entries: readonly MailEntry[], signal: AbortSignal): Promise<Message[]> {
    const bytes = entries.reduce((sum, entry) => sum + entry.size_bytes, 0)
    if (bytes > maxBytes) throw tooManyBytes(entries.length, bytes)
    const messages: Message[] = []
    for (const entry of entries) messages.push(toMessage(entry, await sourceOf(entry.id, signal)))
    return messages
  }

  async function pageOf(
    { query, start = 0, limit }: z.output<typeof listQuery> & { query?: string },
    signal: AbortSignal,
  ): Promise<Page> {
    // As in MailHog, 0 means the default, and more than the most means the most.
    const wanted = { query, offset: start, limit: Math.min(limit || 50, maxMessages), signal }
    const { items, count: total } = await inbox.entries(wanted)
    return { total, count: items.length, start, items: await read(items, signal) }
  }

  return [
    get('/api/v2/messages', {
      summary: 'List messages, newest first',
      query: listQuery,
      success: { schema: pageSchema },
      errors: ['service_unavailable'],
      handler: ({ query, signal }) => pageOf(query, signal()),
    }),
    get('/api/v2/search', {
      summary: 'Search messages by sender, recipient or text, newest first',
      query: searchQuery,
      success: { schema: pageSchema },
      errors: ['invalid_query', 'service_unavailable'],
      handler({ query: { kind, query, ...range }, signal }) {
        const text = quotedString(query)
        return pageOf({ ...range, query: kind === 'containing' ? text : `${kind}:${text}` }, signal())
      },
    }),
    get('/api/v1/messages/{id}', {
      summary: 'A message',
      success: { schema: messageSchema },
      errors: readErrors,
      async handler({ params, signal }) {
        const [message] = await read([await inbox.entry(params.id)], signal())
        return message
      },
    }),
    get('/api/v1/messages/{id}/download', {
      summary: 'The source of a message, as a download',
      success: { type: 'message/rfc822', description: 'The bytes of the message' },
      errors: [...readErrors, 'message_pending'],
      async handler({ params: { id }, signal }) {
        const { stream, size_bytes } = await inbox.raw(id, { signal: signal() })
        return bytesAnswer(streamBody(stream), {
          ...bytesHeaders,
          'content-type': 'message/rfc822',
          'content-length': String(size_bytes),
          'content-disposition': disposition('attachment', `${id}.eml`),
        })
      },
    }),
    del('/api/v1/messages/{id}', {
      summary: 'Delete a message',
      success: { type: 'text/plain', description: 'Nothing' },
      errors: ['not_found'],
      async handler({ params }) {
        await inbox.remove(params.id)
        return bytesAnswer('', { 'content-type': 'text/plain' })
      },
    }),
  ]
}

/**
 * How many bytes the messages of one answer have together, each of which is in it up to three times: as source, body
 * and parts.
 */
const maxBytes = 8 * 1024 * 1024
const maxMessages = 250

function tooManyBytes(messages: number, bytes: number): LocalpostError {
  const message =
    messages === 1
      ? `The message has ${bytes} bytes, and an answer of this API at most ${maxBytes}. Use /api/v1/message/{id} and /raw.`
      : `These ${messages} messages have ${bytes} bytes, and an answer of this API at most ${maxBytes}. Ask for fewer with limit.`
  return new LocalpostError('validation_error', message)
}
