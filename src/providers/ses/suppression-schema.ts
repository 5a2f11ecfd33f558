import { z } from 'zod'
import { queryNumber } from '../../server/lists.ts'
import { notSupported } from '../not-supported.ts'

const reason = z.enum(['BOUNCE', 'COMPLAINT'])
const noTenant = notSupported('Localpost has accounts, which the key chooses')

/** The body of `PutSuppressedDestination`. */
export const newSuppressionSchema = z.strictObject({
  EmailAddress: z.string().min(1).max(320),
  Reason: reason,
  TenantName: noTenant,
})

/** An address of the suppression list. */
export const suppressedSchema = z.strictObject({
  EmailAddress: z.string(),
  Reason: reason.describe('`BOUNCE` also for addresses that were added by hand'),
  LastUpdateTime: z.number().describe('Unix time in seconds'),
})
export type SesSuppressed = z.infer<typeof suppressedSchema>

/** The query of `ListSuppressedDestinations`. */
export const suppressionQuerySchema = z.strictObject({
  Reason: z.union([reason, z.array(reason).max(2)]).optional(),
  NextToken: z.string().min(1).optional(),
  PageSize: queryNumber(1, 1000).optional(),
})
