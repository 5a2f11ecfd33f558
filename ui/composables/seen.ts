import { onScopeDispose } from 'vue'

/** Calls `look` every ten seconds while a person may see the page, and when they come back to it. */
export function useWhileSeen(look: () => void): void {
  const lookIfSeen = (): void => {
    if (document.visibilityState === 'visible') look()
  }
  const timer = setInterval(lookIfSeen, everyMs)
  addEventListener('focus', lookIfSeen)
  document.addEventListener('visibilitychange', lookIfSeen)
  onScopeDispose(() => {
    clearInterval(timer)
    removeEventListener('focus', lookIfSeen)
    document.removeEventListener('visibilitychange', lookIfSeen)
  })
}

const everyMs = 10_000
