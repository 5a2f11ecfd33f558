import { z } from 'zod'
import { queryNumber } from '../../server/query-values.ts'
import { pagingSchema } from './paging.ts'
import { timeForms } from './times.ts'

const text = z.string().max(1000)
const expression = text.optional().describe('A value, or several with AND, OR and NOT')

/** What the log of events can be filtered by. */
const filters = {
  event: text.optional().describe('Names of events: `failed`, `delivered OR opened`'),
  severity: text.optional().describe('`permanent` or `temporary`, of failures'),
  recipient: expression,
  to: expression,
  from: expression,
  subject: expression,
  tags: expression,
  'message-id': text.optional().describe('That of the answer to a send'),
}

/** The filters by which events are chosen. */
export const eventFiltersSchema = z.strictObject(filters)
export type MailgunEventFilters = z.infer<typeof eventFiltersSchema>

/** The query of `GET /v3/{domain}/events`. */
export const eventQuerySchema = z.strictObject({
  begin: text.optional().describe(timeForms),
  end: text.optional().describe('The same. An end before the beginning lists newest first'),
  ascending: z.enum(['yes', 'no']).optional().describe('Default: `no`, unless `begin` is before `end`'),
  limit: queryNumber(1, 300).optional().describe('Default: 100'),
  pretty: text.optional().describe('Has no effect'),
  ...filters,
})

/** A page of the log. */
export const eventPageSchema = z.strictObject({
  items: z.array(z.looseObject({ event: z.string(), id: z.string(), timestamp: z.number() })),
  paging: pagingSchema,
})
