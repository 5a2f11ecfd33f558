import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'

const created = z.int().describe('Unix time in seconds')
const email = z.string()

/** An address that a mail bounced from. */
export const bounceSchema = z.strictObject({
  created,
  email,
  reason: z.string().describe('The reply of the bounce; empty where its email is gone'),
  status: z.string().describe('The enhanced status code of the reply'),
})
export type SendGridBounce = z.infer<typeof bounceSchema>

/** An address whose owner complained. */
export const spamReportSchema = z.strictObject({
  created,
  email,
  ip: z.string(),
})

/** An address that gets no mail at all. */
export const unsubscribeSchema = z.strictObject({ created, email })

/** The query of a list of suppressions. */
export const suppressionQuerySchema = z.strictObject({
  start_time: queryNumber(0).optional(),
  end_time: queryNumber(0).optional(),
  limit: queryNumber(1, 500).optional(),
  offset: queryNumber(0).optional(),
  email: z.string().max(320).optional().describe('Only addresses with this text in them'),
})

const addresses = z.array(z.string().min(1).max(320)).min(1).max(1000)

/** Which entries of a list are removed. */
export const removalSchema = z
  .strictObject({ delete_all: z.literal(true).optional(), emails: addresses.optional() })
  .refine(({ delete_all, emails }) => (delete_all === undefined) !== (emails === undefined), {
    error: 'must have either delete_all or emails',
  })

/** Addresses that get no mail any more. */
export const globalInputSchema = z.strictObject({
  recipient_emails: addresses,
})
