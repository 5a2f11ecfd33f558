import type { Provider } from '../provider.ts'
import { mailpitFace } from './face.ts'
import { mailpitRoutes } from './routes.ts'

/** Mailpit's REST API over the inbox, at Mailpit's own paths. @see https://mailpit.axllent.org/docs/api-v1/ */
export const mailpitProvider: Provider = { face: mailpitFace, routes: mailpitRoutes }
