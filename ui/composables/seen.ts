import { onScopeDispose } from 'vue'

/** Calls `look` every `everyMs` while the page is visible, and when it becomes visible again. */
export function useWhileSeen(look: () => void, everyMs = 10_000): void {
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
