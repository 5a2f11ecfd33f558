import { z } from 'zod'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { withNames } from '../member-names.ts'
import { notSupported } from '../not-supported.ts'
import type { ProviderParts } from '../provider.ts'
import { toTimestamp } from './conventions.ts'
import { sesFace } from './face.ts'
import { answerEmpty, emptyAnswer, pageQuery, pageSchema } from './pages.ts'

const { get, put, del } = defineRoutes({ tag: 'Suppression', access: 'key', face: sesFace })

const path = '/ses/v2/email/suppression/addresses'

const reasonSchema = z.enum(['BOUNCE', 'COMPLAINT'])
const newSuppressionSchema = z.strictObject({
  EmailAddress: z.string().min(1).max(320),
  Reason: reasonSchema,
  TenantName: notSupported('Localpost has accounts, which the key chooses'),
})
const suppressedSchema = z.strictObject({
  EmailAddress: z.string(),
  Reason: reasonSchema.describe('`BOUNCE` also for addresses that were added by hand'),
  LastUpdateTime: z.number().describe('Unix time in seconds'),
})

/** `/ses/v2/email/suppression`: the suppression list of this account. */
export function suppressionRoutes({ suppressions }: Pick<ProviderParts, 'suppressions'>): Route[] {
  return [
    put(path, {
      summary: 'PutSuppressedDestination',
      body: { schema: newSuppressionSchema, maxBytes: bodyLimits.small },
      success: { schema: emptyAnswer },
      async handler({ body: { EmailAddress, Reason } }) {
        const reason = Reason === 'BOUNCE' ? 'bounce' : 'complaint'
        const adding = suppressions.add({ address: EmailAddress, reason })
        return answerEmpty(withNames(adding, { address: 'EmailAddress' }))
      },
    }),
    get(path, {
      summary: 'ListSuppressedDestinations: by address',
      query: z.strictObject({
        ...pageQuery.shape,
        Reason: z.union([reasonSchema, z.array(reasonSchema).max(2)]).optional(),
      }),
      success: { schema: pageSchema({ SuppressedDestinationSummaries: z.array(suppressedSchema) }) },
      errors: ['invalid_cursor'],
      async handler({ query: { NextToken, PageSize = 100, Reason } }) {
        const page = await suppressions.list({ limit: Math.min(PageSize, 100), cursor: NextToken })
        const wanted = [Reason ?? reasonSchema.options].flat()
        return {
          SuppressedDestinationSummaries: page.items
            .map(toSuppressed)
            .filter((one) => wanted.includes(one.Reason)),
          NextToken: page.cursor ?? undefined,
        }
      },
    }),
    get(`${path}/{address}`, {
      summary: 'GetSuppressedDestination',
      success: { schema: z.strictObject({ SuppressedDestination: suppressedSchema }) },
      handler: async ({ params }) => ({
        SuppressedDestination: toSuppressed(await suppressions.get(params.address)),
      }),
    }),
    del(`${path}/{address}`, {
      summary: 'DeleteSuppressedDestination',
      success: { schema: emptyAnswer },
      handler: ({ params }) => answerEmpty(suppressions.remove(params.address)),
    }),
  ]
}

function toSuppressed({ address, reason, created }: Suppression): z.infer<typeof suppressedSchema> {
  return {
    EmailAddress: address,
    Reason: reason === 'complaint' ? 'COMPLAINT' : 'BOUNCE',
    LastUpdateTime: toTimestamp(created),
  }
}
