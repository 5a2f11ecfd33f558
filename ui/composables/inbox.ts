import { computed, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import type { MailSummary } from '../../src/inbox/types.ts'
import { type Api, ApiError, wordsOf } from './api.ts'
import type { Changes } from './live.ts'

/** The list of mails of one query: all pages loaded so far, kept up to date. */
export interface InboxList {
  emails: ShallowRef<MailSummary[]>
  /** The number of mails that match the query, loaded or not. */
  count: Ref<number>
  /** The search. A change reloads the list after a short delay. It is stored in the URL as `?query=`. */
  query: Ref<string>
  /** The search whose results are shown. It differs from `query` while a person types. */
  shown: Ref<string>
  /** `loading` only while there is nothing to show yet. */
  phase: Ref<'loading' | 'ready' | 'failed'>
  /** The error message of the last load; `""` if it succeeded. */
  problem: Ref<string>
  /** Whether the last load failed because the search is invalid, so that a retry would fail again. */
  refused: Ref<boolean>
  /** How many rows the list has, loaded or not. */
  total: ComputedRef<number>
  /** Loads the first page. */
  load(): Promise<void>
  /** Loads all mails up to this position, page after page, because the API has only cursors. */
  reach(index: number): void
  /** Fetches the newest mails again. Older mails keep their places. */
  refresh(changes?: Changes): Promise<void>
  /** Changes one mail in the list before the server confirms the change. */
  patch(id: string, change: Partial<MailSummary>): void
  drop(ids: ReadonlySet<string>): void
}

/**
 * @param onArrivals  Called with the new mails that a refresh found above the known ones, newest first.
 */
export function useInbox(api: Api, onArrivals: (mails: MailSummary[]) => void): InboxList {
  const emails = shallowRef<MailSummary[]>([])
  const count = ref(0)
  const query = ref(new URLSearchParams(location.search).get('query') ?? '')
  const shown = ref(query.value.trim())
  const phase = ref<'loading' | 'ready' | 'failed'>('loading')
  const problem = ref('')
  const refused = ref(false)
  const cursor = ref<string | null>(null)
  // A new one for each query, so that an answer to an older query does not end up in the list of a newer one.
  let current = new AbortController()

  async function load(): Promise<void> {
    current.abort()
    current = new AbortController()
    const { signal } = current
    const wanted = query.value.trim()
    if (emails.value.length === 0) phase.value = 'loading'
    await attempt(signal, async () => {
      const page = await api.list({ query: wanted, limit: pageSize }, signal)
      shown.value = wanted
      emails.value = page.emails
      count.value = page.count
      cursor.value = page.cursor
    })
  }

  let goal = -1
  let isReaching = false
  function reach(index: number): void {
    goal = index
    if (!isReaching && phase.value === 'ready') void reachGoal()
  }

  async function reachGoal(): Promise<void> {
    isReaching = true
    while (cursor.value !== null && emails.value.length <= goal && problem.value === '') {
      const { signal } = current
      const { value: from } = cursor
      const limit = Math.min(Math.max(goal + 1 - emails.value.length, laterPage), largestPage)
      await attempt(signal, async () => {
        const page = await api.list({ query: shown.value, cursor: from, limit }, signal)
        // A refresh may have restarted the list meanwhile.
        if (cursor.value !== from) return
        emails.value = [...emails.value, ...page.emails]
        count.value = page.count
        cursor.value = page.cursor
      })
    }
    isReaching = false
  }

  // Only one refresh runs at a time. Changes during it cause one more refresh that covers all of them.
  let running: Promise<void> | null = null
  let waitingDepth = 0
  async function refresh(changes?: Changes): Promise<void> {
    if (changes) drop(changes.deleted)
    const depth = depthFor(changes)
    if (running) waitingDepth = Math.min(waitingDepth + depth, largestPage)
    else running = fetchUntilDone(depth).finally(() => (running = null))
    return running
  }

  async function fetchUntilDone(depth: number): Promise<void> {
    for (let next = depth; next > 0;) {
      await fetchHead(next)
      next = waitingDepth
      waitingDepth = 0
    }
  }

  /** How many mails from the top a refresh must fetch to include every changed mail. */
  function depthFor(changes: Changes | undefined): number {
    if (!changes) return pageSize
    const lowest = emails.value.findLastIndex(({ id }) => changes.updated.has(id))
    return Math.min(Math.max(lowest + 1 + changes.created.size, 10), largestPage)
  }

  async function fetchHead(limit: number): Promise<void> {
    const { signal } = current
    await attempt(signal, async () => {
      const page = await api.list({ query: shown.value, limit }, signal)
      const before = emails.value
      const known = new Set(before.map(({ id }) => id))
      const fetched = new Set(page.emails.map(({ id }) => id))
      const last = before.findLastIndex(({ id }) => fetched.has(id))
      // No mail in common: the list was empty, or more mail arrived than one page has. The list then starts again.
      const rest = last === -1 ? [] : before.slice(last + 1)
      emails.value = [...page.emails, ...rest]
      if (rest.length === 0) cursor.value = page.cursor
      count.value = page.count
      const firstKnown = page.emails.findIndex(({ id }) => known.has(id))
      const arrived = firstKnown === -1 ? page.emails : page.emails.slice(0, firstKnown)
      if (arrived.length > 0) onArrivals(arrived)
    })
  }

  async function attempt(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      problem.value = ''
      refused.value = false
      phase.value = 'ready'
    } catch (error) {
      if (signal.aborted) return
      problem.value = wordsOf(error)
      phase.value = 'failed'
      // An invalid search has no matches. After a lost connection the loaded mails stay visible.
      refused.value = error instanceof ApiError && error.status === 422
      if (refused.value) emails.value = []
    }
  }

  function drop(ids: ReadonlySet<string>): void {
    const kept = emails.value.filter(({ id }) => !ids.has(id))
    count.value = Math.max(kept.length, count.value - (emails.value.length - kept.length))
    emails.value = kept
  }

  function patch(id: string, change: Partial<MailSummary>): void {
    emails.value = emails.value.map((mail) => (mail.id === id ? { ...mail, ...change } : mail))
  }

  let typing: ReturnType<typeof setTimeout> | undefined
  watch(query, (text) => {
    clearTimeout(typing)
    typing = setTimeout(() => {
      const search = text.trim()
        ? `?${new URLSearchParams({ query: text.trim() }).toString()}`
        : location.pathname
      history.replaceState(history.state, '', search + location.hash)
      void load()
    }, typingMs)
  })

  const total = computed(() =>
    cursor.value === null ? emails.value.length : Math.max(count.value, emails.value.length),
  )
  return {
    emails,
    count,
    query,
    shown,
    phase,
    problem,
    refused,
    total,
    load,
    reach,
    refresh,
    patch,
    drop,
  }
}

const pageSize = 50
const laterPage = 200
const largestPage = 500
const typingMs = 180
