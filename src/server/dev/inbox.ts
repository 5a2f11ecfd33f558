import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import type { BulkOutcome, Selection } from '../../inbox/bulk.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import {
  bulkMembers,
  bulkProgressSchema,
  listedMailSchema,
  mailSchema,
  removalSchema,
  tagCountSchema,
  tagMembers,
} from '../../inbox/schema.ts'
import { longestWaitMs } from '../../inbox/wait.ts'
import { optionTable } from '../../options/table.ts'
import { maxQueryLength } from '../../search/query-terms.ts'
import { bytesAnswer } from '../answer.ts'
import { streamBody } from '../body-streams.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { queryNumber } from '../query-values.ts'

const { get, post, patch, del, remove } = defineRoutes({ tag: 'Inbox', access: 'local' })

// Only documented here, because a query that is too long has its own error.
const searchText = z.string().meta({
  maxLength: maxQueryLength,
  description:
    'A search: words, `"phrases"`, `from:`, `to:`, `subject:`, `body:`, `status:`, `tag:`, `is:unread`, `has:attachment`, `after:2h`, …, each with `-` for its opposite',
})

// A typo in a name must not select every mail: the queries refuse unknown names.
const selection = z.strictObject({
  query: searchText.optional(),
  all: z.literal('true').optional().describe('Every mail'),
})

const idsMember = z.array(z.string().max(100)).max(500).optional().describe('Mails by their ids')

const cancelledMember = z.literal(true).optional().describe('Whether it was cancelled before its end')

/** A page of the inbox. */
const foundSchema = z.strictObject({
  emails: z.array(listedMailSchema),
  count: z.int().describe('All items, the same on every page; with `count=page` see `at_least`'),
  cursor: z.string().nullable().describe('What the next page is asked for with; null on the last page'),
  unread_texts: z
    .int()
    .optional()
    .describe(
      'How many mails wait to be read, so that the search may miss them: all, if a part of the index is damaged. Absent if none does',
    ),
  cut_texts: z
    .int()
    .optional()
    .describe(
      'How many mails have more text than the 262,144 characters that a search for words looks at. Absent if there is none, and where no words are searched',
    ),
  mails: z
    .int()
    .optional()
    .describe('With `fold`: how many mails there are, those of broadcasts one by one; absent without it'),
  at_least: z
    .literal(true)
    .optional()
    .describe('With `count=page`: there may be more matches than `count`; absent if all are counted'),
})

