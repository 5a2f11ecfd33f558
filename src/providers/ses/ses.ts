import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { accountRoutes } from './account.ts'
import { configurationSetRoutes } from './configuration-set-routes.ts'
import { emailRoutes } from './emails.ts'
import { identityRoutes } from './identities.ts'
import { suppressionRoutes } from './suppression.ts'
import { templateRoutes } from './templates.ts'

/** Version 2 of the API. @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/Welcome.html */
export function sesRoutes(parts: ProviderParts): Route[] {
  return [
    ...emailRoutes(parts),
    ...templateRoutes(parts),
    ...identityRoutes(parts),
    ...configurationSetRoutes(parts),
    ...suppressionRoutes(parts),
    ...accountRoutes(parts),
  ]
}
