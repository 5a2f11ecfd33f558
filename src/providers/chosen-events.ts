import { isWanted } from '../webhooks/event-types.ts'
import type { WebhookShape } from '../webhooks/shape.ts'
import type { Webhook } from '../webhooks/types.ts'

/** The events that a webhook gets, in the names of its provider. One that was made without them has those made of its own. */
export function chosenEvents(
  { events, shape_events }: Pick<Webhook, 'events' | 'shape_events'>,
  shape: WebhookShape,
): string[] {
  if (shape_events) return shape_events
  const all = Object.entries(shape.events)
  return all.filter(([, ours]) => [ours].flat().some((one) => isWanted(one, events))).map(([name]) => name)
}
