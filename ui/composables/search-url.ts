import { onScopeDispose, type Ref } from 'vue'
import { onTyped } from './typed.ts'

/** The search in the URL, `?query=`; `""` without one. */
export const searchInUrl = (): string => new URLSearchParams(location.search).get('query') ?? ''

/**
 * Keeps a search in the URL while a person types, and follows the browser's Back and Forward.
 *
 * @param search  Called when the person pauses, or the URL changed.
 */
export function useSearchInUrl(query: Ref<string>, search: () => void): void {
  // Links change the fragment alone, and must not take back what is being typed.
  let known = location.search
  onTyped(query, (text) => {
    const next = text ? `?${new URLSearchParams({ query: text }).toString()}` : location.pathname
    history.replaceState(history.state, '', next + location.hash)
    known = location.search
    search()
  })
  function onPopstate(): void {
    if (location.search === known) return
    known = location.search
    query.value = searchInUrl()
  }
  addEventListener('popstate', onPopstate)
  onScopeDispose(() => removeEventListener('popstate', onPopstate))
}
