import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watch } from 'vue'
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
  /** The ids that were announced as new. */
  readonly announced: string[] = []
  cut = 0
  /** Whether all mails were marked as read. */
  isRead = false
  /** The pages that were asked for. */
  readonly asked: { offset: number; limit: number; isCancelled: boolean; count: string | undefined }[] = []
  readonly #mails: string[] = []
  readonly #open = new Set<() => void>()
  #refusal: ApiError | null = null

  constructor() {
    vi.stubGlobal('location', { search: '', pathname: '/', hash: '' })
    vi.stubGlobal('history', { state: null, replaceState() {} })
    const api: Pick<Api, 'list'> = {
      list: ({ query, offset = 0, limit = 50, count }, signal) =>
        new Promise((resolve, reject) => {
          const isFirst = count === 'page' && offset === 0
          const page = this.#pageOf(query, offset, isFirst ? fullPage : limit, count)
          const answer = (): void => {
            signal?.removeEventListener('abort', abort)
            const refusal = this.#refusal ?? (page instanceof ApiError ? page : null)
            this.#refusal = null
            if (refusal) reject(refusal)
            else resolve(page as MailPage)
          }
          this.#open.add(answer)
          const asked = { offset, limit, isCancelled: false, count }
          this.asked.push(asked)
          const abort = (): void => {
            asked.isCancelled = true
            if (this.#open.delete(answer)) reject(signal?.reason as Error)
          }
          signal?.addEventListener('abort', abort)
        }),
    }
    this.inbox = useInbox(api as Api, (mails) => void this.announced.push(...mails.map(({ id }) => id)))
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

  /** Removes a mail, as a person does in another window. */
  remove(id: string): void {
    this.#mails.splice(this.#mails.indexOf(id), 1)
    void this.inbox.refresh({ created: new Set(), updated: new Set(), deleted: new Set([id]) })
  }

  /** Adds mails that the list is not told of. */
  fill(count: number): void {
    for (let n = 0; n < count; n++) this.#mails.unshift(`m${n}`)
  }

  /** Removes the oldest mails, of which the list is not told. */
  shorten(count: number): void {
    this.#mails.length = count
  }

  /** The loaded mails that are not at their positions. */
  misplaced(): string[] {
    const { first, emails } = this.inbox.rows.value
    return emails.filter(({ id }, at) => this.#mails[first + at] !== id).map(({ id }) => id)
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

  /** Lets the server refuse the first of the open questions. */
  async fail(error: ApiError): Promise<void> {
    this.#refusal = error
    await this.answer(0)
  }

  async answerAll(): Promise<void> {
    await new Promise(setImmediate)
    for (let left = 100; left > 0 && this.open > 0; left--) await this.answer(0)
    expect(this.open).toBe(0)
  }

  #pageOf(query: string, offset: number, limit: number, extent: 'all' | 'page' = 'all'): MailPage | ApiError {
    if (query === broken) return new ApiError(422, 'validation_error', 'Not closed.')
    const found = this.matches(query)
    const emails = found
      .slice(offset, offset + limit)
      .map((id) => ({ id, ...(this.isRead && { unread: false }) }) as MailSummary)
    const isPartial = extent === 'page' && found.length > offset + limit
    return {
      emails,
      cursor: null,
      ...(this.cut > 0 && { cut_texts: this.cut }),
      ...(isPartial ? { count: offset + limit + 1, at_least: true } : { count: found.length }),
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
      if (kind === 'show') void inbox.show(below(10), below(20))
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
    void inbox.show(0, inbox.count.value - 1)
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

test('in whatever order the answers come, rows anywhere in a long list are in their places at the end', async () => {
  const next = randomOf(21)
  const below = (n: number): number => Math.floor(next() * n)
  for (let round = 0; round < 150; round++) {
    const served = new Served()
    const { inbox } = served
    served.fill(700)
    served.search('')
    await served.answerAll()
    const steps: string[] = []
    for (let step = 0; step < 20; step++) {
      const kind = ['arrive', 'remove', 'show', 'show', 'answer', 'answer', 'answer'][below(7)] ?? ''
      if (kind === 'arrive') served.arrive(`new${step}`)
      if (kind === 'remove') served.remove(served.matches('')[below(700)] ?? '')
      const at = below(4) === 0 ? 0 : below(700)
      if (kind === 'show') void inbox.show(at, at + 20)
      if (kind === 'answer') await served.answer(below(Math.max(1, served.open)))
      steps.push(kind === 'show' ? `show ${at}` : kind)
    }
    await served.answerAll()
    const told = `${round}: ${steps.join(', ')}`
    expect(served.misplaced(), told).toEqual([])
    expect(inbox.count.value, told).toBe(served.matches('').length)
    void inbox.show(0, 20)
    await served.answerAll()
    expect(inbox.emails.value[0]?.id, told).toBe(served.matches('')[0])
    expect(served.misplaced(), told).toEqual([])
  }
})

test('rows that are scrolled to are loaded while mail keeps arriving', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(2000)
  served.search('')
  await served.answerAll()
  served.arrive('new')
  void inbox.show(1000, 1020)
  // Mail arrives before each answer.
  for (let answers = 0; inbox.rows.value.first === 0; answers++) {
    expect(answers).toBeLessThan(4)
    served.arrive(`new${answers}`)
    await new Promise(setImmediate)
    await served.answer(0)
  }
  await served.answerAll()
  expect(served.misplaced()).toEqual([])
})

test('a page that was scrolled past is cancelled when the list rests, and the one in its place is asked for', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(20_000)
  served.search('')
  await served.answerAll()
  const before = served.asked.length
  for (const at of [5000, 9000, 9020]) {
    void inbox.show(at, at + 30)
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(60)
    await new Promise(setImmediate)
  }
  // The last position is near enough to the page that is being loaded.
  expect(served.asked.slice(before)).toEqual([
    { offset: 4970, limit: 91, isCancelled: true, count: 'page' },
    { offset: 8970, limit: 91, isCancelled: false, count: 'page' },
  ])
  expect(served.open).toBe(1)
  await served.answerAll()
  expect(inbox.rows.value.first).toBe(8970)
  expect(served.misplaced()).toEqual([])
})

test('rows are loaded during a long drag, whatever the latency', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(20_000)
  served.search('')
  await served.answerAll()
  const places = new Set<number>()
  let [known, since] = [served.asked.length, 0]
  // An event each 16 ms; each answer takes 80 ms.
  for (let event = 1; event <= 100; event++) {
    void inbox.show(event * 150, event * 150 + 30)
    await vi.advanceTimersByTimeAsync(16)
    await new Promise(setImmediate)
    if (known < served.asked.length) [known, since] = [served.asked.length, event]
    if (event - since >= 5) await served.answer(0)
    places.add(inbox.rows.value.first)
  }
  expect(places.size).toBeGreaterThan(8)
  await served.answerAll()
  await vi.advanceTimersByTimeAsync(60)
  await served.answerAll()
  const { first, emails } = inbox.rows.value
  expect([first <= 15_000, first + emails.length > 15_030]).toEqual([true, true])
  expect(served.misplaced()).toEqual([])
})

test('after a page that brought nothing new, a refresh fetches the rows in sight', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(1400)
  served.search('')
  await served.answerAll()
  for (let at = 0; at < 1300; at += 100) {
    void inbox.show(at, at + 100)
    await served.answerAll()
  }
  // Those at the end are gone, and the list is not told of it.
  served.shorten(1300)
  void inbox.show(1280, 1320)
  await served.answerAll()
  const before = served.asked.length
  served.arrive('new')
  await served.answerAll()
  expect(served.asked[before]?.offset).toBeGreaterThan(700)
})

test('a search without results forgets which rows of the older one were wanted', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(9000)
  served.search('')
  await served.answerAll()
  void inbox.show(5000, 5030)
  await new Promise(setImmediate)
  const before = served.asked.length
  served.search('none')
  await served.answerAll()
  await served.answerAll()
  expect(served.asked.slice(before).map(({ offset }) => offset)).toEqual([0])
  expect(inbox.rows.value).toEqual({ first: 0, emails: [] })
})

