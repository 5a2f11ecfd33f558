import type { Store } from '../store/store.ts'

/** A store whose listeners end together. */
export interface ScopedStore {
  readonly store: Store
  /** Ends all calls of listeners. */
  end(): void
}

/** Wraps the store for something that is closed earlier than the store, such as an account. */
export function scopeStore(inner: Store): ScopedStore {
  const stops = new Set<() => void>()
  return {
    store: {
      ...inner,
      changes(listener, after) {
        const stop = inner.changes(listener, after)
        const end = (): void => {
          stops.delete(end)
          stop()
        }
        stops.add(end)
        return end
      },
    },
    end() {
      for (const stop of stops) stop()
    },
  }
}
