import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import { type Api, ApiError, type MailPage } from '../../ui/composables/api.ts'
import { type InboxList, useInbox } from '../../ui/composables/inbox.ts'
import { randomOf } from '../support/random.ts'

// The test itself loads what a pause in typing would load.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A list and its server. The server finds the result when it is asked, and answers when the test says so. */
class Served {
  readonly inbox: InboxList
  readonly #mails: string[] = []
  readonly #open = new Set<() => void>()

  constructor() {
    vi.stubGlobal('location', { search: '', pathname: '/', hash: '' })
    vi.stubGlobal('history', { state: null, replaceState() {} })
    const api: Pick<Api, 'list'> = {
      list: ({ query, offset = 0, limit = 50, count }, signal) =>
        new Promise((resolve, reject) => {
          const page = this.#pageOf(query, offset, count === 'page' ? fullPage : limit, count)
          const answer = (): void => (page instanceof ApiError ? reject(page) : resolve(page))
          this.#open.add(answer)
          signal?.addEventListener('abort', () => this.#open.delete(answer) && reject(signal.reason as Error))
        }),
    }
    this.inbox = useInbox(api as Api, () => {})
  }

  get open(): number {
    return this.#open.size
  }

  matches(query: string): string[] {
    return this.#mails.filter((id) => id.startsWith(query))
  }

  arrive(id: string): void {
    this.#mails.unshift(id)
    void this.inbox.refresh({ created: new Set([id]), updated: new Set(), deleted: new Set() })
  }

  search(query: string): void {
    this.inbox.query.value = query
    void this.inbox.load()
  }

  /** Lets the server answer one of the open questions. */
  async answer(at: number): Promise<void> {
    const answer = [...this.#open][at]
    if (answer) this.#open.delete(answer)
    answer?.()
    await new Promise(setImmediate)
  }

  async answerAll(): Promise<void> {
    await new Promise(setImmediate)
    for (let left = 100; left > 0 && this.open > 0; left--) await this.answer(0)
    expect(this.open).toBe(0)
  }

  #pageOf(query: string, offset: number, limit: number, extent: 'all' | 'page' = 'all'): MailPage | ApiError {
    if (query === broken) return new ApiError(422, 'validation_error', 'Not closed.')
    const found = this.matches(query)
    const emails = found.slice(offset, offset + limit).map((id) => ({ id }) as MailSummary)
    const isPartial = extent === 'page' && found.length > limit
    return {
      emails,
      cursor: null,
      ...(isPartial ? { count: limit + 1, at_least: true } : { count: found.length }),
    }
  }
}
/** How many rows a page has that need not count all matches. */
const fullPage = 3
const broken = '"'

test('in whatever order the answers come, the list has the mails of the search in the field at the end', async () => {
  const next = randomOf(20)
  const below = (n: number): number => Math.floor(next() * n)
  const pick = <T>(some: readonly T[]): T => some[below(some.length)] as T
  for (let round = 0; round < 300; round++) {
    const served = new Served()
    const { inbox } = served
    const steps: string[] = []
    served.search('')
    for (let step = 0; step < 25; step++) {
      const kind = pick(['search', 'arrive', 'arrive', 'show', 'reload', 'answer', 'answer', 'answer'])
      if (kind === 'search') served.search(pick(['', 'a', 'b', broken]))
      if (kind === 'arrive') served.arrive(`${pick(['a', 'b'])}${step}`)
      if (kind === 'show') inbox.show(below(10), below(20))
      if (kind === 'reload') void inbox.reload()
      if (kind === 'answer') await served.answer(below(Math.max(1, served.open)))
      steps.push(`${kind} ${inbox.query.value}`)
    }
    await served.answerAll()
    const query = inbox.query.value
    const told = `${round}: ${steps.join(', ')}`
    expect(inbox.refused.value, told).toBe(query === broken)
    if (query === broken) continue
    expect(inbox.shown.value, told).toBe(query)
    expect(inbox.count.value, told).toBe(served.matches(query).length)
    expect(inbox.counting.value, told).toBe(false)
    // The loaded rows may be those further down that were asked for last.
    inbox.show(0, inbox.count.value - 1)
    await served.answerAll()
    const ids = inbox.emails.value.map(({ id }) => id)
    expect(ids, told).toEqual(served.matches(query))
  }
})

test('the first matches are shown before all are counted, and only their places can be scrolled to until then', async () => {
  const served = new Served()
  const { inbox } = served
  served.search('')
  await served.answerAll()
  for (let n = 0; n < 9; n++) served.arrive(`a${n}`)
  await served.answerAll()
  served.search('a')
  await served.answer(0)
  const seen = () => [
    inbox.phase.value,
    inbox.emails.value.length,
    inbox.count.value,
    inbox.mails.value,
    inbox.counting.value,
  ]
  expect(seen()).toEqual(['ready', 3, 3, 4, true])
  await served.answerAll()
  expect(seen()).toEqual(['ready', 3, 9, 9, false])
})
