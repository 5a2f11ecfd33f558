import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { domainRoutes } from './domains.ts'
import { eventRoutes } from './event-log.ts'
import { messageRoutes } from './messages.ts'
import { storedMessageRoutes } from './stored-message.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://documentation.mailgun.com/docs/mailgun/api-reference/intro */
export function mailgunRoutes(parts: ProviderParts): Route[] {
  return [
    ...messageRoutes(parts),
    ...storedMessageRoutes(parts),
    ...eventRoutes(parts),
    ...suppressionRoutes(parts),
    ...templateRoutes(parts),
    ...domainRoutes(parts),
    ...webhookRoutes(parts),
  ]
}
