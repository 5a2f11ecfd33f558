import type { WebhookDeliveryRecord } from './webhook.ts'
import type { WebhookAttempt } from './types.ts'

/**
 * What a delivery becomes after a try: delivered by a 2xx answer, given up by 410 (Gone) or when no further try is
 * left, else due again.
 *
 * @param retryDelaysMs  Waits before the second, third, … try, in milliseconds.
 * @param now  Unix time in milliseconds.
 */
export function afterAttempt(
  delivery: WebhookDeliveryRecord,
  attempt: WebhookAttempt,
  retryDelaysMs: readonly number[],
  now: number,
): WebhookDeliveryRecord {
  // The last answer is the one that is looked at; whole ones of every try would be most of what is stored.
  const earlier = delivery.attempts.map((before) => ({
    ...before,
    response: before.response?.slice(0, 256) ?? null,
  }))
  const attempts = [...earlier, attempt]
  const delay = retryDelaysMs[delivery.attempts.length]
  if (attempt.error === null) return { ...delivery, attempts, state: 'delivered', due: null, finished: now }
  if (attempt.status === 410 || delay === undefined)
    return { ...delivery, attempts, state: 'failed', due: null, finished: now }
  return { ...delivery, attempts, due: now + delay }
}
