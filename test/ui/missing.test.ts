import { effectScope, nextTick, ref } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Api } from '../../ui/composables/api.ts'
import { type MissingCauses, useMissing } from '../../ui/views/inbox/missing.ts'

/** The causes that a page shows for a search, and the questions that the server has not answered yet. */
function asked(search: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: noon })
  const scope = effectScope()
  onTestFinished(() => {
    scope.stop()
    vi.useRealTimers()
  })
  const open: { path: string; answer(...causes: string[]): Promise<void> }[] = []
  const api = {
    read: ((path: string) =>
      new Promise<unknown>((resolve) => {
        open.push({
          path,
          async answer(...causes) {
            resolve({ to: null, since: 0, causes: causes.map((cause) => ({ cause })) })
            await new Promise(setImmediate)
          },
        })
      })) as Api['read'],
  }
  const query = ref(search)
  const missing = scope.run(() => useMissing(api, () => query.value)) as MissingCauses
  const shown = (): string[] => missing.causes.value.map(({ cause }) => cause)
  return { query, missing, open, shown }
}
const noon = Date.parse('2026-11-20T13:00:00Z')

test('an empty inbox asks for the trouble of a month, and says nothing where none was', async () => {
  const { open, shown } = asked('')
  vi.advanceTimersByTime(200)
  expect(open.map(({ path }) => path)).toEqual(['dev/missing?since=2026-10-21T13%3A00%3A00.150Z'])
  await open[0]?.answer('retention', 'smtp_refused', 'no_attempt')
  expect(shown()).toEqual(['smtp_refused'])
})

test.each(['invoice', 'to:bob@example.com', ''])(
  'a late answer does not explain the next search: %j',
  async (next) => {
    const { open, shown, query, missing } = asked('to:ada@example.com')
    vi.advanceTimersByTime(200)
    expect(open.map(({ path }) => path)).toEqual(['dev/missing?to=ada%40example.com'])
    query.value = next
    await nextTick()
    await open[0]?.answer('rule')
    expect(shown()).toEqual([])
    vi.advanceTimersByTime(200)
    expect(open).toHaveLength(next === 'invoice' ? 1 : 2)
    missing.loadSoon()
  },
)
