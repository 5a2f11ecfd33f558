import { inject, provide, ref, shallowRef, type InjectionKey, type Ref, type ShallowRef } from 'vue'
import type { Health } from '../../src/server/types.ts'
import { createApi, type Api } from './api.ts'
import { createLive, type LiveFeed } from './live.ts'
import { useWhileSeen } from './seen.ts'

/** The running Localpost, as every room of the page sees it. */
export interface Instance {
  api: Api
  live: LiveFeed
  /** How it is; null until the first answer. Renewed at each connection and while the page is looked at. */
  health: ShallowRef<Health | null>
  /** Whether it wants a key first: then nothing is tried until `open`. */
  locked: Ref<boolean>
  /** Begins, or begins again after a key was given. */
  open(): void
}

/** Makes the one instance of the page, for its root component. */
export function provideInstance(): Instance {
  const locked = ref(false)
  const health = shallowRef<Health | null>(null)
  const live = createLive(() => void look())
  const api = createApi(lock)
  const instance: Instance = { api, live, health, locked, open }
  live.listen({ onConnected: () => void look() })
  // Faults and warnings come and go without an event.
  useWhileSeen(() => void (live.connection.value === 'live' && look()))
  provide(instanceKey, instance)

  /** Asks how the instance is; says nothing where it does not answer, as the connection says so already. */
  async function look(): Promise<void> {
    health.value = await api.health().catch(() => health.value)
  }
  function lock(): void {
    locked.value = true
    live.stop()
  }
  function open(): void {
    locked.value = false
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
