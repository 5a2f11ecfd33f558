import { LocalpostError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'

/** A store that can be closed to changes. */
export interface GatedStore {
  readonly store: Store
  /** Refuses changes from now on, and waits for those that run. */
  shut(): Promise<void>
}

/**
 * Wraps the store of an account, which may be removed while work for it is running, such as an upload. That work must not
 * store anything after the account's data were removed.
 */
export function gateStore(inner: Store): GatedStore {
  const running = new Set<Promise<unknown>>()
  let isShut = false

  function passed<T>(change: () => Promise<T>): Promise<T> {
    if (isShut) return Promise.reject(new LocalpostError('not_found', 'The account was removed.'))
    const work = change().finally(() => running.delete(work))
    running.add(work)
    return work
  }

  return {
    store: {
      ...inner,
      commit: (...given) => passed(() => inner.commit(...given)),
      bulk: (...given) => passed(() => inner.bulk(...given)),
    },
    async shut() {
      isShut = true
      await Promise.allSettled(running)
    },
  }
}