test('a mail that is searched for in the list is not counted each time, and no more when another one is opened', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(9000)
  served.search('')
  await served.answerAll()
  const begun = served.asked.length
  const controller = new AbortController()
  const found = inbox.locate('m10', controller.signal)
  await new Promise(setImmediate)
  await served.answer(0)
  controller.abort()
  expect(await found).toBe(-1)
  expect(served.asked.slice(begun).map(({ isCancelled, count }) => [isCancelled, count])).toEqual([
    [false, 'page'],
    [true, 'page'],
  ])
})

test('a mail that would be among the loaded rows is not asked for, and one below them only there', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(9)
  served.search('')
  await served.answerAll()
  const begun = served.asked.length
  expect(inbox.rows.value.emails.map(({ id }) => id)).toContain('m6')
  // Between two rows, and one of them.
  expect(await inbox.locate('m75')).toBe(-1)
  expect(await inbox.locate('m7')).toBe(1)
  expect(served.asked.length).toBe(begun)
  // One that arrived, of which the list has not heard yet.
  served.fill(10)
  const found = inbox.locate('m9')
  await served.answerAll()
  expect(await found).toBe(0)
  expect(served.asked.slice(begun).map(({ offset }) => offset)).toEqual([0])
})

test('a mail between rows that were fetched one after the other is asked for', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(9)
  served.search('')
  await served.answerAll()
  void inbox.show(0, 8)
  await served.answerAll()
  const begun = served.asked.length
  const found = inbox.locate('m75')
  await served.answerAll()
  expect(await found).toBe(-1)
  expect(served.asked.length).toBeGreaterThan(begun)
})

