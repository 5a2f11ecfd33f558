import { z } from 'zod'
import { mimeTreeSchema, nestedMailSchema } from '../../inbox/schema.ts'
import type { Inbox, InboxPages } from '../../inbox/methods.ts'
import { previewClients } from '../../client-support/preview-clients.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { partName } from '../../mime/attachment-names.ts'
import type { RemoteContent } from '../../mime/html/remote-content.ts'
import type { Appearance } from '../../reading/appearance.ts'
import { bytesAnswer } from '../answer.ts'
import { streamBody } from '../body-streams.ts'
import { rangeAnswer } from '../byte-range.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { assertConsent, consentQuery, type Consent } from './consent.ts'
import { attachmentHeaders, bytesHeaders, disposition, htmlAnswer, shownTypes } from './guarded-bytes.ts'
import { readErrors } from './mail.ts'
import type { NestedMails } from '../../inbox/nested.ts'

const { get } = defineRoutes({ tag: 'Inbox', access: 'local' })

/**
 * The bytes of a mail. They come from strangers, so browsers must not run any of them or take them for pages of
 * Localpost: no sniffing, no scripts, no requests elsewhere.
 */
export function mailByteRoutes(inbox: Inbox & InboxPages, consent: Consent): Route[] {
  return [
    get('/dev/inbox/{id}/raw', {
      summary: 'The message as it was captured or sent (RFC 5322)',
      query: copyQuery,
      headers: { Range: { description: 'One range of bytes; several are answered with all' } },
      success: { type: 'message/rfc822', description: 'The bytes of the message', alsoStatus: [206] },
      errors: [...writtenErrors, 'range_not_satisfiable'],
      async handler({ params, query, headers, signal }) {
        const options = { ...query, signal: signal() }
        const whole = await inbox.raw(params.id, options)
        return rangeAnswer(headers, whole, (range) => inbox.raw(params.id, { ...options, range }), {
          ...bytesHeaders,
          'content-type': 'message/rfc822',
          'content-disposition': disposition('attachment', `${params.id}.eml`),
        })
      },
    }),
    get('/dev/inbox/{id}/html', {
      summary: 'The HTML part, to be shown in a frame',
      query: htmlQuery,
      success: {
        type: 'text/html; charset=utf-8',
        description: 'The HTML part, with its own images in place',
      },
      errors: [...readErrors, 'consent_required'],
      async handler(context) {
        const { params, query, signal } = context
        const { recipient, images, remote: asked, appearance = null, client } = query
        const remote: RemoteContent = asked ?? (images === 'remote' ? 'images' : 'none')
        assertConsent(consent, context, remote, query.consent)
        const copy = recipient === undefined ? {} : { recipient }
        const frame = { ...copy, appearance, remote, client, signal: signal() }
        return htmlAnswer(await inbox.page(params.id, frame), remote)
      },
    }),
    get('/dev/inbox/{id}/attachments/{index}', {
      summary: 'An attachment',
      success: { type: '*/*', description: 'The bytes of the attachment, decoded' },
      errors: writtenErrors,
      async handler({ params, signal }) {
        const index = pathIndex(params.index)
        const { stream, ...file } = await inbox.openAttachment(params.id, index, { signal: signal() })
        return bytesAnswer(streamBody(stream), attachmentHeaders(file))
      },
    }),
    get('/dev/inbox/{id}/structure', {
      summary: 'The MIME tree of the message, with the size of each part',
      success: { schema: mimeTreeSchema },
      errors: writtenErrors,
      handler: ({ params, signal }) => inbox.structure(params.id, { signal: signal() }),
    }),
    get('/dev/inbox/{id}/parts/{index}', {
      summary: 'A single MIME part: the leaves of the message, counted from 0',
      success: { type: '*/*', description: 'The bytes of the part, decoded; text in its own charset' },
      errors: writtenErrors,
      async handler({ params, signal }) {
        const part = await inbox.part(params.id, pathIndex(params.index), { signal: signal() })
        const { stream, content_type, charset } = part
        const isPlain = content_type === 'text/plain'
        const isShown = isPlain || shownTypes.has(content_type)
        return bytesAnswer(streamBody(stream), {
          ...bytesHeaders,
          'content-type': isPlain && charset ? `text/plain; charset=${charset}` : content_type,
          'content-disposition': disposition(isShown ? 'inline' : 'attachment', partName(part, part.index)),
        })
      },
    }),
  ]
}

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

/** The errors of a route that needs the composed message. */
const writtenErrors: readonly ErrorCode[] = [...readErrors, 'message_pending']
const recipient = z
  .string()
  .optional()
  .describe('Whose copy of a tracked mail. Default: the first recipient’s')
const copyQuery = z.strictObject({ recipient })
const appearanceQuery: z.ZodType<Appearance | undefined> = z
  .enum(['light', 'dark', 'inverted'])
  .optional()
  .describe(
    'Answers the mail’s own `prefers-color-scheme`; `inverted` makes its pictures ready for a viewer that inverts. ' +
      'Default: as the reader’s system has it',
  )
const htmlQuery = z.object({
  recipient,
  images: z.literal('remote').optional().describe('Also loads images over http(s), but no tracking pixels'),
  remote: z
    .literal('all')
    .optional()
    .describe('Also loads images, fonts and style sheets over http(s), but no tracking pixels'),
  consent: consentQuery,
  appearance: appearanceQuery,
  client: z
    .enum(previewClients)
    .optional()
    .describe('Without what this mail client ignores; see `/dev/inbox/{id}/preview`'),
})
const frameQuery = z.object({
  remote: z.literal('all').optional(),
  consent: consentQuery,
  appearance: appearanceQuery,
})

/** Each level requires reading everything inside it. */
const deepest = 10

/** The positions on the way to an attached message; `[-1]`, which no list has, if the path is too deep. */
function pathOf(text: string): number[] {
  const path = text.split('.', deepest + 1).map(pathIndex)
  return path.length > deepest ? [-1] : path
}

/** A position in a list, as a path names it; -1, which no list has, if it is not valid. */
function pathIndex(text: string): number {
  // Only the form of the lists is valid: `00` is not `0`.
  return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : -1
}
