import { defineAsyncComponent, type Component } from 'vue'
import type { RoomName } from '../composables/rooms.ts'
import LoadFailure from './LoadFailure.vue'

/** What stands in the rooms beside the inbox, each fetched when it is first entered. */
export const roomViews: Readonly<Record<RoomName, Component>> = {
  domains: lazy(() => import('../rooms/domains/DomainsRoom.vue')),
  audiences: lazy(() => import('../rooms/audiences/AudiencesRoom.vue')),
  templates: lazy(() => import('../rooms/templates/TemplatesRoom.vue')),
  requests: lazy(() => import('../rooms/requests/RequestsRoom.vue')),
  webhooks: lazy(() => import('../rooms/webhooks/WebhooksRoom.vue')),
  causes: lazy(() => import('../rooms/causes/CausesRoom.vue')),
  connect: lazy(() => import('../rooms/connect/ConnectRoom.vue')),
}

function lazy(loader: () => Promise<{ default: Component }>): Component {
  return defineAsyncComponent({ loader, errorComponent: LoadFailure })
}
