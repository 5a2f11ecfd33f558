import type { Provider } from '../provider.ts'
import { accountRoutes } from './account.ts'
import { configurationSetRoutes } from './configuration-set-routes.ts'
import { emailRoutes } from './emails.ts'
import { sesFace } from './face.ts'
import { identityRoutes } from './identities.ts'
import { suppressionRoutes } from './suppression.ts'
import { templateRoutes } from './templates.ts'

/** Version 2 of the API. @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/Welcome.html */
export const sesProvider: Provider = {
  face: sesFace,
  routes: (parts) => [
    ...emailRoutes(parts),
    ...templateRoutes(parts),
    ...identityRoutes(parts),
    ...configurationSetRoutes(parts),
    ...suppressionRoutes(parts),
    ...accountRoutes(parts),
  ],
}
