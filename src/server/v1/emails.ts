import { z } from 'zod'
import type { EmailService } from '../../emails/emails.ts'
import { maxKeyChars } from '../../emails/idempotency.ts'
import { emailDetailSchema, emailListItemSchema, sendRequestSchema } from '../../emails/schema.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { cursorQuery, listSchema, toList } from '../schemas.ts'

/** `/v1/emails`, docs/interface.md 4.2 to 4.4. */
export function emailRoutes(emails: EmailService): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/emails',
      summary: 'Send a transactional email',
      headers: {
        'Idempotency-Key': {
          description: 'At most 256 characters; the same request with the same key is sent once in 24 h',
          maxLength: maxKeyChars,
        },
      },
      body: { schema: sendRequestSchema, readBy: 'resource', maxBytes: bodyLimits.large },
      success: { schema: z.strictObject({ id: z.string().describe('Id of the queued email') }) },
      errors: [
        'invalid_attachment',
        'missing_variable',
        'template_not_found',
        'message_too_large',
        'domain_not_verified',
        'domain_not_registered',
        'idempotency_conflict',
      ],
      async handler({ body, headers, warn }) {
        const idempotencyKey = headers.get('idempotency-key') ?? undefined
        const { id, warnings } = await emails.accept(body, { idempotencyKey })
        warn(warnings)
        return { id }
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/emails',
      summary: 'List emails, newest first',
      query: cursorQuery,
      success: { schema: listSchema('emails', emailListItemSchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('emails', await emails.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/emails/{id}',
      summary: 'Email detail',
      success: { schema: emailDetailSchema },
      errors: ['not_found', 'store_corrupt', 'store_failed'],
      handler: ({ params, signal }) => emails.read(params.id, signal()),
    }),
  ]
}

const common = { tag: 'Emails', access: 'key' } as const
