import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createJobThread } from '../../src/core/job-thread.ts'
import { readingJobs } from '../../src/reading/jobs.ts'
import { createReader } from '../../src/reading/blob-reader.ts'
import type { Reader } from '../../src/reading/reader.ts'

function open(): Reader {
  const none = async (): Promise<null> => null
  const store = { openBlob: none, readBlob: none, blobSize: none }
  return createReader({ store, clock: systemClock, thread: createJobThread(readingJobs, null) })
}

/** Work that runs until it is told to end. */
function createWork(): {
  begun: string[]
  work(name: string): () => Promise<string>
  end(name: string): void
} {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    work: (name) => () => {
      begun.push(name)
      return new Promise((resolve) => ends.set(name, () => resolve(name)))
    },
    end: (name) => ends.get(name)?.(),
  }
}

const large = 2 * 1024 * 1024

it.each(['readWhole', 'workOnWhole'] as const)(
  '%s takes large mails one at a time, in order, and small ones at once',
  async (turn) => {
    const reader = open()
    const { begun, work, end } = createWork()
    const all = ['a', 'b', 'c'].map((name) => reader[turn](large, work(name)))
    const small = reader[turn](1000, work('small'))
    await expect.poll(() => begun.toSorted()).toEqual(['a', 'small'])
    end('small')
    expect(await small).toBe('small')
    end('a')
    expect(await all[0]).toBe('a')
    await expect.poll(() => begun.slice(2)).toEqual(['b'])
    end('b')
    await expect.poll(() => begun.slice(2)).toEqual(['b', 'c'])
    end('c')
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
  },
)

it('a large mail is read while work on another one is in progress', async () => {
  const reader = open()
  const { begun, work, end } = createWork()
  const working = reader.workOnWhole(large, work('work'))
  const reading = reader.readWhole(large, work('read'))
  await expect.poll(() => begun).toEqual(['work', 'read'])
  end('read')
  expect(await reading).toBe('read')
  end('work')
  expect(await working).toBe('work')
})

it('work that fails gives its turn to the next', async () => {
  const reader = open()
  await expect(reader.workOnWhole(large, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await reader.workOnWhole(large, async () => 'next')).toBe('next')
})
