import { shallowReactive, watch } from 'vue'

/**
 * What was written and not handed over yet, by the id of what it is about: kept while the browser's tab is open, so
 * that neither a look at another room nor a reload loses it. Made once for the page; `set` takes a draft as a whole.
 *
 * @param name  Of the room, for the place in the browser's storage.
 */
export function keptDrafts<Draft>(name: string): Map<string, Draft> {
  const place = `localpost.drafts.${name}`
  const drafts: Map<string, Draft> = shallowReactive(new Map(readKept<Draft>(place)))
  watch(drafts, () => keep(place, drafts), { deep: true })
  return drafts
}

function keep(place: string, drafts: Map<string, unknown>): void {
  try {
    sessionStorage.setItem(place, JSON.stringify([...drafts]))
  } catch {
    // Storage may be full or refused; then they last as long as the page.
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
