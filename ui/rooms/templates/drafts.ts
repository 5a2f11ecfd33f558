import { reactive, watch } from 'vue'

/** A template as its editor has it. */
export interface Draft {
  subject: string
  html: string
  text: string
}

const place = 'localpost.template-drafts'

/**
 * What was written and not stored yet, by the id of its template: kept while the browser's tab is open, so that neither
 * a look at another room nor a reload loses it.
 */
export const drafts: Map<string, Draft> = reactive(new Map(readKept()))

/** Whether two say the same. */
export const isSame = (a: Draft, b: Draft): boolean =>
  a.subject === b.subject && a.html === b.html && a.text === b.text

watch(drafts, () => keep(), { deep: true })

function keep(): void {
  try {
    sessionStorage.setItem(place, JSON.stringify([...drafts]))
  } catch {
    // Storage may be full or refused; then they last as long as the page.
    return
  }
}

function readKept(): [string, Draft][] {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '[]') as [string, Draft][]
  } catch {
    return []
  }
}
