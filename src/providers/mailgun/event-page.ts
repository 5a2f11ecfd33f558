import { z } from 'zod'
import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { checkInput } from '../../core/validate.ts'
import { eventFiltersSchema, type eventQuerySchema, type MailgunEventFilters } from './event-schema.ts'
import { readMailgunTime } from './times.ts'

/** The place of an event in the log. */
export type Position = [timestamp: number, id: string]

/** A page of the log; it is in the links to it. */
export interface EventPage {
  readonly filters: MailgunEventFilters
  /** Unix time in milliseconds; null for none. */
  readonly from: number | null
  readonly until: number | null
  readonly isAscending: boolean
  readonly limit: number
  /** Where it begins: after this event, or before it. Null: at an end of the log. */
  readonly at: Position | null
  readonly isBack: boolean
}

/** The first page of a query. @throws validation_error */
export function toPage(query: z.output<typeof eventQuerySchema>): EventPage {
  const { begin, end, ascending, limit = 100, ...others } = query
  const filters = Object.fromEntries(Object.entries(others).filter(([name]) => name !== 'pretty'))
  const from = begin === undefined ? null : timeOf('begin', begin)
  const until = end === undefined ? null : timeOf('end', end)
  const isForward = from !== null && until !== null && from <= until
  const isAscending = ascending === undefined ? isForward : ascending === 'yes'
  const [earliest, latest] = from !== null && until !== null && from > until ? [until, from] : [from, until]
  // A range without an end goes in the direction of the list.
  const isBackward = until === null && !isAscending && from !== null
  return {
    filters,
    from: isBackward ? null : earliest,
    until: isBackward ? from : latest,
    isAscending,
    limit,
    at: null,
    isBack: false,
  }
}

function timeOf(field: string, text: string): number {
  const time = readMailgunTime(text)
  if (time !== null) return time
  throw validationError([{ field, message: `must be a time in RFC 2822, or Unix time in seconds` }])
}

const pageSchema = z.strictObject({
  filters: eventFiltersSchema,
  from: z.number().nullable(),
  until: z.number().nullable(),
  isAscending: z.boolean(),
  limit: z.int().min(1).max(300),
  at: z.tuple([z.number(), z.string().max(100)]).nullable(),
  isBack: z.boolean(),
})

/** A page as it is in a link. */
export function writePage(page: EventPage): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url')
}

/** @throws invalid_cursor */
export function readPage(token: string): EventPage {
  let given: unknown
  try {
    given = JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    given = undefined
  }
  const checked = checkInput(pageSchema, given)
  if ('value' in checked) return checked.value
  throw new LocalpostError(
    'invalid_cursor',
    `${quote(token)} is not a page of events. Use the links of an answer.`,
  )
}
