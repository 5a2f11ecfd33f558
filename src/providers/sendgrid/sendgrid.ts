import type { Provider } from '../provider.ts'
import { accountRoutes } from './account.ts'
import { sendgridFace } from './face.ts'
import { mailRoutes } from './mail.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'

/** @see https://www.twilio.com/docs/sendgrid/api-reference */
export const sendgridProvider: Provider = {
  face: sendgridFace,
  routes: (parts) => [
    ...mailRoutes(parts),
    ...templateRoutes(parts),
    ...suppressionRoutes(parts),
    ...webhookRoutes(parts),
    ...accountRoutes(),
  ],
}
