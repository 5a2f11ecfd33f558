import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import type { ListedMail } from '../../src/inbox/types.ts'
import { type Api, ApiError, type MailPage, wordsOf } from './api.ts'
import { afterHead, largestPage, type ListWindow, noRows, renewedPart } from './list-window.ts'
import type { ListRow } from '../views/inbox/conversations.ts'
import { locate } from './locate.ts'
import type { Changes } from './live.ts'
import { createPatchedPages } from './patched-pages.ts'
import { createRowPages } from './row-pages.ts'
import { keepSame } from './same-rows.ts'
import { searchInUrl } from './search-url.ts'

/** The list of mails of one query: the rows in sight and around them, kept up to date. */
export interface InboxList {
  /** The loaded rows and their positions. */
  rows: Readonly<Ref<ListWindow>>
  /** Only the loaded rows. */
  emails: ComputedRef<ListRow[]>
  /**
   * The number of rows, loaded or not: mails that match the query, and broadcasts. It is the length of the list. While the
   * matches are counted, it is the number of the first ones that are shown.
   */
  count: Readonly<Ref<number>>
  /** The number of mails that match the query, those of broadcasts counted one by one. */
  mails: Ref<number>
  /** Whether there may be more mails than `mails`, because the matches are still being counted. */
  counting: Ref<boolean>
  /** How many mails have more text than the search looks at. */
  cut: Ref<number>
  /** The search. `load` shows its results; see `search-url.ts`. */
  query: Ref<string>
  /** The search whose results are shown. It differs from `query` while a person types. */
  shown: Ref<string>
  /** `loading` only while there is nothing to show yet. */
  phase: Ref<'loading' | 'ready' | 'failed'>
  /** The error message of the last load; `""` if it succeeded. */
  problem: Ref<string>
  /** Whether the last load failed because the search is invalid, so that a retry would fail again. */
  refused: Ref<boolean>
  /** The ids of the mails that were deleted last. */
  dropped: ShallowRef<ReadonlySet<string>>
  /** The position of a loaded mail; -1 if it is not loaded. */
  indexOf(id: string | null): number
  /** Resolves when the matches are counted, or could not be. */
  counted(): Promise<void>
  /** The position of a mail in the list, loaded or not; -1 if it is not in it, or the signal ended the search for it. */
  locate(id: string, signal?: AbortSignal): Promise<number>
  /** Loads the first page. */
  load(): Promise<void>
  /** Loads the rows at these positions, and resolves then; rows far from them are dropped. */
  show(from: number, to: number): Promise<void>
  /** Fetches the changed rows again; without `changes`, the newest ones. Rows keep their places. */
  refresh(changes?: Changes): Promise<void>
  /** Fetches all loaded rows again, after changes of many mails. */
  reload(): Promise<void>
  /** Changes one mail in the list as the server did. */
  patch(id: string, change: Partial<ListedMail>): void
  drop(ids: ReadonlySet<string>): void
}

/**
 * @param onArrivals  Called with the new mails that a refresh found above the known ones, newest first.
 */
