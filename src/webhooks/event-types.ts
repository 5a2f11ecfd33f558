import { eventStatuses } from '../emails/events.ts'
import type { WebhookDelivery, WebhookPattern } from './types.ts'

/** The names of what happens to emails: one for each status. */
export const emailEventTypes: readonly `email.${(typeof eventStatuses)[number]}`[] = eventStatuses.map(
  (status) => `email.${status}` as const,
)
/** The names of what happens to domains. */
export const domainEventTypes = ['domain.created', 'domain.updated', 'domain.verified'] as const
/** The first delivery to a webhook whose provider has webhooks confirmed; no webhook can ask for it. */
export const webhookCreatedType = 'webhook.created'
/** The patterns that match several events. */
export const eventGroups = ['*', 'email.*', 'domain.*'] as const

/** Whether one of the patterns asks for this event. */
export function isWanted(type: WebhookDelivery['type'], patterns: readonly WebhookPattern[]): boolean {
  const group = `${type.split('.', 1)[0]}.*`
  return patterns.some((pattern) => pattern === type || pattern === group || pattern === '*')
}
