import type { WebhookDelivery } from '../../../src/webhooks/types.ts'
import type { Tone } from '../../composables/words.ts'

/** How a webhook is, by its newest deliveries; null before the first try. */
export function webhookHealth(
  id: string,
  deliveries: readonly WebhookDelivery[],
): { tone: Tone; words: string } | null {
  const own = deliveries.filter(({ webhook_id }) => webhook_id === id)
  // The newest first; one that waits for its first try says nothing.
  const last = own
    .flatMap(({ attempts }) => attempts.at(-1) ?? [])
    .toSorted((a, b) => b.timestamp - a.timestamp)[0]
  if (!last) return null
  const waiting = own.filter(({ state }) => state === 'pending').length
  const left = waiting > 0 ? `, ${waiting} waiting` : ''
  return last.error === null
    ? { tone: 'good', words: `Working${left}` }
    : { tone: 'bad', words: `Failing: ${deliveryErrorWords(last.error)}${left}` }
}

const refused = 'connect ECONNREFUSED '
/** Why a try failed; the most common error in words that are not those of Node. */
export const deliveryErrorWords = (error: string): string =>
  error.startsWith(refused) ? `connection refused, nothing listens at ${error.slice(refused.length)}` : error
