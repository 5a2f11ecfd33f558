import type { RemoteContent } from '../../mime/html/remote-content.ts'
import { type Answer, bytesAnswer } from '../answer.ts'

/** The answer with the HTML of a mail, for a frame. */
export function htmlAnswer(html: Uint8Array, remote: RemoteContent): Answer {
  return bytesAnswer(html, {
    ...bytesHeaders,
    ...unconnected,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': htmlPolicy(remote),
  })
}

/** The header fields of an answer with an attachment: a picture or PDF is shown, anything else is a download. */
export function attachmentHeaders(file: { filename: string; content_type: string }): Record<string, string> {
  const type = file.content_type.trim().toLowerCase()
  return {
    ...bytesHeaders,
    'content-type': typeForm.test(type) ? type : 'application/octet-stream',
    'content-disposition': disposition(shownTypes.has(type) ? 'inline' : 'attachment', file.filename),
  }
}

/** A Content-Disposition with any file name: plain ASCII for old clients, the whole name for others. @see RFC 6266, RFC 5987 */
export function disposition(kind: 'attachment' | 'inline', filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%/:;]/g, '_')
  const whole = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

/**
 * Types that are shown instead of downloaded. Never SVG: it is a document with scripts. Browsers show a PDF in a viewer whose
 * scripts have no access to this origin.
 */
export const shownTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
])
const typeForm = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/

/** Headers of every answer of bytes. */
export const bytesHeaders = {
  'referrer-policy': 'no-referrer',
  'content-security-policy': "sandbox; default-src 'none'",
}

// Not covered by a Content-Security-Policy: hosts of links must not be looked up before a click.
const unconnected = {
  'x-dns-prefetch-control': 'off',
  'permissions-policy':
    'attribution-reporting=(), browsing-topics=(), join-ad-interest-group=(), run-ad-auction=()',
}

// The mail's own images are in the HTML as `data:` URIs, so the frame needs no origin to load them. Our own origin is
// not allowed either: reading a mail here must not count as an opening, unless remote content is requested. The frame
// has the page's origin, so that the page can measure it and open its links. Without `allow-scripts`, and with
// `default-src 'none'`, no script of a mail runs: each of the two is enough.
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
