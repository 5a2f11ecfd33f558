import type { EventStatus } from '../emails/email.ts'

export type EmailEventType = `email.${EventStatus}`
export type DomainEventType = 'domain.created' | 'domain.updated' | 'domain.verified'

/** What a webhook may ask for: an event, all of one kind, or everything. */
export type WebhookPattern = EmailEventType | DomainEventType | 'email.*' | 'domain.*' | '*'

/** Every pattern, by its own name: an object rather than an array, so that the compiler names a missing one. */
export const webhookPatterns: { readonly [Pattern in WebhookPattern]: Pattern } = {
  '*': '*',
  'email.*': 'email.*',
  'email.sent': 'email.sent',
  'email.delivered': 'email.delivered',
  'email.opened': 'email.opened',
  'email.clicked': 'email.clicked',
  'email.bounced': 'email.bounced',
  'email.delivery_delayed': 'email.delivery_delayed',
  'email.complained': 'email.complained',
  'email.failed': 'email.failed',
  'domain.*': 'domain.*',
  'domain.created': 'domain.created',
  'domain.updated': 'domain.updated',
  'domain.verified': 'domain.verified',
}

/** The names of the events, without the patterns for several. */
export const webhookEventTypes: readonly (EmailEventType | DomainEventType)[] = Object.values(
  webhookPatterns,
).filter((pattern) => pattern !== '*' && pattern !== 'email.*' && pattern !== 'domain.*')

/** Whether one of the patterns asks for this event. */
export function isWanted(
  type: EmailEventType | DomainEventType,
  patterns: readonly WebhookPattern[],
): boolean {
  const kind = type.startsWith('email.') ? 'email.*' : 'domain.*'
  return patterns.includes(type) || patterns.includes(kind) || patterns.includes('*')
}
