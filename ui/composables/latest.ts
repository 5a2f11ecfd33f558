import { onScopeDispose } from 'vue'

/**
 * Cancels a load when a newer one begins or the Vue scope ends.
 *
 * @returns A function to call at the beginning of each load. It returns the signal that cancels this load.
 */
export function useLatest(): () => AbortSignal {
  let current = new AbortController()
  onScopeDispose(() => current.abort())
  return () => {
    current.abort()
    current = new AbortController()
    return current.signal
  }
}
