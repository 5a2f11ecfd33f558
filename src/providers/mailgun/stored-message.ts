import { z } from 'zod'
import { fieldOf } from '../../core/header-fields.ts'
import type { Mail } from '../../inbox/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { readDomain } from './domain-name.ts'
import { mailgunFace } from './face.ts'

const { get } = defineRoutes({ tag: 'Messages', access: 'key', face: mailgunFace })

/** `/v3/domains/{domain}/messages/{key}`: a mail of the inbox, by the key that its events have. */
export function storedMessageRoutes({ inbox }: Pick<ProviderParts, 'inbox'>): Route[] {
  return [
    get('/mailgun/v3/domains/{domain}/messages/{key}', {
      summary: 'Get a message, by the `storage.key` of its events',
      success: { schema: z.looseObject({ recipients: z.string(), subject: z.string() }) },
      async handler({ params }) {
        readDomain(params.domain)
        return toStored(await inbox.get(params.key))
      },
    }),
  ]
}

function toStored({ envelope, from, to, subject, text, html, headers, attachments }: Mail): object {
  const messageId = fieldOf(headers, 'message-id') ?? ''
  return {
    recipients: envelope.rcpt_to.join(', '),
    sender: envelope.mail_from,
    from,
    subject,
    From: from,
    To: to.join(', '),
    Subject: subject,
    'Message-Id': messageId,
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
