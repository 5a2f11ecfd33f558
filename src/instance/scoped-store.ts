import type { Store } from '../store/store.ts'

/** A store whose listeners end together, with what was opened over it. */
export interface ScopedStore {
  readonly store: Store
  /** Ends all calls of listeners. */
  end(): void
}

/** The store of something that is opened and closed while the store stays open, as an account is. */
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
