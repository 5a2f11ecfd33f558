import type { ServerDeps } from '../../server/deps.ts'
import type { Route } from '../../server/route.ts'
import { chaosRoutes } from './chaos.ts'
import { checkRoutes } from './check-routes.ts'
import { messageRoutes } from './message.ts'
import { messagesRoutes } from './messages.ts'
import { sendRoutes } from './send-route.ts'
import { systemRoutes } from './system.ts'
import { tagRoutes } from './tags.ts'
import { viewRoutes } from './view.ts'

/** Mailpit's REST API over the inbox, at Mailpit's own paths. */
export function mailpitRoutes(
  deps: Pick<ServerDeps, 'inbox' | 'sending' | 'faults' | 'config' | 'state'>,
): Route[] {
  const { inbox, sending, faults } = deps
  return [
    ...messagesRoutes(inbox),
    ...messageRoutes(inbox),
    ...sendRoutes(sending, inbox),
    ...checkRoutes(inbox),
    ...tagRoutes(inbox),
    ...systemRoutes(deps),
    ...chaosRoutes(faults),
    ...viewRoutes(inbox),
  ]
}
