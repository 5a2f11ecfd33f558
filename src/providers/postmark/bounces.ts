import { z } from 'zod'
import { LocalpostError } from '../../core/errors.ts'
import type { EmailRecord } from '../../emails/email.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { Where } from '../../store/queries.ts'
import { notFound } from '../../store/repository.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventsOf } from '../event-facts.ts'
import type { ProviderParts } from '../provider.ts'
import { suppressionsByReason } from '../suppressions-by-reason.ts'
import { bounceKinds, bounceSchema, bounceStatuses, bounceTypes, dumpOf, toBounce } from './bounce.ts'
import { postmarkFace, type PostmarkCause } from './face.ts'
import { checkPage, pageMembers, selectPage } from './pages.ts'
import { queryName, queryTime } from './query-members.ts'

const { get, put } = defineRoutes({ tag: 'Bounces', access: 'key', face: postmarkFace })

type PostmarkBounce = z.infer<typeof bounceSchema>

const text = z.string().min(1).max(1000).optional()

const bounceQuery = z
  .strictObject({
    ...pageMembers,
    type: queryName(bounceTypes),
    inactive: queryName(['true', 'false']),
    emailfilter: text.describe('A part of an address'),
    tag: text,
    messageid: text,
    fromdate: queryTime('start'),
    todate: queryTime('end'),
    messagestream: text,
  })
  .superRefine(checkPage)
type BounceQuery = z.infer<typeof bounceQuery>

/** `/postmark/bounces` and `/postmark/deliverystats`: what went wrong with the emails of this account. */
export function bounceRoutes({ sent, suppressions }: Pick<ProviderParts, 'sent' | 'suppressions'>): Route[] {
  function toAnswer(given: ShapedEvent): PostmarkBounce[] {
    const bounce = toBounce(given, suppressions.has(given.recipient))
    return bounce ? [{ RecordType: 'Bounce', ...bounce }] : []
  }

  /** An id is a hash of its event, under which nothing is stored, so bounces are read until one has it. @throws not_found */
  async function find(id: string): Promise<{ bounce: PostmarkBounce; given: ShapedEvent }> {
    for await (const emails of sent.matching(hasBounce))
      for (const given of emails.flatMap(newestEvents)) {
        const [bounce] = toAnswer(given)
        if (bounce && String(bounce.ID) === id) return { bounce, given }
      }
    throw notFound('bounce', id)
  }

  /** Removes the address of a bounce from the suppression list. @throws not_found; validation_error for a complaint. */
  async function activate(id: string): Promise<PostmarkBounce> {
    const { bounce } = await find(id)
    if (bounce.Type === bounceKinds.complaint.Type) {
      const message = `The bounce ${bounce.ID} is a spam complaint, which Postmark does not undo. Remove ${bounce.Email} from the suppression list of Localpost.`
      const cause: PostmarkCause = 'cannot_activate'
      throw new LocalpostError('validation_error', message, { cause })
    }
    // An entry for another reason is not of this bounce.
    const entries = suppressionsByReason(suppressions, 'bounce')
    if (await entries.find(bounce.Email)) await entries.remove(bounce.Email)
    return { ...bounce, Inactive: suppressions.has(bounce.Email) }
  }

  async function countAll(): Promise<object> {
    const counts = new Map<string, number>()
    for await (const emails of sent.matching(hasBounce))
      for (const { Type } of emails.flatMap(eventsOf).flatMap(toAnswer))
        counts.set(Type, (counts.get(Type) ?? 0) + 1)
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    return {
      InactiveMails: (await suppressions.list({ limit: 1 })).count,
      Bounces: [
        { Name: 'All', Count: all },
        ...Object.values(bounceKinds).flatMap(({ Name, Type }) => {
          const Count = counts.get(Type)
          return Count === undefined ? [] : { Type, Name, Count }
        }),
      ],
    }
  }

  return [
    get('/postmark/deliverystats', {
      // As the SDK for Node writes it.
      alsoAt: ['/postmark/deliveryStats'],
      summary: 'Count bounces by their types',
      success: {
        schema: z.strictObject({
          InactiveMails: z.int().describe('How many addresses are on the suppression list'),
          Bounces: z.array(z.strictObject({ Type: z.string().optional(), Name: z.string(), Count: z.int() })),
        }),
      },
      handler: countAll,
    }),
    get('/postmark/bounces', {
      summary: 'List bounces, by their emails, newest first',
      query: bounceQuery,
      success: { schema: z.strictObject({ TotalCount: z.int(), Bounces: z.array(bounceSchema) }) },
      async handler({ query }) {
        const page = await selectPage(sent.matching(whereOf(query)), query, (email) =>
          newestEvents(email)
            .flatMap(toAnswer)
            .filter((bounce) => isWanted(bounce, query)),
        )
        return { TotalCount: page.total, Bounces: page.items }
      },
    }),
    get('/postmark/bounces/{id}', {
      summary: 'Get a bounce',
      success: { schema: bounceSchema },
      handler: async ({ params }) => (await find(params.id)).bounce,
    }),
    get('/postmark/bounces/{id}/dump', {
      summary: 'Get what the server answered',
      success: { schema: z.strictObject({ Body: z.string().describe('`""` where no server answered') }) },
      handler: async ({ params }) => ({ Body: dumpOf((await find(params.id)).given.event) }),
    }),
    put('/postmark/bounces/{id}/activate', {
      summary: 'Remove the address of a bounce from the suppression list',
      success: { schema: z.strictObject({ Message: z.literal('OK'), Bounce: bounceSchema }) },
      errors: ['validation_error'],
      handler: async ({ params }) => ({ Message: 'OK', Bounce: await activate(params.id) }),
    }),
  ]
}

/** The emails whose outcome is a bounce for at least one recipient. */
const hasBounce: Where = { any: bounceStatuses.map((flag) => ({ flag })) }

// An email is never newer than its events.
function whereOf({ todate }: BounceQuery): Where {
  return todate === undefined ? hasBounce : { all: [hasBounce, { number: 'created', below: todate + 1 }] }
}

/** The events of an email, newest first. */
function newestEvents(email: EmailRecord): ShapedEvent[] {
  return eventsOf(email).sort((a, b) => b.event.timestamp - a.event.timestamp)
}

function isWanted(bounce: PostmarkBounce, query: BounceQuery): boolean {
  const { type, inactive, emailfilter, tag, messageid, fromdate, todate, messagestream } = query
  const time = Date.parse(bounce.BouncedAt)
  return (
    (type === undefined || type === bounce.Type) &&
    (inactive === undefined || inactive === String(bounce.Inactive)) &&
    (emailfilter === undefined || bounce.Email.toLowerCase().includes(emailfilter.toLowerCase())) &&
    (tag === undefined || tag === bounce.Tag) &&
    (messageid === undefined || messageid === bounce.MessageID) &&
    (fromdate === undefined || time >= fromdate) &&
    (todate === undefined || time <= todate) &&
    (messagestream === undefined || messagestream === bounce.MessageStream)
  )
}
