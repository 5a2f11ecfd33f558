import { z } from 'zod'
import { LocalpostError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { checkInput } from '../../core/validate.ts'
import { eventFiltersSchema, type eventQuerySchema } from './event-schema.ts'
import { readMailgunTime } from './times.ts'

/** A page of the log; it is in the links to it. Times are Unix times in milliseconds; null for none. */
const pageSchema = z.strictObject({
  filters: eventFiltersSchema,
  from: z.number().nullable(),
  until: z.number().nullable(),
  isAscending: z.boolean(),
  limit: z.int().min(1).max(300),
  /** The time and the id of the event after or before which it begins. Null: at an end of the log. */
  at: z.tuple([z.number(), z.string().max(100)]).nullable(),
  /** Whether it is the page before that event, in the order of the list. */
  isBack: z.boolean(),
})
export type EventPage = Readonly<z.output<typeof pageSchema>>

/** The place of an event in the log. */
export type Position = NonNullable<EventPage['at']>

/** The first page of a query. @throws validation_error */
export function toPage(query: z.output<typeof eventQuerySchema>): EventPage {
  const { begin, end, ascending, limit = 100 } = query
  const isFilter = (name: string): boolean => Object.hasOwn(eventFiltersSchema.shape, name)
  const filters = Object.fromEntries(Object.entries(query).filter(([name]) => isFilter(name)))
  const beginTime = begin === undefined ? null : timeOf('begin', begin)
  const endTime = end === undefined ? null : timeOf('end', end)
  const isAscending = ascending === undefined ? isForward(beginTime, endTime) : ascending === 'yes'
  const [from, until] = rangeOf(beginTime, endTime, isAscending)
  return { filters, from, until, isAscending, limit, at: null, isBack: false }
}

/** Whether a query that names no direction lists the earliest events first. */
function isForward(beginTime: number | null, endTime: number | null): boolean {
  return beginTime !== null && endTime !== null && beginTime <= endTime
}

/** The earliest and the latest time of a query, whose `begin` is the later one if it goes backward. */
function rangeOf(
  beginTime: number | null,
  endTime: number | null,
  isAscending: boolean,
): [from: number | null, until: number | null] {
  if (beginTime === null) return [null, endTime]
  // A range without an end goes in the direction of the list.
  if (endTime === null) return isAscending ? [beginTime, null] : [null, beginTime]
  return beginTime > endTime ? [endTime, beginTime] : [beginTime, endTime]
}

function timeOf(field: string, text: string): number {
  const time = readMailgunTime(text)
  if (time !== null) return time
  throw validationError([{ field, message: 'must be a time in RFC 2822, or Unix time in seconds' }])
}

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
