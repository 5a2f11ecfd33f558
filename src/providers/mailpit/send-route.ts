import { isErrorOf } from '../../core/errors.ts'
import type { Inbox } from '../../inbox/methods.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { sendOne } from '../send.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import { sentSchema } from './schema.ts'
import { requestMemberNames, sendBody } from './send.ts'

const { post } = defineMailpitRoutes('Message')

/** `/api/v1/send`. */
export function sendRoutes(parts: ProviderParts): Route[] {
  return [
    post('/api/v1/send', {
      needs: 'send',
      summary: 'Send a message',
      body: { schema: sendBody, readBy: 'resource', maxBytes: bodyLimits.large, anyType: true },
      success: { schema: sentSchema },
      errors: ['invalid_attachment', 'message_too_large', 'domain_not_verified', 'domain_not_registered'],
      async handler(context) {
        const how = { provider: 'mailpit', kind: 'mailpit send', names: requestMemberNames } as const
        const sent = await sendOne(how, context, parts)
        // Its id as that of a provider, by which ours is found.
        const { emails: [email] = [] } = (await parts.sending.find('mailpit', sent.id)) ?? {}
        const ID = email?.id ?? sent.id
        await untilWritten(parts.inbox, ID, context.signal())
        return { ID }
      },
    }),
  ]
}

/** Waits until a message is written, because clients read it as soon as they have its id. */
async function untilWritten(inbox: Pick<Inbox, 'waitFor'>, id: string, signal: AbortSignal): Promise<void> {
  try {
    await inbox.waitFor({ id }, { timeoutMs: maxWaitMs, signal })
  } catch (error) {
    if (!isErrorOf(error, 'wait_timeout')) throw error
  }
}

const maxWaitMs = 5000
