import { createSequence } from '../core/sequence.ts'
import { notFound } from '../store/repository.ts'
import { isWanted } from '../webhooks/event-types.ts'
import type { WebhookShape } from '../webhooks/shape.ts'
import type { Webhook } from '../webhooks/types.ts'
import type { WebhookChanges } from '../webhooks/webhook.ts'
import type { ProviderParts } from './provider.ts'

/** The webhooks of an account that have the form of one provider. */
export interface OwnWebhooks {
  list(): Promise<Webhook[]>
  /** @throws not_found */
  find(id: string): Promise<Webhook>
  /**
   * Changes a webhook by what it is now. Changes of one process run one after the other.
   *
   * @throws not_found, webhook_exists, state_conflict, validation_error; what `toChanges` throws.
   */
  change(id: string, toChanges: (webhook: Webhook) => WebhookChanges): Promise<Webhook>
}

/** @param idOf  The id of a webhook in the answers of the provider. */
export function ownWebhooks(
  webhooks: ProviderParts['webhooks'],
  provider: string,
  idOf: (webhook: Webhook) => string = ({ id }) => id,
): OwnWebhooks {
  const list = async (): Promise<Webhook[]> =>
    (await webhooks.list()).items.filter(({ shape }) => shape === provider)
  const inTurn = createSequence()

  async function find(id: string): Promise<Webhook> {
    const found = (await list()).find((webhook) => idOf(webhook) === id)
    if (found) return found
    throw notFound('webhook', id)
  }

  return {
    list,
    find,
    change: (id, toChanges) =>
      inTurn(async () => {
        const webhook = await find(id)
        return webhooks.update(webhook.id, toChanges(webhook))
      }),
  }
}

/** The provider's names of the events that a webhook gets. A webhook may have been made without them. */
export function chosenEvents(
  { events, shape_events }: Pick<Webhook, 'events' | 'shape_events'>,
  shape: WebhookShape,
): string[] {
  if (shape_events) return shape_events
  const all = Object.entries(shape.events)
  return all.filter(([, ours]) => [ours].flat().some((one) => isWanted(one, events))).map(([name]) => name)
}
