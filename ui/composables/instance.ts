import {
  inject,
  onScopeDispose,
  provide,
  ref,
  shallowRef,
  type InjectionKey,
  type Ref,
  type ShallowRef,
} from 'vue'
import type { Health, SessionState } from '../../src/server/schema.ts'
import type { PageAccounts } from './accounts.ts'
import { createApi, type Api } from './api.ts'
import { createLive, type LiveFeed } from './live.ts'
import { useWhileSeen } from './seen.ts'

/** The running Localpost, as every room of the page sees it, with one of its accounts. */
export interface Instance {
  api: Api
  live: LiveFeed
  /** Its health; null until the first answer. Refreshed at each connection and while the page is visible. */
  health: ShallowRef<Health | null>
  /** Whether it requires a sign-in: then no requests are made until `open`. */
  locked: Ref<boolean>
  /** The user who is signed in; null until the first answer. */
  session: ShallowRef<SessionState | null>
  /** Opens the connection, or opens it again. */
  open(): void
  /** Ends the session, and shows the sign-in. */
  signOut(): Promise<void>
}

/** Makes the instance of the shown account. Its requests are cancelled with the Vue scope. */
export function provideInstance(accounts: PageAccounts): Instance {
  const account = accounts.asked.value
  const over = new AbortController()
  onScopeDispose(() => over.abort())
  const locked = ref(false)
  const health = shallowRef<Health | null>(null)
  const live = createLive(account, () => void look())
  const session = shallowRef<SessionState | null>(null)
  let meeting: Promise<void> | undefined
  // A room may call this before the session is known.
  async function isSignedIn(): Promise<boolean> {
    await meeting
    return session.value?.caller === 'user' || session.value?.caller === 'key'
  }
  const api = createApi({ account, signal: over.signal, onLocked: lock, isSignedIn })
  const instance: Instance = { api, live, health, locked, session, open, signOut }
  live.listen({ onConnected: () => void look() })
  // There is no event when faults or warnings change: other tabs and programs change them too.
  useWhileSeen(() => void (live.connection.value === 'live' && look()), 2000)
  provide(instanceKey, instance)

  /** Requests the health of the instance. A failure is ignored, because the connection shows it already. */
  async function look(): Promise<void> {
    health.value = await api.health().catch(() => health.value)
  }
  /** Requests who is signed in. If that fails, it is repeated at the next sign-in. */
  async function meet(): Promise<void> {
    session.value = await api.session().catch(() => session.value)
  }
  async function signOut(): Promise<void> {
    await api.signOut()
    lock()
  }
  function lock(): void {
    locked.value = true
    session.value = null
    accounts.forget()
    live.stop()
  }
  function open(): void {
    locked.value = false
    meeting = meet()
    live.start()
  }
  return instance
}

/** @throws Error outside of the component that called {@link provideInstance}. */
export function useInstance(): Instance {
  const instance = inject(instanceKey)
  if (!instance) throw new Error('There is no instance above this component.')
  return instance
}

const instanceKey: InjectionKey<Instance> = Symbol('instance')
