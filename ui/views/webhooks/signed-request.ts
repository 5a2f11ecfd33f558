import type { Webhook, WebhookDelivery } from '../../../src/webhooks/types.ts'
import { shell } from '../connect/place.ts'

/** The characters of a body that the server answers; a longer one cannot be signed here. */
const mostCharacters = 4096

/** Whether the page can make the signature: in the form of Standard Webhooks, over a body that is known as a whole. */
export const canSign = (webhook: Webhook | undefined, { body }: WebhookDelivery): webhook is Webhook =>
  webhook !== undefined &&
  webhook.shape === undefined &&
  webhook.secret.startsWith('whsec_') &&
  body.length < mostCharacters &&
  // Browsers sign in secure contexts only, which plain http is on loopback alone.
  isSecureContext

/**
 * A command for a POSIX shell that posts a delivery again, with a signature that is valid from now on.
 *
 * @param now  Unix time in milliseconds.
 */
export async function signedCurl(
  { url, secret, headers = {} }: Webhook,
  { event_id, body }: WebhookDelivery,
  now: number,
): Promise<string> {
  const timestamp = String(Math.floor(now / 1000))
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const signed = new TextEncoder().encode(`${event_id}.${timestamp}.${body}`)
  const signature = btoa(
    String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))),
  )
  const all = {
    ...headers,
    'content-type': 'application/json',
    'webhook-id': event_id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return [
    `curl ${shell(url)}`,
    ...Object.entries(all).map(([name, value]) => `  -H ${shell(`${name}: ${value}`)}`),
    `  --data-raw ${shell(body)}`,
  ].join(' \\\n')
}
