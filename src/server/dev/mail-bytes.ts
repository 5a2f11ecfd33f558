import { z } from 'zod'
import type { Inbox, InboxPages } from '../../inbox/inbox.ts'
import type { Appearance } from '../../reading/appearance.ts'
import type { RemoteContent } from '../../mime/remote-content.ts'
import { bytesAnswer, streamBody } from '../answer.ts'
import { rangeAnswer } from '../byte-range.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'

/**
 * The bytes of a mail. They come from strangers, so none of these answers may run anything or be taken for a page of
 * ours: no sniffing, no scripts, no requests elsewhere.
 */
export function mailByteRoutes(
  inbox: Pick<Inbox & InboxPages, 'raw' | 'page' | 'openAttachment' | 'part'>,
): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/inbox/{id}/raw',
      summary: 'The message as it was captured or sent (RFC 5322)',
      query: copyQuery,
      headers: { Range: { description: 'One range of bytes; several are answered with all' } },
      success: { type: 'message/rfc822', description: 'The bytes of the message', alsoStatus: [206] },
      errors: [
        'not_found',
        'message_pending',
        'service_unavailable',
        'range_not_satisfiable',
        'store_corrupt',
        'store_failed',
      ],
      async handler({ params, query, headers }) {
        const whole = await inbox.raw(params.id, query)
        return rangeAnswer(headers, whole, (range) => inbox.raw(params.id, { ...query, range }), {
          ...guarded,
          'content-type': 'message/rfc822',
          'content-disposition': disposition('attachment', `${params.id}.eml`),
        })
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/inbox/{id}/html',
      summary: 'The HTML part, to be shown in a frame',
      query: htmlQuery,
      success: {
        type: 'text/html; charset=utf-8',
        description: 'The HTML part, with its own images in place',
      },
      errors: ['not_found', 'service_unavailable', 'store_corrupt', 'store_failed'],
      async handler({ params, query: { recipient, images, remote: asked, appearance = null } }) {
        const remote = asked ?? (images === 'remote' ? 'images' : 'none')
        const copy = recipient === undefined ? {} : { recipient }
        return bytesAnswer(await inbox.page(params.id, { ...copy, appearance, remote }), {
          ...guarded,
          ...unconnected,
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': htmlPolicy(remote),
        })
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/inbox/{id}/attachments/{index}',
      summary: 'An attachment',
      success: { type: '*/*', description: 'The bytes of the attachment, decoded' },
      errors: ['not_found', 'message_pending', 'service_unavailable', 'store_corrupt', 'store_failed'],
      async handler({ params }) {
        const { filename, content_type, stream } = await inbox.openAttachment(
          params.id,
          indexOf(params.index),
        )
        const type = content_type.trim().toLowerCase()
        const isImage = inlineImages.has(type)
        return bytesAnswer(streamBody(stream), {
          ...guarded,
          'content-type': isImage || typeForm.test(type) ? type : 'application/octet-stream',
          'content-disposition': disposition(isImage ? 'inline' : 'attachment', filename),
        })
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/inbox/{id}/parts/{index}',
      summary: 'A single MIME part: the leaves of the message, counted from 0',
      success: { type: '*/*', description: 'The bytes of the part, decoded; text in its own charset' },
      errors: ['not_found', 'message_pending', 'service_unavailable', 'store_corrupt', 'store_failed'],
      async handler({ params }) {
        const { stream, content_type, charset, filename } = await inbox.part(params.id, indexOf(params.index))
        const isPlain = content_type === 'text/plain'
        const isShown = isPlain || inlineImages.has(content_type)
        return bytesAnswer(streamBody(stream), {
          ...guarded,
          'content-type': isPlain && charset ? `text/plain; charset=${charset}` : content_type,
          'content-disposition': disposition(
            isShown ? 'inline' : 'attachment',
            filename ?? `part-${params.index}`,
          ),
        })
      },
    }),
  ]
}

/**
 * A Content-Disposition with any file name: plain ASCII for old clients, the whole name for others.
 *
 * @see RFC 6266, RFC 5987
 */
export function disposition(kind: 'attachment' | 'inline', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%/:;]/g, '_')
  const whole = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

const common = { tag: 'Inbox', access: 'local' } as const
const recipient = z
  .string()
  .optional()
  .describe('Whose copy of a tracked mail. Default: the first recipient’s')
const copyQuery: z.ZodType<{ recipient?: string | undefined }> = z.object({ recipient })
const htmlQuery: z.ZodType<{
  recipient?: string | undefined
  images?: 'remote' | undefined
  remote?: 'all' | undefined
  appearance?: Appearance | undefined
}> = z.object({
  recipient,
  images: z.literal('remote').optional().describe('Also loads images over http(s), but no tracking pixels'),
  remote: z
    .literal('all')
    .optional()
    .describe('Also loads images, fonts and style sheets over http(s), but no tracking pixels'),
  appearance: z
    .enum(['light', 'dark', 'inverted'])
    .optional()
    .describe(
      'Answers the mail’s own `prefers-color-scheme`; `inverted` makes its pictures ready for a viewer that inverts. ' +
        'Default: as the reader’s system has it',
    ),
})
// Never SVG: it is a document with scripts.
const inlineImages = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const typeForm = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/

const guarded = {
  'referrer-policy': 'no-referrer',
  'content-security-policy': "sandbox; default-src 'none'",
}

// What a Content-Security-Policy does not know of. The hosts of links are not
// looked up before a click.
const unconnected = {
  'x-dns-prefetch-control': 'off',
  'permissions-policy':
    'attribution-reporting=(), browsing-topics=(), join-ad-interest-group=(), run-ad-auction=()',
}

// The mail's own images are in the HTML as `data:` URIs, so the frame needs no origin to load them. Ours is none to
// load from either: reading a mail here must not count as an opening, unless remote content is asked for.
// The frame has the page's origin, so that the page can measure it and open its links. Without `allow-scripts`, and
// with `default-src 'none'`, no script of a mail runs: each of the two is enough.
function htmlPolicy(remote: RemoteContent): string {
  const images = remote === 'none' ? '' : ' http: https:'
  const others = remote === 'all' ? ' http: https:' : ''
  return [
    'sandbox allow-same-origin',
    "default-src 'none'",
    `style-src 'unsafe-inline'${others}`,
    `img-src data:${images}`,
    ...(remote === 'all' ? [`font-src data:${others}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

function indexOf(text: string): number {
  // As it is written in the lists: `00` is no other name of `0`.
  return /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : -1
}