export function useInbox(api: Api, onArrivals: (mails: ListedMail[]) => void): InboxList {
  const patched = createPatchedPages(api)
  const rows = shallowRef<ListWindow>(noRows)
  const emails = computed(() => rows.value.emails)
  const count = ref(0)
  const mails = ref(0)
  const counting = ref(false)
  const cut = ref(0)
  const query = ref(searchInUrl())
  const shown = ref(query.value.trim())
  const phase = ref<'loading' | 'ready' | 'failed'>('loading')
  const problem = ref('')
  const refused = ref(false)
  const dropped = shallowRef<ReadonlySet<string>>(new Set())
  /** Ids sort by time. A mail with a smaller one came back after its removal was undone, and is not announced. */
  let newestSeen = ''
  // A new one for each load, so that the rows of an older query do not enter the list of a newer one.
  let current = new AbortController()
  let loading: Promise<void> = Promise.resolve()

  function load(): Promise<void> {
    current.abort()
    current = new AbortController()
    pages.reset()
    loading = loadFirst(query.value.trim(), current.signal)
    return loading
  }

  async function loadFirst(wanted: string, signal: AbortSignal): Promise<void> {
    if (emails.value.length === 0 && !refused.value) phase.value = 'loading'
    await attempt(signal, async () => {
      const page = await list({ query: wanted, limit: pageSize, count: 'page' }, signal)
      shown.value = wanted
      rows.value = { first: 0, emails: page.emails }
      if (!page.at_least) return void (count.value = page.count)
      // These matches are shown before all of them are counted.
      count.value = page.emails.length
      mails.value = page.count
      cut.value = page.cut_texts ?? 0
      counting.value = true
      phase.value = 'ready'
      // If they cannot be counted, the next refresh does it.
      const all = await list({ query: wanted, limit: 1 }, signal).catch(() => signal.throwIfAborted())
      if (all) count.value = all.count
    })
  }

  let line: Promise<void> = Promise.resolve()
  /**
   * Pages and refreshes are fetched one after the other, so that no answer is placed among rows that another one has moved.
   * None is fetched while the first page is.
   */
  function inLine(fetch: (signal: AbortSignal) => Promise<void>): Promise<void> {
    line = line.then(async () => fetch(await loadsDone()))
    return line
  }

  /** Waits for loads of the first page. Until then `shown` is the older query, and its rows must not enter the newer list. */
  async function loadsDone(): Promise<AbortSignal> {
    for (let last; last !== loading;) {
      last = loading
      await last
    }
    return current.signal
  }

  async function list(search: Parameters<Api['list']>[0], signal: AbortSignal): Promise<MailPage> {
    const found = await patched.fetch({ ...search, fold: 'broadcasts' }, signal)
    signal.throwIfAborted()
    const page = { ...found, emails: keepSame(emails.value, found.emails) }
    const [top] = page.emails
    if (top && top.id > newestSeen) newestSeen = top.id
    if (page.at_least) return page
    mails.value = page.mails ?? page.count
    cut.value = page.cut_texts ?? 0
    counting.value = false
    return page
  }

  // Whether pages were added since the loaded rows were fetched at once: a change meanwhile may have left a gap between them.
  let isPieced = false
  const pages = createRowPages({
    rows,
    count: () => count.value,
    isReady: () => phase.value === 'ready' && problem.value === '',
    inLine,
    async fetch({ offset, limit }, signal) {
      let found: ListWindow | null = null
      isPieced = true
      await attempt(signal, async () => {
        const page = await list({ query: shown.value, offset, limit, count: 'page' }, signal)
        if (!page.at_least) count.value = page.count
        found = { first: offset, emails: page.emails }
      })
      return found
    },
  })

  // Only one refresh runs at a time. Changes during it cause one more refresh that covers all of them.
  let running: Promise<void> | null = null
  let waitingDepth = 0
  function fetchRows(depth: number): Promise<void> {
    if (running) waitingDepth += depth
    else running = fetchUntilDone(depth).finally(() => (running = null))
    return running
  }

  /** @param depth  How many mails from the top. If no page has so many, the rows around those in sight are fetched. */
  async function fetchUntilDone(depth: number): Promise<void> {
    for (let next = depth; next > 0;) {
      await inLine(async (signal) => {
        // The last load failed, so the rows are those of an older query.
        if (problem.value !== '' && query.value.trim() !== shown.value) await load()
        else if (rows.value.first > 0 || isPieced || next > largestPage) await fetchLoaded(signal)
        else await fetchHead(next, signal)
        // A load that began meanwhile may have been answered before the change that this refresh is for.
        next = signal.aborted && problem.value === '' ? Math.max(next, waitingDepth) : waitingDepth
        waitingDepth = 0
      })
    }
  }

  async function refresh(changes?: Changes): Promise<void> {
    // Computed before rows are dropped: if the first mail of a broadcast is deleted, its next mail takes the place.
    const depth = depthFor(changes)
    if (changes) drop(changes.deleted)
    return fetchRows(depth)
  }

  /** How many mails from the top a refresh must fetch to include every changed mail. */
  function depthFor(changes: Changes | undefined): number {
    if (!changes) return pageSize
    const { created, updated, deleted } = changes
    // The changed mail may be one of those that the row of a broadcast represents.
    const lowest = emails.value.findLastIndex(
      ({ id, broadcast }) => updated.has(id) || (broadcast && updated.size + deleted.size > 0),
    )
    return Math.max(lowest + 1 + created.size, 10)
  }

  async function fetchHead(limit: number, signal: AbortSignal): Promise<void> {
    await attempt(signal, async () => {
      const before = newestSeen
      const page = await list({ query: shown.value, limit }, signal)
      rows.value = { first: 0, emails: afterHead(emails.value, page) }
      count.value = page.count
      announce(page, before)
    })
  }

  /** Fetches the loaded rows again; those that a page around the wanted ones has no room for are dropped. */
  async function fetchLoaded(signal: AbortSignal): Promise<void> {
    const { offset, limit } = renewedPart(rows.value, pages.wanted)
    await attempt(signal, async () => {
      const before = newestSeen
      const page = await list({ query: shown.value, offset, limit: Math.max(limit, pageSize) }, signal)
      rows.value = { first: offset, emails: page.emails }
      // What changed meanwhile may have removed one of these rows.
      isPieced = waitingDepth > 0
      count.value = page.count
      if (offset === 0) announce(page, before)
    })
  }

  function announce(page: MailPage, before: string): void {
    const arrived = page.emails.filter(({ id }) => id > before)
    if (arrived.length > 0) onArrivals(arrived)
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
      if (!refused.value) return
      rows.value = noRows
      counting.value = false
    }
  }

  function drop(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return
    const kept = emails.value.filter(({ id }) => !ids.has(id))
    const gone = emails.value.length - kept.length
    count.value = Math.max(kept.length, count.value - gone)
    mails.value = Math.max(count.value, mails.value - gone)
    rows.value = { ...rows.value, emails: kept }
    dropped.value = ids
  }

  function patch(id: string, change: Partial<ListedMail>): void {
    const changed = emails.value.map((mail) => (mail.id === id ? { ...mail, ...change } : mail))
    rows.value = { ...rows.value, emails: changed }
    patched.patch(id, change)
  }

  return {
    rows,
    emails,
    count,
    mails,
    counting,
    cut,
    query,
    shown,
    phase,
    problem,
    refused,
    dropped,
    indexOf(id) {
      const at = id === null ? -1 : emails.value.findIndex((mail) => mail.id === id)
      return at < 0 ? -1 : rows.value.first + at
    },
    counted: async () => void (await loadsDone()),
    async locate(id, until) {
      const current = await loadsDone()
      const signal = until ? AbortSignal.any([current, until]) : current
      const loaded = isPieced ? noRows : rows.value
      return locate(id, { query: shown.value, count: count.value, loaded, fetch: list, signal })
    },
    load,
    show: pages.show,
    refresh,
    reload: () => fetchRows(Number.POSITIVE_INFINITY),
    patch,
    drop,
  }
}

const pageSize = 50
