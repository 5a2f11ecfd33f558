import type { WebhookDeliveryRecord } from './webhook.ts'
import type { WebhookAttempt } from './types.ts'

/**
 * The delivery after a try: delivered by a 2xx answer, failed by 410 (Gone) or after the last try, otherwise due again.
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
  // Only the last answer is kept in full: those of every try would take most of the space.
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
