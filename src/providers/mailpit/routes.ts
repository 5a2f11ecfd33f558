import type { Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { chaosRoutes } from './chaos.ts'
import { checkRoutes } from './check-routes.ts'
import { eventRoutes } from './events.ts'
import { messageRoutes } from './message.ts'
import { messagesRoutes } from './messages.ts'
import { sendRoutes } from './send-route.ts'
import { systemRoutes } from './system.ts'
import { tagRoutes } from './tags.ts'
import { viewRoutes } from './view.ts'

/** The operations of Mailpit's API. */
export function mailpitRoutes(parts: ProviderParts): Route[] {
  const { inbox, faults } = parts
  return [
    ...messagesRoutes(inbox),
    ...messageRoutes(inbox),
    ...sendRoutes(parts),
    ...checkRoutes(inbox),
    ...tagRoutes(inbox),
    ...systemRoutes(parts),
    ...chaosRoutes(faults),
    ...viewRoutes(inbox),
    ...eventRoutes(parts),
  ]
}
