import { z } from 'zod'
import { fieldOf } from '../../core/header-fields.ts'
import type { Mail } from '../../inbox/types.ts'
import type { SendingRequest } from '../../sending/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route, RouteContext } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { sendOne, sendingRoute, type ProviderSend } from '../send.ts'
import { mailgun, readDomain, toMessageId } from './conventions.ts'
import { mailgunFace } from './face.ts'
import { maxRecipients, mimeSchema, sendSchema } from './send-schema.ts'
import { TemplateStore } from './template-store.ts'

const { get, post } = defineRoutes({ tag: 'Messages', access: 'key', face: mailgunFace })

const queuedSchema = z.strictObject({ id: z.string().describe('The Message-ID'), message: z.string() })

/** `/v3/{domain}/messages`, and the mails of the inbox by the keys that events have. */
export function messageRoutes(parts: ProviderParts): Route[] {
  const templates = new TemplateStore(parts)

  async function send(
    kind: ProviderSend['kind'],
    context: RouteContext<{ domain: string }>,
  ): Promise<{ id: string; message: string }> {
    const domain = readDomain(context.params.domain)
    const toId = (uuid: string): string => toMessageId(uuid, domain)
    // All emails of a request have the same template.
    let template: Promise<string> | null = null
    async function prepare(request: SendingRequest): Promise<SendingRequest> {
      if (request.template_id === undefined) return request
      template ??= templates.idOf(request.template_id)
      return { ...request, template_id: await template }
    }
    const how = { provider: mailgun, kind, names, toId, maxRecipients, prepare, hasOneId: true }
    const { id } = await sendOne(how, context, parts)
    return { id, message: 'Queued. Thank you.' }
  }

  return [
    post('/mailgun/v3/{domain}/messages', {
      ...sendingRoute(sendSchema, 'only'),
      summary: 'Send an email, or one to each recipient',
      success: { schema: queuedSchema },
      handler: (context) => send('mailgun send', context),
    }),
    post('/mailgun/v3/{domain}/messages.mime', {
      ...sendingRoute(mimeSchema, 'only'),
      summary: 'Send a whole MIME message',
      success: { schema: queuedSchema },
      handler: (context) => send('mailgun mime', context),
    }),
    get('/mailgun/v3/domains/{domain}/messages/{key}', {
      summary: 'Get a message, by the `storage.key` of its events',
      success: { schema: z.looseObject({ recipients: z.string(), subject: z.string() }) },
      // The key alone tells which mail: an account's mails are not kept apart by domain.
      handler: async ({ params }) => toStored(await parts.inbox.get(params.key)),
    }),
  ]
}

/** Our names of members that have others in Mailgun's API. */
const names = {
  reply_to: 'h:Reply-To',
  headers: 'h',
  metadata: 'v',
  tags: 'o:tag',
  send_at: 'o:deliverytime',
  tracking: 'o:tracking',
  template_id: 'template',
  data: 't:variables',
  raw: 'message',
  'envelope.rcpt_to': 'to',
  'envelope.mail_from': 'message',
  attachments: 'attachment',
  'attachments[].name': 'attachment[].filename',
  'attachments[].content': 'attachment[]',
  'attachments[].content_id': 'inline[].filename',
}

function toStored({ envelope, from, to, subject, text, html, headers, attachments }: Mail): object {
  return {
    recipients: envelope.rcpt_to.join(', '),
    sender: envelope.mail_from,
    from,
    subject,
    From: from,
    To: to.join(', '),
    Subject: subject,
    'Message-Id': fieldOf(headers, 'message-id') ?? '',
    'body-plain': text,
    'body-html': html,
    'stripped-text': text,
    'stripped-html': html,
    'stripped-signature': '',
    'message-headers': headers,
    attachments: attachments.map(({ filename, content_type, size_bytes }) => ({
      name: filename,
      'content-type': content_type,
      size: size_bytes,
    })),
    'content-id-map': {},
  }
}
