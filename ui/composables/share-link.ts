import type { Health } from '../../src/server/schema.ts'
import { hashOf, type Route } from './route.ts'

/** The whole address of a view, for others: by the public address of the instance where there is one. */
export function shareLink(health: Health | null, route: Route): string {
  const { url = null, tracking_url = null } = health ?? {}
  const base = tracking_url !== null && tracking_url !== url ? tracking_url : new URL('.', location.href).href
  return `${base.replace(/\/$/, '')}/${hashOf(route)}`
}
