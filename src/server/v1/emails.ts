import { traceOfRequest } from '../../core/trace-context.ts'
import { z } from 'zod'
import type { EmailService } from '../../emails/emails.ts'
import { sendErrors } from '../../sending/results.ts'
import { emailDetailSchema, emailListItemSchema } from '../../emails/schema.ts'
import { sendRequestSchema } from '../../emails/send-schema.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { idempotencyHeader } from '../idempotency-header.ts'
import { v1PageQuery } from '../lists.ts'

const { get, post, list } = defineRoutes({ tag: 'Emails', access: 'key' })

/** `/v1/emails`, docs/interface.md 4.2 to 4.4. */
export function emailRoutes(emails: EmailService): Route[] {
  return [
    post('/v1/emails', {
      needs: 'send',
      summary: 'Send a transactional email',
      headers: idempotencyHeader('the same request with the same key is sent once in 24 h'),
      body: { schema: sendRequestSchema, readBy: 'resource', maxBytes: bodyLimits.large },
      success: { schema: z.strictObject({ id: z.string().describe('Id of the queued email') }) },
      errors: [...sendErrors, 'idempotency_conflict'],
      async handler({ body, headers, warn }) {
        const idempotencyKey = headers.get('idempotency-key') ?? undefined
        const { id, warnings } = await emails.accept(body, {
          idempotencyKey,
          trace: traceOfRequest(headers),
        })
        warn(warnings)
        return { id }
      },
    }),
    list('/v1/emails', 'emails', emailListItemSchema, {
      summary: 'List emails, newest first',
      query: v1PageQuery,
      handler: ({ query }) => emails.list(query),
    }),
    get('/v1/emails/{id}', {
      summary: 'Email detail',
      success: { schema: emailDetailSchema },
      errors: ['store_corrupt', 'store_failed'],
      handler: ({ params, signal }) => emails.read(params.id, signal()),
    }),
  ]
}
