import { z } from 'zod'
import { nextTurn } from '../../core/machine.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route, RouteContext } from '../../server/route.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
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
    if (found) yield found.emails
    else yield* sent.matching()
  }

  async function answer(domain: string, page: EventPage, context: Context): Promise<object> {
    const matches = toEventFilter(domain, page.filters)
    const nearest = new NearestEvents(page)
    for await (const emails of emailsOf(page.filters)) {
      for (const email of emails)
        for (const event of eventsOf(email)) if (nearest.mayTake(event) && matches(event)) nearest.take(event)
      context.signal().throwIfAborted()
      await nextTurn()
    }
    const found = nearest.found()
    const base = baseUrlOf(context)
    const items = found.map((event) => ({
      ...toEventData(event),
      storage: { key: event.email.id, url: `${base}/v3/domains/${domain}/messages/${event.email.id}` },
    }))
    const link = (change: Partial<EventPage>): string =>
      `${base}/v3/${domain}/events/${writePage({ ...page, ...change })}`
    const [first, last] = [found[0], found.at(-1)]
    const emptyAt = page.isBack ? { next: null, previous: page.at } : { next: page.at, previous: null }
    return {
      items,
      paging: {
        first: link({ at: null, isBack: false }),
        // An empty page is at an end of the log: the link further on leads to itself, the other one to that end.
        next: link({ at: last ? positionOf(last) : emptyAt.next, isBack: false }),
        previous: link({ at: first ? positionOf(first) : emptyAt.previous, isBack: true }),
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
      handler: (context) => answer(readDomain(context.params.domain), readPage(context.params.page), context),
    }),
  ]
}

type Context = Pick<RouteContext, 'headers' | 'isSecure' | 'signal'>

function* eventsOf(email: EmailRecord): Iterable<ShapedEvent> {
  for (const { recipient, events } of email.recipients)
    for (const event of events) yield { email, recipient, event }
}
