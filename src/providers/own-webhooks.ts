import { notFound } from '../store/repository.ts'
import { isWanted } from '../webhooks/event-types.ts'
import type { WebhookShape } from '../webhooks/shape.ts'
import type { Webhook } from '../webhooks/types.ts'
import type { ProviderParts } from './provider.ts'

/** Reads the webhooks of an account that have the form of one provider. */
export interface OwnWebhooks {
  list(): Promise<Webhook[]>
  /** @throws not_found */
  find(id: string): Promise<Webhook>
}

/** @param idOf  The id of a webhook in the answers of the provider. */
export function ownWebhooks(
  webhooks: ProviderParts['webhooks'],
  provider: string,
  idOf: (webhook: Webhook) => string = ({ id }) => id,
): OwnWebhooks {
  const list = async (): Promise<Webhook[]> =>
    (await webhooks.list()).items.filter(({ shape }) => shape === provider)
  return {
    list,
    async find(id) {
      const found = (await list()).find((webhook) => idOf(webhook) === id)
      if (found) return found
      throw notFound('webhook', id)
    },
  }
}

/** The events that a webhook gets, in the names of its provider. A webhook created elsewhere names our events. */
export function chosenEvents(
  { events, shape_events }: Pick<Webhook, 'events' | 'shape_events'>,
  shape: WebhookShape,
): string[] {
  if (shape_events) return shape_events
  const all = Object.entries(shape.events)
  return all.filter(([, ours]) => [ours].flat().some((one) => isWanted(one, events))).map(([name]) => name)
}
