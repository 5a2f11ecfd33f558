import type { Provider } from '../provider.ts'
import { mailhogFace } from './face.ts'
import { mailhogRoutes } from './routes.ts'

/** MailHog's API over the inbox, at MailHog's own paths. */
export const mailhogProvider: Provider = {
  face: mailhogFace,
  routes: ({ inbox }) => mailhogRoutes(inbox),
}
