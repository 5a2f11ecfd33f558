import type { Inbox } from '../../inbox/methods.ts'
import { isErrorOf } from '../../core/errors.ts'
import type { SendingService } from '../../sending/sending.ts'
import { bodyLimits, defineRoutes, type Route } from '../../server/route.ts'
import { sentSchema } from './schema.ts'
import { sendBody, toSendingRequest } from './send.ts'

const { post } = defineRoutes({ tag: 'Message', access: 'local' })

/** `/api/v1/send`. */
export function sendRoutes(sending: SendingService, inbox: Pick<Inbox, 'waitFor'>): Route[] {
  return [
    post('/api/v1/send', {
      needs: 'send',
      summary: 'Send a message',
      body: { schema: sendBody, readBy: 'resource', maxBytes: bodyLimits.large, anyType: true },
      success: { schema: sentSchema },
      errors: ['invalid_attachment', 'message_too_large', 'domain_not_verified', 'domain_not_registered'],
      async handler({ body, warn, signal }) {
        const [sent] = await sending.send(toSendingRequest(body), { surface: 'mailpit' })
        if (!sent) throw new Error('An email without a result.')
        warn(sent.warnings)
        await written(inbox, sent.id, signal())
        return { ID: sent.id }
      },
    }),
  ]
}

/** Waits until a message is written, because clients read it as soon as they have its id. */
async function written(inbox: Pick<Inbox, 'waitFor'>, id: string, signal: AbortSignal): Promise<void> {
  try {
    await inbox.waitFor({ id }, { timeoutMs: longestMs, signal })
  } catch (error) {
    if (!isErrorOf(error, 'wait_timeout')) throw error
  }
}

const longestMs = 5000
