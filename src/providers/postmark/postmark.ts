import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { bounceRoutes } from './bounces.ts'
import { emailRoutes } from './emails.ts'
import { messageRoutes } from './messages.ts'
import { serverRoutes } from './server.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://postmarkapp.com/developer/api/overview */
export function postmarkRoutes(parts: ProviderParts): Route[] {
  return [
    ...emailRoutes(parts),
    ...messageRoutes(parts),
    ...bounceRoutes(parts),
    ...webhookRoutes(parts),
    ...suppressionRoutes(parts),
    ...templateRoutes(parts),
    ...serverRoutes(),
  ]
}
