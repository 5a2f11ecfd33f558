import { z } from 'zod'
import { nullOn, validationError } from '../../core/errors.ts'
import { bytesAnswer } from '../../server/answer.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { sendAll, sendingRoute, type ProviderSend } from '../send.ts'
import { ownMetadata, sendgrid, toMessageId } from './conventions.ts'
import { sendgridFace } from './face.ts'
import { maxRecipients, mailSchema } from './send-schema.ts'

const { post } = defineRoutes({ tag: 'Mail', access: 'key', face: sendgridFace })

const batchId = z.string().min(1).max(100)
const cancellation = z.strictObject({ batch_id: batchId, status: z.literal('cancel') })

/** `/sendgrid/v3/mail`, and the cancellation of what waits. */
export function mailRoutes(parts: ProviderParts): Route[] {
  const { sending, newUuid } = parts

  /** The emails that wait and belong to a batch. */
  async function* waitingOf(batch: string): AsyncGenerator<string> {
    for await (const { id, metadata } of allOf(sending.scheduled.list))
      if (metadata?.[ownMetadata.batch] === batch) yield id
  }

  return [
    post('/sendgrid/v3/mail/send', {
      ...sendingRoute(mailSchema),
      summary: 'Send an email for each personalization, all in one commit',
      success: {
        status: 202,
        alsoStatus: [200],
        description: 'Accepted; `X-Message-Id` is the id in events. 200 with `sandbox_mode`',
      },
      async handler(context) {
        const [sent] = await sendAll(sendgridSend, context, parts)
        if (!sent) return bytesAnswer(null, {}, 200)
        if ('error' in sent) throw sent.error
        return bytesAnswer(null, { 'x-message-id': sent.id }, 202)
      },
    }),
    post('/sendgrid/v3/mail/batch', {
      needs: 'send',
      summary: 'Make an id for emails that may be cancelled together',
      success: { status: 201, schema: z.strictObject({ batch_id: z.string() }) },
      handler: () => ({ batch_id: toMessageId(newUuid()) }),
    }),
    post('/sendgrid/v3/user/scheduled_sends', {
      summary: 'Cancel the emails of a batch that wait for their time',
      body: {
        schema: z.strictObject({
          batch_id: batchId,
          status: z
            .enum(['cancel', 'pause'])
            .describe('`cancel`: those that wait now are removed. `pause` is not supported'),
        }),
        maxBytes: bodyLimits.small,
      },
      success: { status: 201, schema: cancellation },
      async handler({ body: { batch_id, status } }) {
        if (status === 'pause')
          throw validationError([{ field: 'status', message: 'must be cancel: pause is not supported' }])
        for await (const id of waitingOf(batch_id)) await nullOn('not_found', sending.scheduled.cancel(id))
        return { batch_id, status }
      },
    }),
  ]
}

const sendgridSend: ProviderSend = {
  provider: sendgrid,
  kind: 'sendgrid send',
  names: {
    html: 'content',
    text: 'content',
    metadata: 'custom_args',
    tags: 'categories',
    'attachments[].name': 'attachments[].filename',
    'attachments[].content_type': 'attachments[].type',
    data: 'dynamic_template_data',
  },
  toId: toMessageId,
  hasOneId: true,
  maxRecipients,
}
