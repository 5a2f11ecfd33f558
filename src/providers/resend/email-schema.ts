import { z } from 'zod'

const texts = z.array(z.string())

const listedMembers = {
  id: z.string(),
  message_id: z.string().describe('The field Message-ID'),
  to: texts,
  from: z.string(),
  created_at: z.string().describe('ISO 8601'),
  subject: z.string(),
  bcc: texts.nullable(),
  cc: texts.nullable(),
  reply_to: texts.nullable(),
  last_event: z.enum([
    'bounced',
    'clicked',
    'complained',
    'delivered',
    'delivery_delayed',
    'failed',
    'opened',
    'scheduled',
    'sent',
    'suppressed',
  ]),
  scheduled_at: z.string().nullable(),
}

/** An email in the list. */
export const listedEmailSchema = z.strictObject(listedMembers)
export type ResendListedEmail = z.infer<typeof listedEmailSchema>

/** An email in detail. */
export const emailSchema = z.strictObject({
  object: z.literal('email'),
  ...listedMembers,
  html: z.string().nullable(),
  text: z.string().nullable(),
  tags: z.array(z.strictObject({ name: z.string(), value: z.string() })).optional(),
})
export type ResendEmailDetail = z.infer<typeof emailSchema>

/** An email that was changed. */
export const changedEmailSchema = z.strictObject({ object: z.literal('email'), id: z.string() })
