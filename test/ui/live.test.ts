import { effectScope } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLive, type LiveFeed } from '../../ui/composables/live.ts'

/** A connection on which the test sends events. */
class Source {
  static last: Source | undefined
  readonly #listeners = new Map<string, (event: { data: string }) => void>()

  constructor() {
    Source.last = this
  }

  addEventListener(kind: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(kind, listener)
  }

  send(kind: string, value: object): void {
    this.#listeners.get(kind)?.({ data: JSON.stringify(value) })
  }

  close(): void {}
}

/** Sends so many mails at once, again and again for five seconds. @returns When batches were delivered, and how many mails they had. */
async function deliveries(mails: number, everyMs: number): Promise<{ times: number[]; count: number }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.stubGlobal('EventSource', Source)
  const scope = effectScope()
  onTestFinished(() => {
    scope.stop()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const times: number[] = []
  let count = 0
  const start = performance.now()
  scope.run(() => {
    const live = createLive(null, () => {})
    live.listen({
      onChanges: ({ created }) => {
        times.push(performance.now() - start)
        count += created.size
      },
    })
    live.start()
  })
  let sent = 0
  for (let at = 0; at < 5000; at += everyMs) {
    for (let n = 0; n < mails; n++) Source.last?.send('email.created', { id: `em_${sent++}` })
    await vi.advanceTimersByTimeAsync(everyMs)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(count).toBe(sent)
  return { times, count }
}

test.each([
  [1, 5],
  [1, 19],
  [1, 21],
  [1, 40],
  [1, 100],
  [10, 25],
  [50, 30],
])('%s mails every %s ms cause few refreshes', async (mails, everyMs) => {
  const { times } = await deliveries(mails, everyMs)
  // One each 150 ms, and a few more at the beginning.
  expect(times.length).toBeLessThanOrEqual(5000 / 150 + 8 + 1)
  expect(times[0]).toBeLessThan(1)
})

test('mails that arrive one by one are shown at once', async () => {
  const { times } = await deliveries(1, 160)
  expect(times.map((time) => Math.round(time % 160))).toEqual(times.map(() => 0))
})

/** A live feed with the events that a test sends, and what its listener was told. */
function listening(): { live: LiveFeed; told: string[]; settle: () => Promise<unknown> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  vi.stubGlobal('EventSource', Source)
  const scope = effectScope()
  onTestFinished(() => {
    scope.stop()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  const told: string[] = []
  const live = scope.run(() => {
    const feed = createLive(null, () => {})
    feed.listen({
      onChanges: ({ updated }) => told.push(`changed ${[...updated].join(' ')}`),
      onMarked: (ids) => told.push(`marked ${[...ids].join(' ')}`),
    })
    feed.start()
    return feed
  })
  if (!live) throw new Error('The scope has ended.')
  return { live, told, settle: () => vi.advanceTimersByTimeAsync(1000) }
}

const updated = (id: string): void => Source.last?.send('email.updated', { id })

test('a mark of this page is no change, whether its event comes before or after the answer', async () => {
  const { live, told, settle } = listening()
  await live.mark('em_1', async () => updated('em_1'))
  await settle()
  await live.mark('em_2', async () => {})
  updated('em_2')
  await settle()
  expect(told).toEqual(['marked em_1', 'marked em_2'])
})

test('a change of the same mail elsewhere is told, in any order', async () => {
  const { live, told, settle } = listening()
  await live.mark('em_1', async () => {
    updated('em_1')
    updated('em_1')
  })
  await settle()
  updated('em_1')
  await settle()
  expect(told).toEqual(['marked em_1', 'changed em_1', 'changed em_1'])
})

test('a mark that failed may have been made, and is told as a change', async () => {
  const { live, told, settle } = listening()
  const lost = live.mark('em_1', () => Promise.reject(new Error('no answer')))
  await expect(lost).rejects.toThrow('no answer')
  await settle()
  updated('em_1')
  await settle()
  expect(told).toEqual(['changed em_1', 'changed em_1'])
})

test('after a gap in the events every change is told', async () => {
  const { live, told, settle } = listening()
  await live.mark('em_1', async () => Source.last?.send('gap', {}))
  updated('em_1')
  await settle()
  expect(told).toEqual(['changed em_1'])
})
