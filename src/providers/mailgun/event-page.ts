import { z } from 'zod'
import { LocalpostError, validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { checkInput } from '../../core/validate.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventId } from './event-data.ts'
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
  isBack: z.boolean(),
})
export type EventPage = Readonly<z.output<typeof pageSchema>>

/** The place of an event in the log. */
export type Position = NonNullable<EventPage['at']>

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

/** Keeps the events that a page has, of any number that it is shown. */
export class NearestEvents {
  readonly #page: EventPage
  /** Whether earlier events are nearer. */
  readonly #isEarliest: boolean
  #kept: { position: Position; event: ShapedEvent }[] = []

  constructor(page: EventPage) {
    this.#page = page
    this.#isEarliest = page.isAscending !== page.isBack
  }

  /** Whether the time of an event is right. */
  mayTake({ event: { timestamp } }: ShapedEvent): boolean {
    const { from, until } = this.#page
    return (from === null || timestamp >= from) && (until === null || timestamp <= until)
  }

  take(event: ShapedEvent): void {
    const { at, limit } = this.#page
    const position = positionOf(event)
    if (at !== null && this.#compare(position, at) <= 0) return
    this.#kept.push({ position, event })
    if (this.#kept.length > limit * 2 + 100) this.#trim()
  }

  /** In the order of the log. */
  found(): ShapedEvent[] {
    this.#trim()
    const events = this.#kept.map(({ event }) => event)
    return this.#page.isBack ? events.reverse() : events
  }

  #trim(): void {
    this.#kept = this.#kept
      .sort((one, other) => this.#compare(one.position, other.position))
      .slice(0, this.#page.limit)
  }

  #compare([time, id]: Position, [otherTime, otherId]: Position): number {
    const order = time - otherTime || (id < otherId ? -1 : id > otherId ? 1 : 0)
    return this.#isEarliest ? order : -order
  }
}

export function positionOf(event: ShapedEvent): Position {
  return [event.event.timestamp, eventId(event)]
}
