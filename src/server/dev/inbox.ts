import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { checkReportSchema } from '../../checks/schema.ts'
import { mailComparisonSchema } from '../../compare/schema.ts'
import { clientSupportSchema, mailPreviewSchema } from '../../client-support/schema.ts'
import { bytesAnswer, streamBody } from '../answer.ts'
import { consentRequired } from '../remote-consent.ts'
import { bodyLimits, defineRoutes, type Route } from '../route.ts'
import { toList } from '../schemas.ts'
import {
  checksQuery,
  compareQuery,
  exportQuery,
  inboxQuery,
  previewQuery,
  selectionQuery,
  toSelection,
  waitQuery,
} from './inbox-query.ts'
import { inboxRoute, readErrors } from './inbox-route.ts'
import {
  awaitedSchema,
  bulkBodySchema,
  bulkDeletedSchema,
  bulkRunsSchema,
  foundSchema,
  idsSchema,
  importedSchema,
  messageSchema,
  releaseSchema,
  releasedSchema,
  tagBodySchema,
  tagsSchema,
  updatedSchema,
} from './inbox-schema.ts'
import {
  bulkProgressSchema,
  mailChangesSchema,
  mailSchema,
  mailSummarySchema,
  tagCountSchema,
} from '../../inbox/schema.ts'

const { get, post, patch, del, remove } = defineRoutes(inboxRoute)

