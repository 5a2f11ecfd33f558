import type { Provider } from '../provider.ts'
import { mailpitFace } from './face.ts'
import { mailpitRoutes } from './routes.ts'

/** Mailpit's REST API over the inbox, at Mailpit's own paths. @see https://mailpit.axllent.org/docs/api-v1/ */
export const mailpitProvider: Provider = {
  name: 'mailpit',
  face: mailpitFace,
  routes: mailpitRoutes,
  connect: {
    variables: { MAILPIT_URL: '{url}' },
    code: `import { MailpitClient } from 'mailpit-api'

const mailpit = new MailpitClient('{url}')
const message = await mailpit.waitForMessage({ query: 'to:ada@example.com' })`,
  },
}
