import { z } from 'zod'
import type { Broadcast, BroadcastRequest, LeftOut, LeftOutContact } from './types.ts'
import { maxLeftOut } from './left-out.ts'
import { maxSubjectBytes } from '../emails/render.ts'
import { sendMembers } from '../emails/schema.ts'

/** The body of `POST /dev/broadcasts`: the same mail, made personal, to all who are subscribed. */
export const broadcastRequestSchema: z.ZodType<BroadcastRequest> = z
  .strictObject({
    audience_id: z.string().min(1),
    from: sendMembers.from,
    subject: z.string().max(maxSubjectBytes),
    html: z
      .string()
      .optional()
      .describe(
        '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in, as in `subject` and `text`',
      ),
    text: z.string().optional(),
  })
  .meta({
    description:
      '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in; one of `html` and `text` must not be empty.',
  })

/** A contact that a broadcast leaves out, and why. */
export const leftOutContactSchema: z.ZodType<LeftOutContact> = z.strictObject({
  id: z.string(),
  email: z.string(),
  reason: z.enum(['unsubscribed', 'invalid_address']),
  message: z.string().describe('The reason in words'),
})

/** The contacts of an audience that a broadcast leaves out. */
export const leftOutSchema: z.ZodType<LeftOut> = z
  .strictObject({
    unsubscribed: z.int().describe('How many contacts are not subscribed'),
    invalid_address: z.int().describe('How many contacts have an address that cannot be sent to'),
    contacts: z
      .array(leftOutContactSchema)
      .max(maxLeftOut)
      .describe('The first 100 of them; invalid addresses come first'),
  })
  .meta({ description: 'The contacts that get no email' })

/** The answer to a broadcast: one email per subscribed contact. */
export const broadcastSchema: z.ZodType<Broadcast> = z.strictObject({
  id: z.string().describe('Stands as a tag on each of its emails'),
  email_ids: z.array(z.string()),
  count: z.int().describe('How many emails: the length of `email_ids`'),
  left_out: leftOutSchema,
  warnings: z
    .array(z.string())
    .describe(
      'What was accepted and yet looks wrong: placeholders that stay as written, an unregistered domain',
    ),
})
