import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { readDomain } from './conventions.ts'
import { domainRoutes } from './domains.ts'
import { eventRoutes } from './event-log.ts'
import { messageRoutes } from './messages.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://documentation.mailgun.com/docs/mailgun/api-reference/intro */
export function mailgunRoutes(parts: ProviderParts): Route[] {
  const ofAnyDomain = [messageRoutes, eventRoutes, suppressionRoutes, templateRoutes, webhookRoutes]
  return [...ofAnyDomain.flatMap((routesOf) => routesOf(parts)).map(checkingDomain), ...domainRoutes(parts)]
}

/** A route that answers not_found if the domain of its path is not a domain, even if its handler does not use the domain. */
function checkingDomain(route: Route): Route {
  if (!route.path.includes('{domain}')) return route
  return {
    ...route,
    handler(context) {
      readDomain(context.params['domain'] ?? '')
      return route.handler(context)
    },
  }
}
