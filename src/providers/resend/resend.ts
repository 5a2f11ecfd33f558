import type { Provider } from '../provider.ts'
import { domainRoutes } from './domains.ts'
import { emailRoutes } from './emails.ts'
import { resendFace } from './face.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://resend.com/docs/api-reference */
export const resendProvider: Provider = {
  face: resendFace,
  routes: (parts) => [
    ...emailRoutes(parts),
    ...domainRoutes(parts),
    ...templateRoutes(parts),
    ...webhookRoutes(parts),
  ],
}