/** `/dev/inbox`: the list, searches, and changes of many mails. The routes of one mail are in `mail.ts`. */
export function inboxRoutes(inbox: Inbox & Pick<InboxPages, 'bulk' | 'removals'>): Route[] {
  return [
    get('/dev/inbox', {
      summary: 'List or search mail, newest first',
      query: z.strictObject({
        query: searchText.optional(),
        cursor: z.string().optional().describe('The `cursor` of the previous page'),
        offset: queryNumber(0)
          .optional()
          .describe('The position of the first item, from 0; instead of `cursor`'),
        limit: queryNumber(1, 500).optional().describe('Items per page. Default: 50'),
        fold: z
          .enum(['broadcasts'])
          .optional()
          .describe(
            'With `broadcasts`, the mails of a broadcast are one item, in the place of the first of them; without effect on a search',
          ),
        count: z
          .enum(['all', 'page'])
          .optional()
          .describe(
            'With `page`, a search may end as soon as the page is full; the answer then says `at_least`. Default: `all`',
          ),
      }),
      success: { schema: foundSchema },
      errors: ['invalid_cursor', 'invalid_query', 'service_unavailable'],
      async handler({ query, signal }) {
        const { items, ...page } = await inbox.list({ ...query, signal: signal() })
        return { emails: items, ...page }
      },
    }),
    del('/dev/inbox', {
      summary: 'Remove the matches of a query, mails by their ids, or all',
      query: selection,
      body: { schema: z.strictObject({ ids: idsMember }), optional: true },
      success: { schema: z.strictObject({ deleted: z.int(), cancelled: cancelledMember }) },
      errors: ['invalid_query', 'service_unavailable'],
      handler: async ({ query, body }) =>
        bulkAnswer('deleted', await inbox.bulk.remove(toSelection(query, body.ids))),
    }),
    post('/dev/inbox/removals', {
      summary:
        'Remove mails in ten seconds, unless that is undone; meanwhile lists, searches, waits and exports leave them out, and only `GET /dev/inbox/{id}` and the paths below it have them',
      body: { schema: z.strictObject({ ids: z.array(z.string().max(100)).min(1).max(100) }) },
      success: { status: 201, schema: removalSchema },
      handler: ({ body }) => inbox.removals.begin(body.ids),
    }),
    remove('/dev/inbox/removals/{id}', {
      summary: 'Undo a removal: those of its mails that are still stored are in the lists again',
      handler: async ({ params }) => inbox.removals.undo(params.id),
    }),
    patch('/dev/inbox', {
      summary: 'Mark or tag the matches of a query, mails by their ids, or all',
      query: selection,
      body: { schema: z.strictObject({ ids: idsMember, ...bulkMembers }) },
      success: { schema: z.strictObject({ updated: z.int(), cancelled: cancelledMember }) },
      errors: ['invalid_query', 'service_unavailable'],
      handler: async ({ query, body: { ids, ...changes } }) =>
        bulkAnswer('updated', await inbox.bulk.change(toSelection(query, ids), changes)),
    }),
    get('/dev/inbox/bulk', {
      summary: 'Changes of many mails: those that wait or run, and the last that ended, newest first',
      success: { schema: z.strictObject({ changes: z.array(bulkProgressSchema) }) },
      handler: () => ({ changes: inbox.bulk.list() }),
    }),
    del('/dev/inbox/bulk/{id}', {
      summary: 'Cancel a change of many mails; mails that are done stay changed',
      success: { schema: bulkProgressSchema },
      handler: ({ params }) => inbox.bulk.cancel(params.id),
    }),
    get('/dev/inbox/tags', {
      summary: 'All tags with the number of their mails and their colours, the most frequent first',
      success: {
        schema: z.strictObject({
          tags: z
            .array(tagCountSchema)
            .describe('The 1,000 most frequent, then the others for which a colour was chosen'),
        }),
      },
      handler: async () => ({ tags: await inbox.tags() }),
    }),
    patch('/dev/inbox/tags', {
      summary: 'Choose the colour of a tag',
      body: {
        schema: z.strictObject({
          tag: z.string().min(1).max(100).describe('In any case; no mail needs to have it'),
          ...tagMembers,
        }),
      },
      success: { schema: tagCountSchema },
      handler: ({ body: { tag, ...changes } }) => inbox.updateTag(tag, changes),
    }),
    get('/dev/inbox/wait', {
      summary: 'The newest mail that matches, or the next one that arrives; with `count`, so many of them',
      query: z.strictObject({
        query: searchText.optional(),
        count: queryNumber(1, 500)
          .optional()
          .describe('For so many mails: the answer is `{ emails }`, the newest first'),
        timeout_ms: queryNumber(0, longestWaitMs)
          .optional()
          .describe(
            `Default: the option \`waitTimeoutMs\`, which is ${optionTable.waitTimeoutMs.default} without it`,
          ),
        after: z.string().optional().describe('Only mail that arrived after the one with this id'),
      }),
      success: {
        schema: z.union([
          mailSchema,
          z.strictObject({ emails: z.array(mailSchema).describe('Newest first') }),
        ]),
      },
      errors: ['wait_timeout', 'invalid_query', 'service_unavailable'],
      async handler({ query: { query = '', count, timeout_ms, after }, signal }) {
        const options = { timeoutMs: timeout_ms, after, signal: signal() }
        if (count === undefined) return inbox.waitFor(query, options)
        return { emails: await inbox.waitForCount(query, count, options) }
      },
    }),
    post('/dev/inbox/import', {
      summary: 'Store one message as if it had been submitted now',
      body: {
        schema: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
        bytesType: 'message/rfc822',
        maxBytes: bodyLimits.large,
      },
      success: { schema: z.strictObject({ id: z.string() }) },
      errors: ['message_too_large'],
      handler: ({ body }) => inbox.import(body),
    }),
    get('/dev/inbox/export', {
      summary: 'The messages of all matches, as .eml files in a ZIP archive',
      query: z.strictObject({ query: searchText.optional() }),
      success: { type: 'application/zip', description: 'A ZIP archive' },
      errors: ['invalid_query'],
      handler: async ({ query }) =>
        bytesAnswer(streamBody(await inbox.export(query.query)), {
          'content-type': 'application/zip',
          'content-disposition': 'attachment; filename="mails.zip"',
        }),
    }),
  ]
}

/** The answer to a change of many mails. */
function bulkAnswer(member: 'deleted' | 'updated', { count, isCancelled }: BulkOutcome): object {
  return { [member]: count, ...(isCancelled ? { cancelled: true } : {}) }
}

/**
 * The mails that a request selects: exactly one of a query, ids and all.
 *
 * @throws validation_error, so that no mail is changed that was not named.
 */
function toSelection(
  { query, all }: { query?: string | undefined; all?: string | undefined },
  given: string[] | undefined,
): Selection {
  const named = [Boolean(query?.trim()), all === 'true', given !== undefined].filter(Boolean).length
  if (named !== 1) {
    const how = named === 0 ? 'is missing' : 'cannot be joined with the others'
    const message = `${how}: say which mails by one of \`?query=…\`, \`?all=true\` or \`ids\` in the body`
    throw validationError([{ field: 'query', message }])
  }
  if (given) return { ids: given }
  return all === 'true' ? null : (query ?? '')
}
