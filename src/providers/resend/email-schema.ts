import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'

/** Resend's names of the last event of an email. */
const lastEvents = [
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
] as const

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
  last_event: z.enum(lastEvents),
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

/** A page of a list. */
export function listSchema(item: z.ZodType): z.ZodType {
  return z.strictObject({ object: z.literal('list'), has_more: z.boolean(), data: z.array(item) })
}

/** Which items of a list are asked for. */
export interface PageQuery {
  limit?: number | undefined
  after?: string | undefined
  before?: string | undefined
}

/** The query of a list. */
export function pageQuery(defaultLimit: number): z.ZodType<PageQuery> {
  return z.strictObject({
    limit: queryNumber(1, 100).optional().describe(`Default: ${defaultLimit}`),
    after: z.string().optional().describe('The id of the last item of the previous page'),
    before: z.string().optional().describe('The id of the first item of the next page'),
  })
}
