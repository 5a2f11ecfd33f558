import { z } from 'zod'
import { checkReportSchema } from '../../checks/schema.ts'
import { previewClients } from '../../client-support/preview-clients.ts'
import { clientSupportSchema, mailPreviewSchema } from '../../client-support/schema.ts'
import { mailComparisonSchema } from '../../compare/schema.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { replyRequestSchema } from '../../inbox/reply-schema.ts'
import { mailChangesSchema, mailSchema, mailSummarySchema } from '../../inbox/schema.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { queryFlag } from '../query-values.ts'
import { consentRequired } from './consent.ts'

const { get, post, patch, remove } = defineRoutes({ tag: 'Inbox', access: 'local' })

/** The errors of a route that reads a stored message. */
export const readErrors: readonly ErrorCode[] = ['service_unavailable', 'store_corrupt', 'store_failed']

const names = z
  .string()
  .max(4000)
  .transform((text) => text.split(',').filter((name) => name !== ''))
  .optional()

/** `/dev/inbox/{id}`, but for the bytes of a mail; those are in `mail-bytes.ts`. */
export function mailRoutes(inbox: Inbox & Pick<InboxPages, 'read'>): Route[] {
  return [
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
      query: z.strictObject({
        except: names.describe(
          'Ids of checks to leave out, separated by commas. Default: the option `checks.except`',
        ),
        clients: names.describe(
          'Keys of the mail clients that matter, separated by commas. Default: the option `checks.clients`',
        ),
        live: queryFlag()
          .optional()
          .describe(
            'Asks each link and image once whether it answers, and fetches the BIMI logo; needs an API key or the header `X-Localpost-Page`. Default: false',
          ),
      }),
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
      query: z.strictObject({ client: z.enum(previewClients).describe('The mail client') }),
      success: { schema: mailPreviewSchema },
      errors: readErrors,
      handler: ({ params, query, signal }) => inbox.preview(params.id, { ...query, signal: signal() }),
    }),
    get('/dev/inbox/{id}/compare/{other}', {
      summary: 'How a mail differs from another one, or from the `previous` one with its subject',
      query: z.strictObject({
        masked: z
          .literal('false')
          .optional()
          .describe(
            'Shows ids, dates, tokens and codes, and counts them as differences. Default: they are masked',
          ),
      }),
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
    post('/dev/inbox/{id}/reply', {
      summary: 'Answer a mail as its recipient; the answer is stored as if it had been submitted now',
      body: { schema: replyRequestSchema, readBy: 'resource' },
      success: { schema: z.strictObject({ id: z.string().describe('Of the answer') }) },
      errors: ['state_conflict', 'invalid_attachment', 'message_too_large', 'message_pending', ...readErrors],
      handler: ({ params, body, signal }) => inbox.reply(params.id, body, { signal: signal() }),
    }),
    post('/dev/inbox/{id}/release', {
      summary: 'Send a mail to a real address, through the relay',
      body: { schema: z.strictObject({ to: z.string().min(1).describe('One address') }) },
      success: {
        schema: z.strictObject({
          id: z.string(),
          to: z.string(),
          smtp_response: z.string().describe('What the relay said'),
        }),
      },
      errors: ['message_pending', 'relay_not_configured', 'relay_failed', 'store_corrupt', 'store_failed'],
      handler: ({ params, body }) => inbox.release(params.id, body),
    }),
  ]
}
