import type { WebhookDeliveryState } from '../../../src/webhooks/types.ts'
import type { Tone } from '../../composables/words.ts'

/** What a delivery's state is called, its tone, and the sentence for a list without any in it. */
export const deliveryStates: Readonly<
  Record<WebhookDeliveryState, { words: string; tone: Tone; none: string }>
> = {
  pending: { words: 'Waiting', tone: 'warn', none: 'No delivery is waiting.' },
  delivered: { words: 'Delivered', tone: 'good', none: 'Nothing was delivered.' },
  failed: { words: 'Failed', tone: 'bad', none: 'No delivery failed.' },
}