test('a scroll through 20,000 mails asks for few large pages, and the rows that are kept are bounded', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(20_000)
  served.search('')
  await served.answerAll()
  for (const by of [200, -200]) {
    const begun = served.asked.length
    const from = by > 0 ? 0 : 19_800
    for (let at = from; at >= 0 && at < 20_000; at += by) {
      // What is coming is wanted too.
      void inbox.show(by > 0 ? at - 12 : at - 450, by > 0 ? at + 450 : at + 42)
      await served.answerAll()
      const { first, emails } = inbox.rows.value
      expect(first <= at && at + 30 <= first + emails.length).toBe(true)
      expect(emails.length).toBeLessThanOrEqual(1600)
    }
    expect(served.asked.length - begun).toBeLessThan(20_000 / 400)
  }
  expect(served.misplaced()).toEqual([])
})

test('who waits for rows finds them, although others are wanted as soon as they are there', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(5000)
  served.search('')
  await served.answerAll()
  void inbox.show(3000, 3020)
  await served.answerAll()
  const [top] = served.matches('')
  const shown = inbox.show(0, 20).then(() => inbox.indexOf(top ?? ''))
  // As a list does that is scrolled to other rows.
  watch(inbox.rows, () => void inbox.show(3000, 3020))
  await served.answerAll()
  expect(await shown).toBe(0)
  expect(inbox.rows.value.first).toBeGreaterThan(2000)
})

test('after changes of many mails no row is left as it was before', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(3000)
  served.search('')
  await served.answerAll()
  for (let at = 0; at < 1400; at += 100) {
    void inbox.show(at, at + 100)
    await served.answerAll()
  }
  expect(inbox.emails.value.length).toBeGreaterThan(1000)
  served.isRead = true
  void inbox.reload()
  await served.answerAll()
  expect(inbox.emails.value.filter(({ unread }) => unread)).toEqual([])
  expect(inbox.indexOf(served.matches('')[1350] ?? '')).toBe(1350)
  expect(served.misplaced()).toEqual([])
})

test('if the matches cannot be counted, the first ones stay, and the next refresh counts them', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(9)
  served.search('m')
  await served.answer(0)
  await served.fail(new ApiError(503, 'service_unavailable', 'Busy.'))
  const seen = () => [inbox.phase.value, inbox.problem.value, inbox.count.value, inbox.counting.value]
  expect(seen()).toEqual(['ready', '', 3, true])
  await inbox.counted()
  void inbox.refresh()
  await served.answerAll()
  expect(seen()).toEqual(['ready', '', 9, false])
  // A search that is refused has nothing to count.
  served.search('m')
  await served.answer(0)
  served.search(broken)
  await served.answerAll()
  expect([inbox.refused.value, inbox.counting.value]).toEqual([true, false])
})

test('a mail that comes back after its removal is not announced as new', async () => {
  const served = new Served()
  served.fill(3)
  served.search('')
  await served.answerAll()
  served.arrive('m3')
  await served.answerAll()
  served.remove('m3')
  await served.answerAll()
  served.arrive('m3')
  await served.answerAll()
  expect(served.inbox.emails.value.map(({ id }) => id)).toEqual(['m3', 'm2', 'm1', 'm0'])
  expect(served.announced).toEqual(['m3'])
})

test('the list knows how many mails have more text than is searched', async () => {
  const served = new Served()
  served.fill(9)
  served.cut = 2
  served.search('m')
  await served.answerAll()
  expect(served.inbox.cut.value).toBe(2)
  served.cut = 0
  served.search('')
  await served.answerAll()
  expect(served.inbox.cut.value).toBe(0)
})

test('a refresh leaves the rows that have not changed as they are, so that they are not drawn again', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(3)
  served.search('')
  await served.answerAll()
  const before = inbox.emails.value
  inbox.patch('m1', { unread: false })
  const changed = inbox.emails.value[1]
  served.arrive('m9')
  await served.answerAll()
  const after = inbox.emails.value
  expect(after.map(({ id }) => id)).toEqual(['m9', 'm2', 'm1', 'm0'])
  expect(after[1]).toBe(before[0])
  // The server says something else of this one.
  expect(after[2]).not.toBe(changed)
  expect(after[2]).toEqual({ id: 'm1' })
  expect(after[3]).toBe(before[2])
})

test('rows that the server read before a mail was marked do not take the mark back', async () => {
  const served = new Served()
  const { inbox } = served
  served.fill(2)
  served.search('')
  await served.answerAll()
  served.arrive('m9')
  await new Promise(setImmediate)
  inbox.patch('m1', { unread: false })
  await served.answerAll()
  expect(inbox.emails.value).toContainEqual({ id: 'm1', unread: false })
  // A later answer counts again.
  served.arrive('n1')
  await served.answerAll()
  expect(inbox.emails.value).toContainEqual({ id: 'm1' })
})
