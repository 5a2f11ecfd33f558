import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { accountRoutes } from './account.ts'
import { mailRoutes } from './mail.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://www.twilio.com/docs/sendgrid/api-reference */
export function sendgridRoutes(parts: ProviderParts): Route[] {
  return [
    ...mailRoutes(parts),
    ...templateRoutes(parts),
    ...suppressionRoutes(parts),
    ...webhookRoutes(parts),
    ...accountRoutes(),
  ]
}
