import { z } from 'zod'
import type { Broadcast, BroadcastRequest, LeftOut } from './broadcast.ts'
import { maxLeftOut } from './left-out.ts'
import { maxSubjectBytes } from '../emails/render.ts'
import { sendMembers } from '../emails/schema.ts'

/** The body of `POST /dev/broadcasts`. */
export const broadcastRequestSchema: z.ZodType<BroadcastRequest> = z
  .object({
    audience_id: z.string().min(1),
    from: sendMembers.from,
    subject: z.string().max(maxSubjectBytes),
    html: z.string().optional(),
    text: z.string().optional(),
  })
  .meta({
    description:
      '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in; one of `html` and `text` must not be empty.',
  })

const leftOutSchema: z.ZodType<LeftOut> = z
  .strictObject({
    unsubscribed: z.int().describe('How many contacts are not subscribed'),
    invalid_address: z.int().describe('How many contacts have an address that cannot be sent to'),
    contacts: z
      .array(
        z.strictObject({
          id: z.string(),
          email: z.string(),
          reason: z.enum(['unsubscribed', 'invalid_address']),
          message: z.string().describe('The reason in words'),
        }),
      )
      .max(maxLeftOut)
      .describe('The first 100 of them; invalid addresses come first'),
  })
  .meta({ description: 'The contacts that get no email' })

/** The answer to it. */
export const broadcastSchema: z.ZodType<Broadcast> = z.strictObject({
  id: z.string().describe('Stands as a tag on each of its emails'),
  email_ids: z.array(z.string()),
  count: z.int(),
  left_out: leftOutSchema,
  warnings: z.array(z.string()).describe('What was accepted and yet looks wrong'),
})
