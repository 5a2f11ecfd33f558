import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import { type MailTab, mailTabs } from '../views/inbox/tabs.ts'
import { hashStart, restOf, type PageAccounts } from './accounts.ts'
import { allRooms, type AnyRoom, type RoomName } from './rooms.ts'

/**
 * The view that the URL's fragment names: `#/`, `#/mail/{id}`, a mail without the list at `#/mail/{id}/full`, one of its
 * tabs at `#/mail/{id}/checks` or `#/mail/{id}/full/checks`, one check at `#/mail/{id}/checks/{check}`, two mails side by side
 * at `#/mail/{id}/compare/{other}`, `#/domains`, `#/domains/{id}`, `#/templates/{id}/versions/{version}`. If there are several accounts, the fragment begins with the name of one:
 * `#/a/shop/mail/{id}`.
 */
export type Route =
  | { view: 'list' }
  | {
      view: 'mail'
      id: string
      full?: boolean
      /** The id of another mail, or `previous`. */
      compare?: string
      /** The tab; absent for the best one of the mail. */
      tab?: MailTab
      /** The id of a check, with the tab Checks. */
      check?: string | undefined
    }
  | {
      view: RoomName
      id?: string | undefined
      /** The id of an earlier version, of a template. */
      version?: string | undefined
    }
  /** The fragment names no view. */
  | { view: 'unknown' }

export interface Router {
  route: ComputedRef<Route>
  /** The id of the open mail. */
  openId: ComputedRef<string | null>
  /** The room that the route is in. */
  room: ComputedRef<AnyRoom>
  go(to: Route, replace?: boolean): void
}

/**
 * Makes the router of the shown account; the browser's back and forward work. When the page switches to another account,
 * this router stops reading and changing the URL, which then belongs to the router of that account.
 */
export function provideRoute({ hash, epoch, go: goTo }: PageAccounts): Router {
  const ownEpoch = epoch.value
  const isOver = (): boolean => epoch.value !== ownEpoch
  const route = computed<Route>((last) => (isOver() && last ? last : parseHash(hash.value)))
  const openId = computed(() => (route.value.view === 'mail' ? route.value.id : null))
  const room = computed(() => {
    const { view } = route.value
    return view === 'list' || view === 'mail' || view === 'unknown' ? 'inbox' : view
  })

  function go(to: Route, replace = false): void {
    if (!isOver()) goTo(hashOf(to), replace)
  }
  const router = { route, openId, room, go }
  provide(routerKey, router)
  return router
}

/** The router of the shown account. */
export function useRoute(): Router {
  const router = inject(routerKey)
  if (!router) throw new Error('There is no router above this component.')
  return router
}

const routerKey: InjectionKey<Router> = Symbol('router')

/** The URL fragment of a route, for `href`. */
export function hashOf(route: Route): string {
  const start = hashStart()
  if (route.view === 'list' || route.view === 'unknown') return `${start}/`
  const end = route.view === 'mail' ? endOf(route) : partOf('versions', route.version)
  return route.id === undefined
    ? `${start}/${route.view}`
    : `${start}/${route.view}/${encodeURIComponent(route.id)}${end}`
}

function endOf({ full, compare, tab, check }: Route & { view: 'mail' }): string {
  if (compare !== undefined) return `/compare/${encodeURIComponent(compare)}`
  const start = full ? '/full' : ''
  if (tab === 'Checks' && check !== undefined) return start + partOf('checks', check)
  return `${start}${tab === undefined ? '' : `/${tab.toLowerCase()}`}`
}

const partOf = (name: string, id: string | undefined): string =>
  id === undefined ? '' : `/${name}/${encodeURIComponent(id)}`

/** The id of a mail's row in the page. */
export const rowId = (id: string): string => `mail-${id}`

function parseHash(hash: string): Route {
  const [name = '', part, ...rest] = restOf(hash).slice(1).split('/')
  if (name === '' && part === undefined) return { view: 'list' }
  const id = decoded(part)
  if (name === 'mail') return (id && mailRoute(id, rest)) || { view: 'unknown' }
  const view = allRooms.find((room) => room === name)
  if (!view || view === 'inbox') return { view: 'unknown' }
  if (rest.length === 0) return { view, id }
  const version =
    view === 'templates' && rest[0] === 'versions' && rest.length === 2 ? decoded(rest[1]) : undefined
  return id && version ? { view, id, version } : { view: 'unknown' }
}

/** @param rest  What follows the id: `full`, a tab, `checks` and the id of a check, or `compare` and an id. */
function mailRoute(id: string, rest: readonly string[]): Route | null {
  const other = rest[0] === 'compare' && rest.length === 2 ? decoded(rest[1]) : undefined
  if (other) return { view: 'mail', id, full: false, compare: other }
  const full = rest[0] === 'full'
  const [name, ...more] = full ? rest.slice(1) : rest
  const tab = mailTabs.find((one) => one.toLowerCase() === name)
  if (name !== undefined && tab === undefined) return null
  if (more.length === 0) return { view: 'mail', id, full, ...(tab && { tab }) }
  const check = tab === 'Checks' && more.length === 1 ? decoded(more[0]) : undefined
  return check ? { view: 'mail', id, full, tab, check } : null
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    return undefined
  }
}
