import { defineAsyncComponent, type Component } from 'vue'
import type { RoomName } from '../../composables/rooms.ts'
import LoadFailure from './LoadFailure.vue'

/** The rooms beside the inbox, each loaded when it is first opened. */
export const roomViews: Readonly<Record<RoomName, Component>> = {
  scheduled: lazy(() => import('../../views/scheduled/ScheduledRoom.vue')),
  domains: lazy(() => import('../../views/domains/DomainsRoom.vue')),
  audiences: lazy(() => import('../../views/audiences/AudiencesRoom.vue')),
  templates: lazy(() => import('../../views/templates/TemplatesRoom.vue')),
  requests: lazy(() => import('../../views/requests/RequestsRoom.vue')),
  webhooks: lazy(() => import('../../views/webhooks/WebhooksRoom.vue')),
  rules: lazy(() => import('../../views/rules/RulesRoom.vue')),
  connect: lazy(() => import('../../views/connect/ConnectRoom.vue')),
}

function lazy(loader: () => Promise<{ default: Component }>): Component {
  return defineAsyncComponent({ loader, errorComponent: LoadFailure })
}
