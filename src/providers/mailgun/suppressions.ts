import { z } from 'zod'
import { LocalpostError } from '../../core/errors.ts'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { queryNumber } from '../../server/query-values.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { assertAddresses, suppressionsByReason } from '../suppressions-by-reason.ts'
import { readDomain, toTime } from './conventions.ts'
import { mailgunFace } from './face.ts'
import { linksOf, pageName, pageOf, pagingSchema } from './paging.ts'

const { get, post, del } = defineRoutes({ tag: 'Suppressions', access: 'key', face: mailgunFace })

/** One of Mailgun's lists: the entries of ours that have its reason. */
interface SuppressionList {
  readonly name: 'bounces' | 'complaints' | 'unsubscribes'
  readonly reason: Suppression['reason']
  readonly added: z.ZodType<{ address: string }>
  /** The members of an entry beside its address and time. */
  readonly members: object
  readonly removed: string
  readonly removedAll: string
}

const addressSchema = z.string().min(1).max(1000)
const created_at = z.string().max(100).optional().describe('Has no effect: it is added now')
const noEffectText = 'Has no effect'
const smtpCode = z.union([z.string().max(10), z.int()]).optional()
const allTags = z.literal('*', 'must be *: an unsubscribe is of all mail here')

const lists: readonly SuppressionList[] = [
  {
    name: 'bounces',
    reason: 'bounce',
    added: z.strictObject({
      address: addressSchema,
      code: smtpCode.describe(noEffectText),
      error: z.string().max(10_000).optional().describe(noEffectText),
      created_at,
    }),
    members: { code: '550', error: '' },
    removed: 'Bounced address has been removed',
    removedAll: 'Bounced addresses for this domain have been removed',
  },
  {
    name: 'complaints',
    reason: 'complaint',
    added: z.strictObject({ address: addressSchema, created_at }),
    members: {},
    removed: 'Spam complaint has been removed',
    removedAll: 'Complaint addresses for this domain have been removed',
  },
  {
    name: 'unsubscribes',
    reason: 'manual',
    added: z.strictObject({
      address: addressSchema,
      tag: allTags.optional(),
      tags: z.array(allTags).max(10).optional(),
      created_at,
    }),
    members: { tags: ['*'] },
    removed: 'Unsubscribe event has been removed',
    removedAll: 'Unsubscribe addresses for this domain have been removed',
  },
]

/** How many addresses one request may add. */
const maxAdded = 1000

const queryText = z.string().max(1000).optional()
const querySchema = z.strictObject({
  limit: queryNumber(1, 1000).optional().describe('Default: 100'),
  page: pageName.optional().describe('Default: `first`'),
  address: queryText.describe('With `next` and `previous`: the address beside the page'),
  term: queryText.describe('The beginning of the addresses'),
})
const entrySchema = z.looseObject({ address: z.string(), created_at: z.string() })
const doneSchema = z.strictObject({ message: z.string(), address: z.string().optional() })

/** `/v3/{domain}/bounces`, `complaints` and `unsubscribes`: the suppression list of this account, which all domains share. */
export function suppressionRoutes({ suppressions }: Pick<ProviderParts, 'suppressions'>): Route[] {
  return lists.flatMap((list) => routesOf(list, suppressions))
}

const keyOf = ({ address }: Suppression): string => address.toLowerCase()

function routesOf(list: SuppressionList, suppressions: ProviderParts['suppressions']): Route[] {
  const { name, reason, added, members } = list
  const toEntry = ({ address, created }: Suppression): object => ({
    address,
    ...members,
    created_at: toTime(created),
  })

  const entries = suppressionsByReason(suppressions, reason)

  async function* startingWith(term: string): AsyncIterable<Suppression> {
    for await (const one of entries.all()) if (keyOf(one).startsWith(term.toLowerCase())) yield one
  }

  async function find(address: string): Promise<Suppression> {
    const found = await entries.find(address)
    if (found) return found
    throw new LocalpostError('not_found', `Address not found in ${name} table`)
  }

  return [
    get(`/mailgun/v3/{domain}/${name}`, {
      summary: `List ${name}, by address`,
      query: querySchema,
      success: { schema: z.strictObject({ items: z.array(entrySchema), paging: pagingSchema }) },
      async handler({ query, params, ...context }) {
        const { limit = 100, page = 'first', address = '', term } = query
        const wanted = { limit, page, pivot: address.toLowerCase() }
        const items = await pageOf(startingWith(term ?? ''), keyOf, wanted)
        const path = `/v3/${readDomain(params.domain)}/${name}`
        const pivotParam = { name: 'address', more: term === undefined ? undefined : { term } }
        const paging = linksOf(path, items.map(keyOf), wanted, pivotParam, context)
        return { items: items.map(toEntry), paging }
      },
    }),
    get(`/mailgun/v3/{domain}/${name}/{address}`, {
      summary: `Get an address of ${name}`,
      success: { schema: entrySchema },
      handler: async ({ params }) => toEntry(await find(params.address)),
    }),
    post(`/mailgun/v3/{domain}/${name}`, {
      summary: `Add an address to ${name}, or a list of them in JSON`,
      body: { schema: z.union([added, z.array(added).min(1).max(maxAdded)]), forms: 'also' },
      success: { schema: doneSchema },
      async handler({ body }) {
        const all = [body].flat()
        const addresses = all.map(({ address }) => address)
        assertAddresses(addresses, (i) => (Array.isArray(body) ? `[${i}].address` : 'address'))
        for (const { address } of all) await suppressions.add({ address, reason })
        const [{ address } = { address: '' }] = all
        if (!Array.isArray(body)) return { message: `Address has been added to the ${name} table`, address }
        return { message: `${all.length} addresses have been added to the ${name} table` }
      },
    }),
    del(`/mailgun/v3/{domain}/${name}/{address}`, {
      summary: `Remove an address from ${name}`,
      success: { schema: doneSchema },
      async handler({ params }) {
        const { address } = await find(params.address)
        await entries.remove(address)
        return { message: list.removed, address }
      },
    }),
    del(`/mailgun/v3/{domain}/${name}`, {
      summary: `Remove all ${name}`,
      success: { schema: doneSchema },
      async handler() {
        for await (const { address } of entries.all()) await entries.remove(address)
        return { message: list.removedAll }
      },
    }),
  ]
}
