import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import { constantMembers } from '../constant-members.ts'
import type { ProviderParts } from '../provider.ts'
import { sesFace } from './face.ts'

const { get } = defineRoutes({ tag: 'Account', access: 'key', face: sesFace })

/** The quota of an account: Localpost has none. */
const quotaSchema: z.ZodType = z.strictObject({
  Max24HourSend: z.number().describe('-1: there is no limit'),
  MaxSendRate: z.number().describe('Emails per second: more than Localpost takes'),
  SentLast24Hours: z.number(),
})

/** The quota, with the number of emails that were accepted in the last 24 hours. */
export async function quotaOf({
  sent,
  clock,
}: Pick<ProviderParts, 'sent' | 'clock'>): Promise<Record<string, number>> {
  return {
    Max24HourSend: -1,
    MaxSendRate: 1_000_000,
    SentLast24Hours: await sent.countSince(clock.now() - 86_400_000),
  }
}

const account = {
  DedicatedIpAutoWarmupEnabled: false,
  EnforcementStatus: 'HEALTHY',
  ProductionAccessEnabled: true,
  SendingEnabled: true,
}

/** `/ses/v2/email/account`. */
export function accountRoutes(parts: ProviderParts): Route[] {
  return [
    get('/ses/v2/email/account', {
      summary: 'GetAccount',
      success: { schema: z.strictObject({ ...constantMembers(account), SendQuota: quotaSchema }) },
      handler: async () => ({ ...account, SendQuota: await quotaOf(parts) }),
    }),
  ]
}
