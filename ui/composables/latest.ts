import { onScopeDispose } from 'vue'

/**
 * For loads of which only the latest counts.
 *
 * @returns A function that cancels the load before and gives the signal of a new one. The end of the Vue scope cancels it too.
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
