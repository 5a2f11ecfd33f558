import type { Tracking } from '../tracking/tracking.ts'
import type { ServedWebhooks } from '../webhooks/service.ts'
import { bytesAnswer } from './answer.ts'
import { defineRoutes, type Route, type RouteContext } from './define-routes.ts'
import { plainPage } from './plain-page.ts'

const { get, post } = defineRoutes({
  tag: 'Tracking',
  access: 'public',
  errors: ['not_found', 'store_full', 'store_read_only'],
})

/**
 * `/t`: the URLs in tracked mail, and those by which receivers confirm webhooks. Anyone may call them, wherever the
 * mail is read; only their token decides what they do.
 */
export function trackingRoutes(
  tracking: Pick<Tracking, 'open' | 'click' | 'unsubscribe'>,
  webhooks: Pick<ServedWebhooks, 'confirm'>,
): Route[] {
  return [
    get('/t/o/{token}', {
      summary: 'The image of a tracked mail: records an opening',
      success: { type: 'image/gif', description: 'A transparent image of one pixel' },
      async handler({ params, ...caller }) {
        await tracking.open(params.token, visitorOf(caller))
        return bytesAnswer(pixel, {
          ...guarded,
          'content-type': 'image/gif',
          'content-length': String(pixel.length),
        })
      },
    }),
    get('/t/c/{token}', {
      summary: 'A link of a tracked mail: records a click and leads on',
      success: { status: 302, description: 'The link is in `Location`' },
      async handler({ params, ...caller }) {
        const location = await tracking.click(params.token, visitorOf(caller))
        return bytesAnswer(null, { ...guarded, location }, 302)
      },
    }),
    get('/t/u/{token}', {
      summary: 'Asks whether to unsubscribe',
      success: { type: 'text/html; charset=utf-8', description: 'A page with one button' },
      async handler({ params }) {
        await tracking.unsubscribe(params.token, { ask: true })
        return plainPage({
          title: 'Unsubscribe',
          content: '<form method="post"><button>Unsubscribe</button></form>',
          headers: guarded,
          formAction: "'self'",
        })
      },
    }),
    post('/t/u/{token}', {
      summary: 'Unsubscribes the contact of a broadcast with one click (RFC 8058); the body does not matter',
      success: { type: 'text/html; charset=utf-8', description: 'A page that says so' },
      async handler({ params }) {
        await tracking.unsubscribe(params.token)
        return plainPage({
          title: 'Unsubscribed',
          content: '<p>You get no more of these mails.</p>',
          headers: guarded,
        })
      },
    }),
    get('/t/w/{token}', {
      summary: 'Confirms a webhook: its receiver got this URL first',
      success: { type: 'text/xml', description: 'As its provider answers' },
      async handler({ params }) {
        const { type, text } = await webhooks.confirm(params.token)
        return bytesAnswer(text, { ...guarded, 'content-type': type })
      },
    }),
  ]
}

const guarded = {
  'referrer-policy': 'no-referrer',
  // Any mail program may load the image, also webmail, whose pages are of other sites.
  'cross-origin-resource-policy': 'cross-origin',
}

const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

// A browser that only prepares for a click has not clicked.
function visitorOf(
  caller: Pick<RouteContext, 'headers' | 'isHead' | 'ip'>,
): { ip: string; user_agent: string } | null {
  const { headers, isHead, ip } = caller
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-moz') ?? ''
  if (isHead || /prefetch|preview/i.test(purpose)) return null
  return { ip: ip(), user_agent: headers.get('user-agent') ?? '' }
}
