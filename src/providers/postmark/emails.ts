import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route, RouteContext } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { sendAll, sendOne, sendingRoute, type ProviderSend, type Sent } from '../send.ts'
import { postmark, toTime } from './conventions.ts'
import { toError, postmarkFace } from './face.ts'
import { inactiveError, inactiveNote, inactiveOf } from './inactive.ts'
import {
  batchDocumentSchema,
  maxRecipients,
  sendSchema,
  templatedBatchDocumentSchema,
  templatedSchema,
} from './send-schema.ts'
import { createIdLookup } from './template-ids.ts'

const { post } = defineRoutes({ tag: 'Emails', access: 'key', face: postmarkFace })

const acceptedSchema = z.strictObject({
  To: z.string().optional(),
  Cc: z.string().optional(),
  Bcc: z.string().optional(),
  SubmittedAt: z.string(),
  MessageID: z.string(),
  ErrorCode: z.literal(0),
  Message: z.string().describe('`OK`, or which recipients are inactive and get nothing'),
})
const refusedSchema = z.strictObject({ ErrorCode: z.int().min(1), Message: z.string() })
const resultsSchema = z
  .array(z.union([acceptedSchema, refusedSchema]))
  .describe('One for each email, in their order. The right ones are sent where others are wrong')

/** `/postmark/email`. */
export function emailRoutes(parts: ProviderParts): Route[] {
  const { clock, suppressions, templates } = parts

  function sendOf(kind: ProviderSend['kind']): ProviderSend {
    const findId = createIdLookup(templates)
    return {
      provider: postmark,
      kind,
      names,
      maxRecipients,
      async prepare(request) {
        const inactive = inactiveOf(request, suppressions)
        if (inactive.areAll) throw inactiveError(inactive)
        const { template_id } = request
        if (template_id === undefined) return request
        return { ...request, template_id: (await findId(template_id)) ?? template_id }
      },
    }
  }

  function toAccepted({ id, request }: Extract<Sent, { id: string }>): z.infer<typeof acceptedSchema> {
    // Again, because the list may have changed during the send.
    const inactive = inactiveOf(request, suppressions)
    return {
      ...recipientsOf(request),
      SubmittedAt: toTime(clock.now()),
      MessageID: id,
      ErrorCode: 0,
      Message: inactive.addresses.length > 0 ? inactiveNote(inactive) : 'OK',
    }
  }

  type Context = Pick<RouteContext, 'body' | 'headers' | 'warn'>
  const toOne = async (kind: ProviderSend['kind'], context: Context): Promise<object> =>
    toAccepted(await sendOne(sendOf(kind), context, parts))

  async function toEach(kind: ProviderSend['kind'], context: Context): Promise<object[]> {
    const results = await sendAll({ ...sendOf(kind), partial: true }, context, parts)
    return results.map((sent) => ('error' in sent ? toError(sent.error, '') : toAccepted(sent)))
  }

  return [
    post('/postmark/email', {
      ...sendingRoute(sendSchema),
      summary: 'Send an email',
      success: { schema: acceptedSchema },
      handler: (context) => toOne('postmark send', context),
    }),
    post('/postmark/email/batch', {
      ...sendingRoute(batchDocumentSchema),
      summary: 'Send up to 500 emails, in one commit',
      success: { schema: resultsSchema },
      handler: (context) => toEach('postmark batch', context),
    }),
    post('/postmark/email/withTemplate', {
      ...sendingRoute(templatedSchema),
      summary: 'Send an email from a template',
      success: { schema: acceptedSchema },
      handler: (context) => toOne('postmark template', context),
    }),
    post('/postmark/email/batchWithTemplates', {
      ...sendingRoute(templatedBatchDocumentSchema),
      summary: 'Send up to 500 emails from templates, in one commit',
      success: { schema: resultsSchema },
      handler: (context) => toEach('postmark templates', context),
    }),
  ]
}

type Recipients = Pick<z.infer<typeof acceptedSchema>, 'To' | 'Cc' | 'Bcc'>

function recipientsOf({ to, cc, bcc }: Extract<Sent, { id: string }>['request']): Recipients {
  const written = (given: string | string[] | undefined): string => [given ?? []].flat().join(', ')
  return {
    ...(to !== undefined && { To: written(to) }),
    ...(cc !== undefined && { Cc: written(cc) }),
    ...(bcc !== undefined && { Bcc: written(bcc) }),
  }
}

/** Our names of members that have others in Postmark's API. */
const names: ProviderSend['names'] = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'ReplyTo',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  headers: 'Headers',
  attachments: 'Attachments',
  'attachments[].name': 'Attachments[].Name',
  'attachments[].content': 'Attachments[].Content',
  'attachments[].content_type': 'Attachments[].ContentType',
  'attachments[].content_id': 'Attachments[].ContentID',
  metadata: 'Metadata',
  tags: 'Tag',
  tracking: 'TrackOpens',
  template_id: 'TemplateAlias',
  data: 'TemplateModel',
}
