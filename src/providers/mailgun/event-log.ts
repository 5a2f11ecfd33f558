import { z } from 'zod'
import { LocalpostError, quote, validationError } from '../../core/errors.ts'
import { nextTurn } from '../../core/machine.ts'
import { checkInput } from '../../core/validate.ts'
import type { EmailRecord } from '../../emails/email.ts'
import type { Route, RouteContext } from '../../server/route.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import type { ProviderParts } from '../provider.ts'
import { baseOf } from './base-url.ts'
import { readDomain } from './domain-name.ts'
import { eventId, toEventData } from './event-data.ts'
import { toFilter } from './event-filter.ts'
import {
  eventFiltersSchema,
  eventPageSchema,
  eventQuerySchema,
  type MailgunEventFilters,
} from './event-schema.ts'
import { rowsOf } from './face.ts'
import { readTime } from './times.ts'
import { mailgun } from './words.ts'

const { get } = rowsOf('Events')

/** `/v3/{domain}/events`: the events of all sends of this account, also of those by another interface. */
export function eventRoutes({ sent, sending }: Pick<ProviderParts, 'sent' | 'sending'>): Route[] {
  /** The emails that may have matching events, in pieces. */
  async function* emailsOf(filters: MailgunEventFilters): AsyncIterable<readonly EmailRecord[]> {
    const id = filters['message-id']?.replace(/^<(.*)>$/s, '$1')
    const found = id === undefined ? null : await sending.find(mailgun, `<${id}>`)
    if (found) yield found.emails
    else yield* sent.matching()
  }

  async function answer(domain: string, page: Page, context: Context): Promise<object> {
    const matches = toFilter(domain, page.filters)
    const nearest = new Nearest(page)
    for await (const emails of emailsOf(page.filters)) {
      for (const email of emails)
        for (const event of eventsOf(email)) if (nearest.mayTake(event) && matches(event)) nearest.take(event)
      context.signal().throwIfAborted()
      await nextTurn()
    }
    const found = nearest.found()
    const base = baseOf(context)
    const items = found.map((event) => ({
      ...toEventData(event),
      storage: { key: event.email.id, url: `${base}/v3/domains/${domain}/messages/${event.email.id}` },
    }))
    const link = (change: Partial<Page>): string =>
      `${base}/v3/${domain}/events/${write({ ...page, ...change })}`
    const [first, last] = [found[0], found.at(-1)]
    return {
      items,
      paging: {
        first: link({ at: null, isBack: false }),
        // Beside an empty page, at an end of the log, is that end.
        next: link({ at: last ? positionOf(last) : page.isBack ? null : page.at, isBack: false }),
        previous: link({ at: first ? positionOf(first) : page.isBack ? page.at : null, isBack: true }),
        last: link({ at: null, isBack: true }),
      },
    }
  }

  return [
    get('/mailgun/v3/{domain}/events', {
      summary: 'List the events of emails, newest first',
      query: eventQuerySchema,
      success: { schema: eventPageSchema },
      handler: ({ query, ...context }) => answer(readDomain(context.params.domain), toPage(query), context),
    }),
    get('/mailgun/v3/{domain}/events/{page}', {
      summary: 'Get a page of events, by a link of another one',
      query: z.strictObject({}),
      success: { schema: eventPageSchema },
      errors: ['invalid_cursor'],
      handler: (context) => answer(readDomain(context.params.domain), read(context.params.page), context),
    }),
  ]
}

type Context = Pick<RouteContext, 'headers' | 'isSecure' | 'signal'>

/** The place of an event in the log. */
type Position = [timestamp: number, id: string]

/** A page of the log; it is in the links to it. */
interface Page {
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

function toPage(query: z.output<typeof eventQuerySchema>): Page {
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
  const time = readTime(text)
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

function write(page: Page): string {
  return Buffer.from(JSON.stringify(page)).toString('base64url')
}

function read(token: string): Page {
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

function* eventsOf(email: EmailRecord): Iterable<ShapedEvent> {
  for (const { recipient, events } of email.recipients)
    for (const event of events) yield { email, recipient, event }
}

function positionOf(event: ShapedEvent): Position {
  return [event.event.timestamp, eventId(event)]
}

/** Keeps the events that a page has, of any number that it is shown. */
class Nearest {
  readonly #page: Page
  /** Whether earlier events are nearer. */
  readonly #isEarliest: boolean
  #kept: { position: Position; event: ShapedEvent }[] = []

  constructor(page: Page) {
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
