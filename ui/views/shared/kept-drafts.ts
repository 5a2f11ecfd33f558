import { effectScope, shallowReactive, watch } from 'vue'
import { accountKey } from '../../composables/accounts.ts'

/**
 * Unsaved drafts, by the id of what they are about. They are kept while the browser's tab is open, so that neither a
 * visit to another room nor a reload loses them. `set` takes a whole draft.
 *
 * @param name  The name of the room, for the key in the browser's storage.
 * @returns A function that returns the drafts of the shown account.
 */
export function keptDrafts<Draft>(name: string): () => Map<string, Draft> {
  const byPlace = new Map<string, Map<string, Draft>>()
  return () => {
    const place = accountKey(`localpost.drafts.${name}`)
    const known = byPlace.get(place)
    if (known) return known
    const drafts: Map<string, Draft> = shallowReactive(new Map(readKept<Draft>(place)))
    byPlace.set(place, drafts)
    // Detached from the room, which may be left before the change is kept.
    effectScope(true).run(() => watch(drafts, () => keep(place, drafts), { deep: true }))
    return drafts
  }
}

function keep(place: string, drafts: Map<string, unknown>): void {
  try {
    sessionStorage.setItem(place, JSON.stringify([...drafts]))
  } catch {
    // Storage may be full or refused; then they last until the page is closed.
    return
  }
}

function readKept<Draft>(place: string): [string, Draft][] {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '[]') as [string, Draft][]
  } catch {
    return []
  }
}
