import { z } from 'zod'
import { isErrorOf, LocalpostError, nullOn } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import type { Suppression } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import { postmarkFace } from './face.ts'
import { queryName, queryTime } from './query-members.ts'
import { streamSchema } from './send-schema.ts'

const { get, post } = defineRoutes({ tag: 'Suppressions', access: 'key', face: postmarkFace })

const path = '/postmark/message-streams/{stream}/suppressions'

const reasons = { bounce: 'HardBounce', complaint: 'SpamComplaint', manual: 'ManualSuppression' } as const
const origins = ['Recipient', 'Customer', 'Admin'] as const
const suppressionSchema = z.strictObject({
  EmailAddress: z.string(),
  SuppressionReason: z.enum(reasons),
  Origin: z.enum(origins).describe('`Customer` for one that was added by hand'),
  CreatedAt: z.string(),
})
type PostmarkSuppression = z.output<typeof suppressionSchema>
const noEffect = z.string().max(20).optional().describe('Has no effect, as in Postmark: the SDK sends it')
const querySchema = z.strictObject({
  suppressionreason: queryName(Object.values(reasons)),
  origin: queryName(origins),
  fromdate: queryTime('start'),
  todate: queryTime('end'),
  emailaddress: z.string().max(1000).optional(),
  count: noEffect,
  offset: noEffect,
})

// Of a change: several addresses, and the result of each.
const bodySchema = z.strictObject({
  Suppressions: z
    .array(z.strictObject({ EmailAddress: z.string().min(1).max(1000) }))
    .min(1)
    .max(50)
    .describe('At most 50'),
})
const statusSchema = z.strictObject({
  EmailAddress: z.string(),
  Status: z.enum(['Suppressed', 'Deleted', 'Failed']),
  Message: z.string().nullable(),
})
type Status = z.output<typeof statusSchema>
const changeBody = { schema: bodySchema, maxBytes: bodyLimits.small }
const changeSuccess = { schema: z.strictObject({ Suppressions: z.array(statusSchema) }) }

/** `/postmark/message-streams/{stream}/suppressions`: the suppression list of this account, which all streams share. */
export function suppressionRoutes({ suppressions }: Pick<ProviderParts, 'suppressions'>): Route[] {
  /** Changes each address. @returns The outcome of each. */
  async function changeEach(
    { Suppressions }: z.output<typeof bodySchema>,
    stream: string,
    act: (address: string) => Promise<Status['Status']>,
  ): Promise<{ Suppressions: Status[] }> {
    assertStream(stream)
    const results: Status[] = []
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
      query: querySchema,
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
      body: changeBody,
      success: changeSuccess,
      handler: ({ params, body }) =>
        changeEach(body, params.stream, async (address) => {
          await suppressions.add({ address })
          return 'Suppressed'
        }),
    }),
    post(`${path}/delete`, {
      summary: 'Remove addresses from the suppression list',
      body: changeBody,
      success: changeSuccess,
      handler: ({ params, body }) => changeEach(body, params.stream, remove),
    }),
  ]
}

/** @throws not_found */
function assertStream(stream: string): void {
  if (streamSchema.safeParse(stream).success) return
  throw new LocalpostError('not_found', `${quote(stream)} is not the name of a message stream.`)
}

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
  { suppressionreason, origin, emailaddress, fromdate, todate }: z.output<typeof querySchema>,
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
