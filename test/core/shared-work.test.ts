import { expect, it } from 'vitest'
import { createSharedWork } from '../../src/core/shared-work.ts'
import { untilAborted } from '../../src/core/until-aborted.ts'

/** Work that ends when it is told to, or by its signal. */
function createWork(): {
  starts: AbortSignal[]
  work(signal: AbortSignal): Promise<string>
  end(): void
} {
  const starts: AbortSignal[] = []
  let finish = (): void => {}
  return {
    starts,
    work(signal) {
      starts.push(signal)
      const name = `result ${starts.length}`
      const done = new Promise<string>((resolve) => (finish = () => resolve(name)))
      return untilAborted(done, signal)
    },
    end: () => finish(),
  }
}

it('those who ask at the same time share one work, and those who ask later start another', async () => {
  const shared = createSharedWork()
  const { starts, work, end } = createWork()
  const both = [shared.run('a', work), shared.run('a', work, new AbortController().signal)]
  end()
  expect(await Promise.all(both)).toEqual(['result 1', 'result 1'])
  const next = shared.run('a', work)
  end()
  expect(await next).toBe('result 2')
  expect(starts).toHaveLength(2)
})

it('the work continues while one caller is left, and ends with the last', async () => {
  const shared = createSharedWork()
  const { starts, work } = createWork()
  const callers = [new AbortController(), new AbortController()] as const
  const calls = callers.map(({ signal }) => shared.run('a', work, signal))
  callers[0].abort(new Error('first left'))
  await expect(calls[0]).rejects.toThrow('first left')
  expect(starts[0]?.aborted).toBe(false)
  callers[1].abort(new Error('last left'))
  await expect(calls[1]).rejects.toThrow('last left')
  expect(starts[0]?.reason).toMatchObject({ message: 'last left' })
})

it('the work continues for a caller without a signal', async () => {
  const shared = createSharedWork()
  const { work, end } = createWork()
  const stays = shared.run('a', work)
  const caller = new AbortController()
  const leaves = shared.run('a', work, caller.signal)
  caller.abort(new Error('left'))
  await expect(leaves).rejects.toThrow('left')
  end()
  expect(await stays).toBe('result 1')
})

it('a call after all callers have left starts new work, even if the ended work has not stopped', async () => {
  const shared = createSharedWork()
  const caller = new AbortController()
  let ends = 0
  const stubborn = new Promise<string>(() => {})
  const left = shared.run('a', () => stubborn.finally(() => ends++), caller.signal)
  caller.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  expect(await shared.run('a', async () => 'new')).toBe('new')
  expect(ends).toBe(0)
})

it('a caller who has left already starts nothing', async () => {
  const shared = createSharedWork()
  const { starts, work } = createWork()
  await expect(shared.run('a', work, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  expect(starts).toEqual([])
})

it('work that fails fails for all who share it', async () => {
  const shared = createSharedWork()
  const fail = (): Promise<never> => Promise.reject(new Error('broken'))
  const calls = [shared.run('a', fail), shared.run('a', fail, new AbortController().signal)]
  for (const call of calls) await expect(call).rejects.toThrow('broken')
})
