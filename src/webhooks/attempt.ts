import { readBeginning } from '../core/read-beginning.ts'
import { guardedRequest, hostAndPort, reasonOf, type GuardedRequest } from '../net/guarded-request.ts'
import type { TraceContext } from '../core/trace-context.ts'
import type { Tracer } from '../core/tracer.ts'
import { postedBody } from './deliveries.ts'
import { maxAnswerBytes } from './schema.ts'
import type { WebhookShape } from './shape.ts'
import type { WebhookDeliveryRecord } from './webhook.ts'
import type { Webhook, WebhookAttempt } from './types.ts'
import { monotonicNow } from '../core/machine.ts'

/** How webhooks are called: which addresses are allowed, and how names are resolved. */
export type Calling = Pick<GuardedRequest, 'problemOf' | 'lookup'>

/**
 * Posts one event to one webhook, once, signed as Standard Webhooks or its provider says. Never rejects.
 *
 * An answer counts as soon as its status has arrived, whether or not its body can be read.
 *
 * @param how.shape  The form of the provider; null for that of Localpost.
 * @param how.trace  The headers of this trace are sent; undefined for none.
 * @param how.now  Unix time in milliseconds; the signature covers it, so that a receiver can refuse old requests.
 * @param how.signal  Aborts the request; its reason becomes the error of the attempt.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function attemptDelivery(
  { url, secret, headers: further = {} }: Webhook,
  delivery: WebhookDeliveryRecord,
  how: {
    now: number
    signal: AbortSignal
    shape: WebhookShape | null
    trace?: TraceContext | undefined
  } & Calling,
): Promise<WebhookAttempt> {
  const { now, signal, lookup, problemOf, shape, trace } = how
  const { event_id } = delivery
  const body = postedBody(delivery)
  const began = monotonicNow()
  const done = (outcome: Pick<WebhookAttempt, 'status' | 'error' | 'response'>): WebhookAttempt => ({
    timestamp: now,
    duration_ms: Math.round((monotonicNow() - began) * 1000) / 1000,
    ...outcome,
  })
  try {
    const { Webhook: Signer } = await import('standardwebhooks')
    const request = {
      id: event_id,
      time: new Date(now),
      body,
      secret,
      sign: () => new Signer(secret).sign(event_id, new Date(now), body),
    }
    const lowercased = Object.entries(further).map(([name, value]) => [name.toLowerCase(), value])
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'localpost',
      ...(trace && { traceparent: trace.traceparent }),
      ...(trace?.tracestate !== undefined && { tracestate: trace.tracestate }),
      ...(Object.fromEntries(lowercased) as Record<string, string>),
      ...(shape ?? standardShape).headers(request),
    }
    const posted = shape?.body?.(request) ?? body
    const given = { method: 'POST', headers, body: posted, signal, problemOf, lookup } as const
    const answer = await guardedRequest(new URL(url), given)
    const status = answer.statusCode ?? 0
    const beginning = await readBeginning(answer, maxAnswerBytes, { isPartEnough: true })
    const response = beginning.toString('utf8', 0, maxAnswerBytes)
    return done({ status, error: statusProblem(status, answer.headers.location), response })
  } catch (error) {
    return done({ status: null, error: reasonOf(signal.aborted ? signal.reason : error), response: null })
  }
}

/** The span of one try, if it is recorded, and the trace that its request belongs to. */
export function attemptSpan(
  { url }: Webhook,
  { traceparent, tracestate, webhook_id, event_id, attempts, payload }: WebhookDeliveryRecord,
  tracer: Tracer | null,
): { trace: TraceContext | undefined; end(attempt: WebhookAttempt): void } {
  const parent = traceparent === undefined ? undefined : { traceparent, tracestate }
  const span = parent && tracer?.begin('email webhook', parent)
  return {
    trace: span?.trace ?? parent,
    end({ status, error }) {
      if (!span) return
      // The path of a URL may be a secret, so only its host is named.
      const { host, port } = hostAndPort(new URL(url))
      const attributes = {
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
      span.end(attributes, error === null ? undefined : String(status ?? 'connection'))
    },
  }
}

/** The headers of Standard Webhooks. */
const standardShape: Pick<WebhookShape, 'headers'> = {
  headers: ({ id, time, sign }) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': sign(),
  }),
}

function statusProblem(status: number, location: string | undefined): string | null {
  if (status >= 200 && status < 300) return null
  if (status < 300 || status >= 400 || location === undefined) return `the receiver answered ${status}`
  return `the receiver answered ${status} to ${location.slice(0, 200)}; redirects are not followed`
}
