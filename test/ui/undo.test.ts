import { effectScope } from 'vue'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Api, ApiError } from '../../ui/composables/api.ts'
import { createUndo, type Undo } from '../../ui/views/inbox/undo.ts'

/** Removals of a page, and the requests that were made. `failure` is the answer to the next ones that undo. */
function removals(): { undo: Undo; asked: string[]; server: { failure: ApiError | null } } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const scope = effectScope()
  onTestFinished(() => {
    scope.stop()
    vi.useRealTimers()
  })
  const asked: string[] = []
  const server: { failure: ApiError | null } = { failure: null }
  let made = 0
  const write = (async (method: string, path: string) => {
    asked.push(`${method} ${path.split('/').at(-1)}`)
    if (method === 'POST') return { id: `rm_${++made}`, until: 0 }
    if (server.failure) throw server.failure
  }) as Api['write']
  const undo = scope.run(() => createUndo({ write })) as Undo
  return { undo, asked, server }
}

test('the newest removal is undone first, then the one before it', async () => {
  const { undo, asked } = removals()
  await undo.remove(['em_1'])
  await undo.remove(['em_2', 'em_3'])
  expect(await undo.undo()).toMatchObject({ ids: ['em_2', 'em_3'] })
  expect(undo.last.value).toMatchObject({ ids: ['em_1'] })
  expect(await undo.undo()).toMatchObject({ ids: ['em_1'] })
  expect([undo.last.value, await undo.undo()]).toEqual([null, null])
  expect(asked.slice(2)).toEqual(['DELETE rm_2', 'DELETE rm_1'])
})

test('each removal is offered for its own time', async () => {
  const { undo } = removals()
  await undo.remove(['em_1'])
  vi.advanceTimersByTime(5000)
  await undo.remove(['em_2'])
  vi.advanceTimersByTime(4500)
  await undo.undo()
  expect(undo.last.value).toBe(null)
})

test('an undo that fails can be tried again, unless the mails are gone', async () => {
  const { undo, server } = removals()
  await undo.remove(['em_1'])
  server.failure = new ApiError(0, 'unreachable', 'No answer.')
  await expect(undo.undo()).rejects.toThrow('No answer.')
  expect(undo.last.value).toMatchObject({ ids: ['em_1'] })
  server.failure = new ApiError(404, 'not_found', 'Gone.')
  await expect(undo.undo()).rejects.toThrow('Gone.')
  expect(undo.last.value).toBe(null)
})
