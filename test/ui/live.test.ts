import { effectScope } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLive } from '../../ui/composables/live.ts'

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
