import { z } from 'zod'
import { queryName, queryTime } from './page-query.ts'
import { streamSchema } from './send-schema.ts'

const reasons = ['HardBounce', 'SpamComplaint', 'ManualSuppression'] as const
const origins = ['Recipient', 'Customer', 'Admin'] as const

/** An address of the suppression list. */
export const suppressionSchema = z.strictObject({
  EmailAddress: z.string(),
  SuppressionReason: z.enum(reasons),
  Origin: z.enum(origins).describe('`Customer` for one that was added by hand'),
  CreatedAt: z.string(),
})
export type PostmarkSuppression = z.infer<typeof suppressionSchema>

/** What became of an address of a request. */
export const suppressionStatusSchema = z.strictObject({
  EmailAddress: z.string(),
  Status: z.enum(['Suppressed', 'Deleted', 'Failed']),
  Message: z.string().nullable(),
})
export type PostmarkSuppressionStatus = z.infer<typeof suppressionStatusSchema>

/** The addresses of a request. */
export const suppressionsSchema = z.strictObject({
  Suppressions: z
    .array(z.strictObject({ EmailAddress: z.string().min(1).max(1000) }))
    .min(1)
    .max(50)
    .describe('At most 50'),
})
export type PostmarkSuppressions = z.infer<typeof suppressionsSchema>

/** The name of a stream in a path. */
export const streamName: z.ZodString = streamSchema

/** The query of the list. */
export const suppressionQuery = z.strictObject({
  suppressionreason: queryName(reasons),
  origin: queryName(origins),
  fromdate: queryTime('start'),
  todate: queryTime('end'),
  emailaddress: z.string().max(1000).optional(),
  count: z.string().max(20).optional().describe('Has no effect, as in Postmark: the SDK sends it'),
  offset: z.string().max(20).optional().describe('Has no effect, as in Postmark: the SDK sends it'),
})

/** @see {@link suppressionQuery} */
export type SuppressionQuery = z.infer<typeof suppressionQuery>
