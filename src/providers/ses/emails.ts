import { z } from 'zod'
import type { ErrorCode, LocalpostError } from '../../core/errors.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { sendAll, sendOne, sendingRoute, type ProviderSend, type Sent } from '../send.ts'
import { missingSet, missingSetCause } from './configuration-sets.ts'
import { configurationSetTag, ses, templateDataName, toMessageId } from './conventions.ts'
import { awsErrorOf, awsMessageOf, sesFace } from './face.ts'
import { bulkSchema, maxRecipients, sendSchema } from './send-schema.ts'

const { post } = defineRoutes({ tag: 'Emails', access: 'key', face: sesFace })

const messageId = z.string().describe('Also in the events of the email')

/** `/ses/v2/email/outbound-emails` and `/ses/v2/email/outbound-bulk-emails`. */
export function emailRoutes(parts: ProviderParts): Route[] {
  return [
    post('/ses/v2/email/outbound-emails', {
      ...sendingRoute(sendSchema),
      summary: 'SendEmail: send a message in parts, as a whole, or from a template',
      success: { schema: z.strictObject({ MessageId: messageId }) },
      async handler(context) {
        const { id } = await sendOne(sesSend('ses send', parts), context, parts)
        return { MessageId: id }
      },
    }),
    post('/ses/v2/email/outbound-bulk-emails', {
      ...sendingRoute(bulkSchema),
      summary: 'SendBulkEmail: send up to 50 emails from a template, in one commit',
      success: {
        schema: z.strictObject({
          BulkEmailEntryResults: z.array(
            z.strictObject({
              Status: z.enum(['SUCCESS', ...failures]),
              MessageId: messageId.optional(),
              Error: z.string().optional(),
            }),
          ),
        }),
      },
      async handler(context) {
        const results = await sendAll({ ...sesSend('ses bulk', parts), partial: true }, context, parts)
        return { BulkEmailEntryResults: results.map(toResult) }
      },
    }),
  ]
}

/** How SES names what is wrong with one of several emails. */
const failures = [
  'MESSAGE_REJECTED',
  'MAIL_FROM_DOMAIN_NOT_VERIFIED',
  'TEMPLATE_NOT_FOUND',
  'CONFIGURATION_SET_NOT_FOUND',
  'INVALID_PARAMETER',
  'FAILED',
] as const
type Failure = (typeof failures)[number]

function toResult(sent: Sent): object {
  if ('id' in sent) return { Status: 'SUCCESS', MessageId: sent.id }
  return { Status: failureOf(sent.error), Error: awsMessageOf(sent.error) }
}

const failureOfCode: Readonly<Partial<Record<ErrorCode, Failure>>> = {
  template_not_found: 'TEMPLATE_NOT_FOUND',
  domain_not_verified: 'MAIL_FROM_DOMAIN_NOT_VERIFIED',
  domain_not_registered: 'MAIL_FROM_DOMAIN_NOT_VERIFIED',
  message_too_large: 'MESSAGE_REJECTED',
}

function failureOf(error: LocalpostError): Failure {
  if (error.cause === missingSetCause) return 'CONFIGURATION_SET_NOT_FOUND'
  const [status] = awsErrorOf(error)
  return failureOfCode[error.code] ?? (status >= 500 ? 'FAILED' : 'INVALID_PARAMETER')
}

/** Our names of members that have others in the API of SES. */
const sendNames: ProviderSend['names'] = {
  from: 'FromEmailAddress',
  to: 'Destination.ToAddresses',
  cc: 'Destination.CcAddresses',
  bcc: 'Destination.BccAddresses',
  reply_to: 'ReplyToAddresses',
  subject: 'Subject',
  html: 'Html',
  text: 'Text',
  headers: 'Headers',
  'attachments[].name': 'Attachments[].FileName',
  'attachments[].content': 'Attachments[].RawContent',
  'attachments[].content_type': 'Attachments[].ContentType',
  'attachments[].content_id': 'Attachments[].ContentId',
  metadata: 'EmailTags',
  raw: 'Raw.Data',
  'envelope.mail_from': 'FromEmailAddress',
  'envelope.rcpt_to': 'Destination',
  template_id: 'TemplateName',
  data: templateDataName,
}

/** How both versions send. */
export function sesSend(
  kind: ProviderSend['kind'],
  { configurationSets }: Pick<ProviderParts, 'configurationSets'>,
): ProviderSend {
  return {
    provider: ses,
    kind,
    names: sendNames,
    toId: toMessageId,
    maxRecipients,
    async prepare(request) {
      const name = request.metadata?.[configurationSetTag]
      if (name !== undefined && !configurationSets.has(name)) throw missingSet(name)
      return request
    },
  }
}
