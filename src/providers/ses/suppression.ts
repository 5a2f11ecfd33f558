import { z } from 'zod'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { toTimestamp } from './conventions.ts'
import { answerEmpty, emptyAnswer } from './empty-answer.ts'
import { sesFace } from './face.ts'
import {
  newSuppressionSchema,
  suppressedSchema,
  suppressionQuerySchema,
  type SesSuppressed,
} from './suppression-schema.ts'

const { get, put, del } = defineRoutes({ tag: 'Suppression', access: 'key', face: sesFace })

const path = '/ses/v2/email/suppression/addresses'

/** `/ses/v2/email/suppression`: the suppression list of this account. */
export function suppressionRoutes({ suppressions }: Pick<ProviderParts, 'suppressions'>): Route[] {
  return [
    put(path, {
      summary: 'PutSuppressedDestination',
      body: { schema: newSuppressionSchema, maxBytes: bodyLimits.small },
      success: { schema: emptyAnswer },
      async handler({ body: { EmailAddress, Reason } }) {
        const reason = Reason === 'BOUNCE' ? 'bounce' : 'complaint'
        await withNames(suppressions.add({ address: EmailAddress, reason }), { address: 'EmailAddress' })
        return {}
      },
    }),
    get(path, {
      summary: 'ListSuppressedDestinations: by address',
      query: suppressionQuerySchema,
      success: {
        schema: z.strictObject({
          SuppressedDestinationSummaries: z.array(suppressedSchema),
          NextToken: z.string().optional(),
        }),
      },
      errors: ['invalid_cursor'],
      async handler({ query: { NextToken, PageSize = 1000, Reason } }) {
        const limit = Math.min(PageSize, 100)
        const { items, cursor } = await suppressions.list({ limit, ...(NextToken && { cursor: NextToken }) })
        const wanted = Reason === undefined ? null : [Reason].flat()
        return {
          SuppressedDestinationSummaries: items
            .map(toSuppressed)
            .filter((one) => wanted?.includes(one.Reason) ?? true),
          ...(cursor === null ? {} : { NextToken: cursor }),
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

function toSuppressed({ address, reason, created }: Suppression): SesSuppressed {
  return {
    EmailAddress: address,
    Reason: reason === 'complaint' ? 'COMPLAINT' : 'BOUNCE',
    LastUpdateTime: toTimestamp(created),
  }
}