/** `/dev/inbox`, but for the bytes of a mail; those are in `mail-bytes.ts`. */
export function inboxRoutes(inbox: Inbox & Pick<InboxPages, 'bulk' | 'read'>): Route[] {
  return [
    get('/dev/inbox', {
      summary: 'List or search mail, newest first',
      query: inboxQuery,
      success: { schema: foundSchema },
      errors: ['invalid_cursor', 'invalid_query', 'service_unavailable'],
      async handler({ query, signal }) {
        const page = await inbox.list({ ...query, signal: signal() })
        const unread = page.unread_texts === undefined ? {} : { unread_texts: page.unread_texts }
        const mails = page.mails === undefined ? {} : { mails: page.mails }
        const atLeast = page.at_least ? { at_least: true } : {}
        return { ...toList('emails', page), ...unread, ...mails, ...atLeast }
      },
    }),
    del('/dev/inbox', {
      summary: 'Remove the matches of a query, mails by their ids, or all',
      query: selectionQuery,
      body: { schema: idsSchema, optional: true },
      success: { schema: bulkDeletedSchema },
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ query, body }) {
        const { count, isCancelled } = await inbox.bulk.remove(toSelection(query, body.ids))
        return { deleted: count, ...(isCancelled ? { cancelled: true } : {}) }
      },
    }),
    patch('/dev/inbox', {
      summary: 'Mark or tag the matches of a query, mails by their ids, or all',
      query: selectionQuery,
      body: { schema: bulkBodySchema },
      success: { schema: updatedSchema },
      errors: ['invalid_query', 'service_unavailable'],
      async handler({ query, body: { ids, ...changes } }) {
        const { count, isCancelled } = await inbox.bulk.change(toSelection(query, ids), changes)
        return { updated: count, ...(isCancelled ? { cancelled: true } : {}) }
      },
    }),
    get('/dev/inbox/bulk', {
      summary: 'Changes of many mails: those that wait or run, and the last that ended, newest first',
      success: { schema: bulkRunsSchema },
      handler: () => ({ changes: inbox.bulk.list() }),
    }),
    del('/dev/inbox/bulk/{id}', {
      summary: 'Cancel a change of many mails; mails that are done stay changed',
      success: { schema: bulkProgressSchema },
      handler: ({ params }) => inbox.bulk.cancel(params.id),
    }),
    get('/dev/inbox/tags', {
      summary: 'All tags with the number of their mails and their colours, the most frequent first',
      success: { schema: tagsSchema },
      handler: async () => ({ tags: await inbox.tags() }),
    }),
    patch('/dev/inbox/tags', {
      summary: 'Choose the colour of a tag',
      body: { schema: tagBodySchema },
      success: { schema: tagCountSchema },
      handler: ({ body: { tag, ...changes } }) => inbox.updateTag(tag, changes),
    }),
    get('/dev/inbox/wait', {
      summary: 'The newest mail that matches, or the next one that arrives; with `count`, so many of them',
      query: waitQuery,
      success: { schema: awaitedSchema },
      errors: ['wait_timeout', 'invalid_query', 'service_unavailable'],
      async handler({ query: { query = '', count, timeout_ms, after }, signal }) {
        const options = { timeoutMs: timeout_ms, after, signal: signal() }
        if (count === undefined) return inbox.waitFor(query, options)
        return { emails: await inbox.waitForCount(query, count, options) }
      },
    }),
    post('/dev/inbox/import', {
      summary: 'Store one message as if it had been submitted now',
      body: { schema: messageSchema, bytesType: 'message/rfc822', maxBytes: bodyLimits.large },
      success: { schema: importedSchema },
      errors: ['message_too_large'],
      handler: ({ body }) => inbox.import(body),
    }),
    get('/dev/inbox/export', {
      summary: 'The messages of all matches, as .eml files in a ZIP archive',
      query: exportQuery,
      success: { type: 'application/zip', description: 'A ZIP archive' },
      errors: ['invalid_query'],
      handler: async ({ query }) =>
        bytesAnswer(streamBody(await inbox.export(query.query)), {
          'content-type': 'application/zip',
          'content-disposition': 'attachment; filename="mails.zip"',
        }),
    }),
    get('/dev/inbox/{id}', {
      summary: 'A mail in detail',
      success: { schema: mailSchema },
      errors: readErrors,
      handler: ({ params, signal }) => inbox.read(params.id, { signal: signal() }),
    }),
    get('/dev/inbox/{id}/checks', {
      // A check with `live` requests the links of a mail, which may change something elsewhere.
      needs: (query) => ((new URLSearchParams(query).get('live') ?? 'false') === 'false' ? 'read' : 'full'),
      summary: 'Check a mail for common problems',
      query: checksQuery,
      success: { schema: checkReportSchema },
      errors: [...readErrors, 'consent_required'],
      handler({ params, query, signal, mayComeFromMail }) {
        if (query.live && mayComeFromMail()) {
          const how = 'Send an API key or the header `X-Localpost-Page: 1`.'
          throw consentRequired('This would request the links of a mail', how)
        }
        return inbox.check(params.id, { ...query, signal: signal() })
      },
    }),
    get('/dev/inbox/{id}/client-support', {
      summary: 'How mail clients support the HTML and CSS of a mail',
      success: { schema: clientSupportSchema },
      errors: readErrors,
      handler: ({ params, signal }) => inbox.clientSupport(params.id, { signal: signal() }),
    }),
    get('/dev/inbox/{id}/preview', {
      summary: 'What a mail client keeps of the HTML of a mail, approximately, and what it ignores',
      query: previewQuery,
      success: { schema: mailPreviewSchema },
      errors: readErrors,
      handler: ({ params, query, signal }) => inbox.preview(params.id, { ...query, signal: signal() }),
    }),
    get('/dev/inbox/{id}/compare/{other}', {
      summary: 'How a mail differs from another one, or from the `previous` one with its subject',
      query: compareQuery,
      success: { schema: mailComparisonSchema },
      errors: readErrors,
      handler: ({ params, query, signal }) =>
        inbox.compare(params.id, params.other, { masked: query.masked !== 'false', signal: signal() }),
    }),
    patch('/dev/inbox/{id}', {
      summary: 'Mark as read or unread, set tags',
      body: { schema: mailChangesSchema },
      success: { schema: mailSummarySchema },
      handler: ({ params, body }) => inbox.update(params.id, body),
    }),
    remove('/dev/inbox/{id}', {
      summary: 'Remove a mail',
      handler: ({ params }) => inbox.remove(params.id),
    }),
    post('/dev/inbox/{id}/release', {
      summary: 'Send a mail to a real address, through the relay',
      body: { schema: releaseSchema },
      success: { schema: releasedSchema },
      errors: ['message_pending', 'relay_not_configured', 'relay_failed', 'store_corrupt', 'store_failed'],
      handler: ({ params, body }) => inbox.release(params.id, body),
    }),
  ]
}
