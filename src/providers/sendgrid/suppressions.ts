import { z } from 'zod'
import { nullOn } from '../../core/errors.ts'
import { isScheduled } from '../../sending/scheduled.ts'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { queryNumber } from '../../server/query-values.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import { enhancedCodeIn } from '../event-facts.ts'
import type { ProviderParts } from '../provider.ts'
import {
  assertAddresses,
  suppressionsByReason,
  type SuppressionsByReason,
} from '../suppressions-by-reason.ts'
import { sendgrid, toSeconds } from './conventions.ts'
import { answerNothing, sendgridFace } from './face.ts'

const { get, post, del } = defineRoutes({ tag: 'Suppressions', access: 'key', face: sendgridFace })

const created = z.int().describe('Unix time in seconds')
const email = z.string()
const bounceSchema = z.strictObject({
  created,
  email,
  reason: z.string().describe('The reply of the bounce; empty where its email is gone'),
  status: z.string().describe('The enhanced status code of the reply'),
})
const querySchema = z.strictObject({
  start_time: queryNumber(0).optional(),
  end_time: queryNumber(0).optional(),
  limit: queryNumber(1, 500).optional(),
  offset: queryNumber(0).optional(),
  email: z.string().max(320).optional().describe('Only addresses with this text in them'),
})
const addresses = z.array(z.string().min(1).max(320)).min(1).max(1000)
const removalSchema = z
  .strictObject({ delete_all: z.literal(true).optional(), emails: addresses.optional() })
  .refine(({ delete_all, emails }) => (delete_all === undefined) !== (emails === undefined), {
    error: 'must have either delete_all or emails',
  })
const globalSchema = z.strictObject({ recipient_emails: addresses })

const nothing = { status: 204 }

/** The suppression list of this account, by the reasons of its entries. */
export function suppressionRoutes({ suppressions, sent }: ProviderParts): Route[] {
  const bounces = suppressionsByReason(suppressions, 'bounce')
  const complaints = suppressionsByReason(suppressions, 'complaint')
  const manual = suppressionsByReason(suppressions, 'manual')

  async function toBounce(entry: Suppression): Promise<z.output<typeof bounceSchema>> {
    const { address, created, email_id } = entry
    const reason = email_id === undefined ? '' : await replyOf(email_id, address)
    return { created: toSeconds(created), email: address, reason, status: enhancedCodeIn(reason) ?? '' }
  }

  /** The reply with which an email bounced. */
  async function replyOf(emailId: string, address: string): Promise<string> {
    const email = await nullOn('not_found', sent.get(emailId, sendgrid))
    if (!email || isScheduled(email)) return ''
    const { events = [] } = email.recipients.find(({ recipient }) => recipient === address) ?? {}
    const bounce = events.find((event) => event.status === 'bounced')
    return bounce?.smtp_response ?? ''
  }

  const globals = '/sendgrid/v3/asm/suppressions/global'
  return [
    ...listRoutes('/sendgrid/v3/suppression/bounces', bounces, {
      what: 'the bounces',
      schema: bounceSchema,
      write: toBounce,
    }),
    ...listRoutes('/sendgrid/v3/suppression/spam_reports', complaints, {
      what: 'the spam reports',
      schema: z.strictObject({ created, email, ip: z.string() }),
      write: async (entry) => ({ ...toUnsubscribe(entry), ip: '127.0.0.1' }),
    }),
    get('/sendgrid/v3/suppression/unsubscribes', {
      summary: 'List the addresses that were added by hand, by address',
      query: querySchema,
      success: { schema: z.array(z.strictObject({ created, email })) },
      handler: async ({ query }) => (await pageOf(manual, query)).map(toUnsubscribe),
    }),
    post(globals, {
      summary: 'Add addresses to the suppression list',
      body: { schema: globalSchema, maxBytes: bodyLimits.content },
      success: { status: 201, schema: globalSchema },
      async handler({ body }) {
        assertAddresses(body.recipient_emails, (i) => `recipient_emails[${i}]`)
        for (const address of body.recipient_emails) await suppressions.add({ address })
        return body
      },
    }),
    get(`${globals}/{email}`, {
      summary: 'Get an address that was added by hand, in an object that is empty without it',
      success: { schema: z.strictObject({ recipient_email: z.string().optional() }) },
      async handler({ params }) {
        const entry = await manual.find(params.email)
        return entry ? { recipient_email: entry.address } : {}
      },
    }),
    del(`${globals}/{email}`, {
      summary: 'Remove an address that was added by hand',
      success: nothing,
      handler: ({ params }) => answerNothing(removeAll(manual, [params.email])),
    }),
  ]
}

/** The routes of the list of one reason. */
function listRoutes<const Path extends string>(
  path: Path,
  entries: SuppressionsByReason,
  answers: { what: string; schema: z.ZodType; write: (entry: Suppression) => Promise<object> },
): Route[] {
  const { what, schema, write } = answers
  return [
    get(path, {
      summary: `List ${what}, by address`,
      query: querySchema,
      success: { schema: z.array(schema) },
      handler: async ({ query }) => Promise.all((await pageOf(entries, query)).map(write)),
    }),
    get(`${path}/{email}`, {
      summary: `Get one of ${what}, in an array that is empty without it`,
      success: { schema: z.array(schema) },
      async handler({ params }) {
        const entry = await entries.find(params.email)
        return entry ? [await write(entry)] : []
      },
    }),
    del(path, {
      summary: `Remove some of ${what}, or all`,
      body: { schema: removalSchema, maxBytes: bodyLimits.content },
      success: nothing,
      handler: async ({ body: { emails } }) =>
        answerNothing(removeAll(entries, emails ?? (await addressesOf(entries)))),
    }),
    del(`${path}/{email}`, {
      summary: `Remove one of ${what}`,
      success: nothing,
      handler: ({ params }) => answerNothing(removeAll(entries, [params.email])),
    }),
  ]
}

function toUnsubscribe({ address, created }: Suppression): object {
  return { created: toSeconds(created), email: address }
}

async function addressesOf(entries: SuppressionsByReason): Promise<string[]> {
  const addresses: string[] = []
  for await (const { address } of entries.all()) addresses.push(address)
  return addresses
}

/** @throws not_found, before any is removed, for one that is not there. */
async function removeAll(entries: SuppressionsByReason, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) if (!(await entries.find(address))) throw notFound('suppression', address)
  for (const address of new Set(addresses)) await entries.remove(address)
}

async function pageOf(
  entries: SuppressionsByReason,
  query: z.output<typeof querySchema>,
): Promise<Suppression[]> {
  const { start_time = 0, end_time = Number.MAX_SAFE_INTEGER, limit = 500, offset = 0, email = '' } = query
  const found: Suppression[] = []
  for await (const entry of entries.all()) {
    const time = toSeconds(entry.created)
    const isWanted = entry.address.toLowerCase().includes(email.toLowerCase())
    if (isWanted && time >= start_time && time <= end_time) found.push(entry)
  }
  return found.slice(offset, offset + limit)
}
