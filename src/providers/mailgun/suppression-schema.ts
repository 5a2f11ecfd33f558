import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'
import { pageName } from './paging.ts'

/** How many addresses one request may add. */
const maxAdded = 1000

const address = z.string().min(1).max(1000)
const created = z.string().max(100).optional().describe('Has no effect: it is added now')

/** A bounce to add. */
export const bounceSchema = z.strictObject({
  address,
  code: z
    .union([z.string().max(10), z.int()])
    .optional()
    .describe('Has no effect'),
  error: z.string().max(10_000).optional().describe('Has no effect'),
  created_at: created,
})

/** A complaint to add. */
export const complaintSchema = z.strictObject({ address, created_at: created })

const every = z.literal('*', 'must be *: an unsubscribe is of all mail here')

/** An unsubscribe to add. */
export const unsubscribeSchema = z.strictObject({
  address,
  tag: every.optional(),
  tags: z.array(every).max(10).optional(),
  created_at: created,
})

/** One of them, or a list in JSON. */
export const addedSchema = <T>(one: z.ZodType<T>): z.ZodType<T | T[]> =>
  z.union([one, z.array(one).min(1).max(maxAdded)])

/** The query of the lists. */
export const suppressionQuerySchema = z.strictObject({
  limit: queryNumber(1, 1000).optional().describe('Default: 100'),
  page: pageName.optional().describe('Default: `first`'),
  address: z
    .string()
    .max(1000)
    .optional()
    .describe('With `next` and `previous`: the address beside the page'),
  term: z.string().max(1000).optional().describe('The beginning of the addresses'),
})
