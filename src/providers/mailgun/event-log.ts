import { z } from 'zod'
import { nextTurn } from '../../core/machine.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route, RouteContext } from '../../server/route.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventsOf } from '../event-facts.ts'
import type { ProviderParts } from '../provider.ts'
import { mailgun, readDomain } from './conventions.ts'
import { toEventData } from './event-data.ts'
import { toEventFilter } from './event-filter.ts'
import { type EventPage, readPage, toPage, writePage } from './event-page.ts'
import { eventPageSchema, eventQuerySchema, type MailgunEventFilters } from './event-schema.ts'
import { mailgunFace } from './face.ts'
import { NearestEvents, positionOf } from './nearest-events.ts'
import { baseUrlOf } from './paging.ts'

const { get } = defineRoutes({ tag: 'Events', access: 'key', face: mailgunFace })

/** `/v3/{domain}/events`: the events of all sends of this account, also of those by another interface. */
export function eventRoutes({ sent, sending }: Pick<ProviderParts, 'sent' | 'sending'>): Route[] {
  /** The emails that may have matching events, in pieces. */
  async function* emailsOf(filters: MailgunEventFilters): AsyncIterable<readonly EmailRecord[]> {
    const id = filters['message-id']?.replace(/^<(.*)>$/s, '$1')
    const found = id === undefined ? null : await sending.find(mailgun, `<${id}>`)
    // Not found: the filter may be an expression, or a part of an id, or an id that another interface gave.
    if (found) yield found.emails
    else yield* sent.matching()
  }

  /** The events of a page, in the order of the log. */
  async function eventsOn(page: EventPage, domain: string, signal: AbortSignal): Promise<ShapedEvent[]> {
    const matches = toEventFilter(domain, page.filters)
    const nearest = new NearestEvents(page)
    for await (const emails of emailsOf(page.filters)) {
      for (const email of emails)
        for (const event of eventsOf(email)) if (nearest.mayTake(event) && matches(event)) nearest.take(event)
      signal.throwIfAborted()
      await nextTurn()
    }
    return nearest.found()
  }

  async function answer(page: EventPage, context: Context): Promise<object> {
    const domain = readDomain(context.params.domain)
    const events = await eventsOn(page, domain, context.signal())
    const base = baseUrlOf(context)
    const items = events.map((event) => {
      const key = event.email.id
      return { ...toEventData(event), storage: { key, url: `${base}/v3/domains/${domain}/messages/${key}` } }
    })
    return { items, paging: linksBeside(page, events, `${base}/v3/${domain}/events/`) }
  }

  return [
    get('/mailgun/v3/{domain}/events', {
      summary: 'List the events of emails, newest first',
      query: eventQuerySchema,
      success: { schema: eventPageSchema },
      handler: ({ query, ...context }) => answer(toPage(query), context),
    }),
    get('/mailgun/v3/{domain}/events/{page}', {
      summary: 'Get a page of events, by a link of another one',
      query: z.strictObject({}),
      success: { schema: eventPageSchema },
      errors: ['invalid_cursor'],
      handler: (context) => answer(readPage(context.params.page), context),
    }),
  ]
}

type Context = Pick<RouteContext<{ domain: string }>, 'params' | 'headers' | 'isSecure' | 'signal'>

/** @param events  Of the page. */
function linksBeside(page: EventPage, events: readonly ShapedEvent[], path: string): object {
  const link = (change: Pick<EventPage, 'at' | 'isBack'>): string => path + writePage({ ...page, ...change })
  const { next, previous } = positionsBeside(page, events)
  return {
    first: link({ at: null, isBack: false }),
    next: link({ at: next, isBack: false }),
    previous: link({ at: previous, isBack: true }),
    last: link({ at: null, isBack: true }),
  }
}

/** Where the pages beside begin; null is the end of the log that the page is read from. */
function positionsBeside(
  { at, isBack }: EventPage,
  events: readonly ShapedEvent[],
): Record<'next' | 'previous', EventPage['at']> {
  const [first, last] = [events[0], events.at(-1)]
  if (first && last) return { next: positionOf(last), previous: positionOf(first) }
  // An empty page lies beyond an end of the log: one link leads to itself, the other to the page at that end.
  if (isBack) return { next: null, previous: at }
  return { next: at, previous: null }
}
