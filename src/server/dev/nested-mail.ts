import { z } from 'zod'
import { nestedMailSchema } from '../../inbox/schema.ts'
import type { RemoteContent } from '../../mime/html/remote-content.ts'
import type { NestedMails } from '../../inbox/nested.ts'
import { bytesAnswer } from '../answer.ts'
import { type Route } from '../route.ts'
import { defineRoutes } from '../define-routes.ts'
import { assertConsent, consentQuery, type Consent } from './consent.ts'
import { attachmentHeaders, htmlAnswer } from './guarded-bytes.ts'
import { readErrors } from './mail.ts'
import { pathIndex } from './path-index.ts'
import { appearanceQuery } from './mail-bytes.ts'

const { get } = defineRoutes({ tag: 'Inbox', access: 'local' })

/** Messages that are attached to a mail. Their bytes are guarded like those of the mail itself. */
export function nestedMailRoutes(nested: NestedMails, consent: Consent): Route[] {
  return [
    get('/dev/inbox/{id}/messages/{path}', {
      errors: readErrors,
      summary:
        'A message attached to a mail: `path` is its position among the attachments, `0.2` that of one in the first',
      success: { schema: nestedMailSchema },
      handler: ({ params, signal }) => nested.get(params.id, pathOf(params.path), signal()),
    }),
    get('/dev/inbox/{id}/messages/{path}/html', {
      errors: [...readErrors, 'consent_required'],
      summary: 'The HTML part of an attached message, to be shown in a frame',
      query: frameQuery,
      success: {
        type: 'text/html; charset=utf-8',
        description: 'The HTML part, with its own images in place',
      },
      async handler(context) {
        const { params, signal } = context
        const { remote: asked, appearance = null, consent: token } = context.query
        const remote: RemoteContent = asked ?? 'none'
        assertConsent(consent, context, remote, token)
        const options = { frame: { appearance, remote } }
        const html = await nested.page(params.id, pathOf(params.path), options, signal())
        return htmlAnswer(html, remote)
      },
    }),
    get('/dev/inbox/{id}/messages/{path}/attachments/{index}', {
      errors: readErrors,
      summary: 'An attachment of an attached message',
      success: { type: '*/*', description: 'The bytes of the attachment, decoded' },
      async handler({ params, signal }) {
        const { content, ...file } = await nested.attachment(
          params.id,
          pathOf(params.path),
          pathIndex(params.index),
          signal(),
        )
        return bytesAnswer(content, attachmentHeaders(file))
      },
    }),
  ]
}

const frameQuery = z.object({
  remote: z.literal('all').optional(),
  consent: consentQuery,
  appearance: appearanceQuery,
})

/** Each level requires reading everything inside it. */
const deepest = 10

function pathOf(text: string): number[] {
  const path = text.split('.', deepest + 1).map(pathIndex)
  return path.length > deepest ? [-1] : path
}
