import { z } from 'zod'
import { isErrorOf, LocalpostError, nullOn, quote } from '../../core/errors.ts'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import { postmarkFace } from './face.ts'
import {
  streamName,
  suppressionQuery,
  suppressionSchema,
  suppressionsSchema,
  suppressionStatusSchema,
  type SuppressionQuery,
  type PostmarkSuppression,
  type PostmarkSuppressions,
  type PostmarkSuppressionStatus,
} from './suppression-schema.ts'

const { get, post } = defineRoutes({ tag: 'Suppressions', access: 'key', face: postmarkFace })

const path = '/postmark/message-streams/{stream}/suppressions'
const body = { schema: suppressionsSchema, maxBytes: bodyLimits.small }
const success = { schema: z.strictObject({ Suppressions: z.array(suppressionStatusSchema) }) }

/** `/postmark/message-streams/{stream}/suppressions`: the suppression list of this account, which all streams share. */
export function suppressionRoutes({ suppressions }: Pick<ProviderParts, 'suppressions'>): Route[] {
  /** Does the same with each address, and says what became of it. */
  async function forEach(
    { Suppressions }: PostmarkSuppressions,
    stream: string,
    act: (address: string) => Promise<PostmarkSuppressionStatus['Status']>,
  ): Promise<{ Suppressions: PostmarkSuppressionStatus[] }> {
    assertStream(stream)
    const results: PostmarkSuppressionStatus[] = []
    for (const { EmailAddress } of Suppressions) {
      try {
        results.push({ EmailAddress, Status: await act(EmailAddress), Message: null })
      } catch (error) {
        if (!isErrorOf(error, 'validation_error')) throw error
        const Message = error.errors?.[0]?.message ?? error.message
        results.push({ EmailAddress, Status: 'Failed', Message })
      }
    }
    return { Suppressions: results }
  }

  async function remove(address: string): Promise<'Deleted'> {
    const found = await nullOn('not_found', suppressions.get(address))
    if (found?.reason === 'complaint') {
      const message = `${quote(address)} complained, which Postmark does not undo. Remove it from the suppression list of Localpost.`
      throw new LocalpostError('validation_error', message)
    }
    if (found) await nullOn('not_found', suppressions.remove(address))
    return 'Deleted'
  }

  return [
    get(`${path}/dump`, {
      summary: 'List the addresses that get no mail',
      query: suppressionQuery,
      success: { schema: z.strictObject({ Suppressions: z.array(suppressionSchema) }) },
      async handler({ params, query }) {
        assertStream(params.stream)
        const all: PostmarkSuppression[] = []
        for await (const one of allOf(suppressions.list)) {
          const shown = toSuppression(one)
          if (isWanted(shown, query)) all.push(shown)
        }
        return { Suppressions: all }
      },
    }),
    post(path, {
      summary: 'Add addresses that get no mail',
      body,
      success,
      handler: ({ params, body: given }) =>
        forEach(given, params.stream, async (address) => {
          await suppressions.add({ address })
          return 'Suppressed'
        }),
    }),
    post(`${path}/delete`, {
      summary: 'Remove addresses from the suppression list',
      body,
      success,
      handler: ({ params, body: given }) => forEach(given, params.stream, remove),
    }),
  ]
}

/** @throws not_found */
function assertStream(stream: string): void {
  if (streamName.safeParse(stream).success) return
  throw new LocalpostError('not_found', `${quote(stream)} is not the name of a message stream.`)
}

const reasons = { bounce: 'HardBounce', complaint: 'SpamComplaint', manual: 'ManualSuppression' } as const

function toSuppression({ address, reason, created }: Suppression): PostmarkSuppression {
  return {
    EmailAddress: address,
    SuppressionReason: reasons[reason],
    Origin: reason === 'manual' ? 'Customer' : 'Recipient',
    CreatedAt: toTime(created),
  }
}

function isWanted(
  { SuppressionReason, Origin, EmailAddress, CreatedAt }: PostmarkSuppression,
  { suppressionreason, origin, emailaddress, fromdate, todate }: SuppressionQuery,
): boolean {
  const time = Date.parse(CreatedAt)
  return (
    (suppressionreason === undefined || suppressionreason === SuppressionReason) &&
    (origin === undefined || origin === Origin) &&
    (emailaddress === undefined || emailaddress.toLowerCase() === EmailAddress.toLowerCase()) &&
    (fromdate === undefined || time >= fromdate) &&
    (todate === undefined || time <= todate)
  )
}
