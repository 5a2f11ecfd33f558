import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { domainRoutes } from './domains.ts'
import { emailRoutes } from './emails.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://resend.com/docs/api-reference */
export function resendRoutes(parts: ProviderParts): Route[] {
  return [...emailRoutes(parts), ...domainRoutes(parts), ...templateRoutes(parts), ...webhookRoutes(parts)]
}
