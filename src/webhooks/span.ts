import type { Attributes } from '../core/tracer.ts'
import { hostAndPort } from '../net/guarded-request.ts'
import type { Webhook, WebhookAttempt } from './types.ts'
import type { WebhookDeliveryRecord } from './webhook.ts'

/** What the span of a try says. The path of a URL may be a secret, so only its host is named. */
export function spanFacts(
  { url }: Webhook,
  { webhook_id, event_id, attempts, payload }: WebhookDeliveryRecord,
  { status }: WebhookAttempt,
): Attributes {
  const { host, port } = hostAndPort(new URL(url))
  return {
    'localpost.webhook.id': webhook_id,
    'localpost.event.id': event_id,
    'localpost.event.type': payload.type,
    ...('email_id' in payload.data && { 'localpost.email.id': payload.data.email_id }),
    'http.request.method': 'POST',
    'server.address': host,
    'server.port': port,
    ...(attempts.length > 0 && { 'http.request.resend_count': attempts.length }),
    ...(status !== null && { 'http.response.status_code': status }),
  }
}

/** The error of a span: the status, or `connection` without one; undefined if there is none. */
export function attemptFailure({ error, status }: WebhookAttempt): string | undefined {
  if (error === null) return undefined
  return status === null ? 'connection' : String(status)
}
