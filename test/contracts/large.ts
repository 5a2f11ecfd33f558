import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { insert, put, remove, type StoreChange } from '../../src/store/store.ts'
import { note, notes } from './notes.ts'
import { type OpenStore, storeTest } from './store-test.ts'
import { workedMs } from '../support/own-time.ts'

/** The part of the contract that takes thousands of records: commits, lists of changes and scans. */
export function describeLargeContract(name: string, open: OpenStore): void {
  const test = storeTest(open)
  describe(`the store contract with many records: ${name}`, () => {
    test('removing 50,000 records in one commit does not block the event loop for long', async ({
      store,
    }) => {
      const numbers = Array.from({ length: 50_000 }, (_, n) => n)
      await store.commit(numbers.map((n) => insert(notes, note(n, { due: (n * 7919) % 50_000 }))))
      const changes = numbers.map((n) => remove(notes, note(n).id))
      let longest = 0
      let last = workedMs()
      const measure = (): void => {
        const now = workedMs()
        longest = Math.max(longest, now - last)
        last = now
      }
      const timer = setInterval(measure, 1)
      await store.commit(changes)
      clearInterval(timer)
      measure()
      // Removing them one by one from sorted arrays takes seconds, in one turn.
      expect(longest).toBeLessThan(1000)
      expect(await store.count(notes)).toBe(0)
      expect(await store.count(notes, { index: 'due' })).toBe(0)
    })

    test('a listener whose seq is too old gets a gap first', async ({ store, add }) => {
      const seqs: number[] = []
      store.changes((change) => seqs.push(change.seq))
      await add(1)
      for (let i = 0; i < 6; i++)
        await store.commit(Array.from({ length: 5000 }, (_, n) => put(notes, note(n))))
      const heard: StoreChange[] = []
      store.changes((change) => heard.push(change), { after: seqs[0] })
      expect(heard[0]?.op).toBe('gap')
      expect(heard.slice(1).every((change) => change.op !== 'gap')).toBe(true)
      expect(heard.length).toBeGreaterThan(10_000)
      const ahead: StoreChange[] = []
      store.changes((change) => ahead.push(change), { after: 1e9 })
      expect(ahead[0]?.op).toBe('gap')
      await add(9000)
      expect(ahead.at(-1)).toMatchObject({ op: 'insert', id: 'n_09000' })
    })

    test('a long scan does not block the event loop and misses nothing during writes', async ({ store }) => {
      await store.commit(
        Array.from({ length: 20_000 }, (_, n) => insert(notes, note(n * 2, { tags: ['x'.repeat(50)] }))),
      )
      let turns = 0
      const counting = { now: true }
      const count = store.count(notes, { where: { member: 'tags', contains: 'x' } }).finally(() => {
        counting.now = false
      })
      for (; counting.now; turns++) {
        if (turns === 1) void store.commit([insert(notes, note(1)), remove(notes, note(0).id)])
        await turn()
      }
      expect(turns).toBeGreaterThan(2)
      expect(Math.abs((await count) - 20_000)).toBeLessThanOrEqual(1)
    })

    test.for(['asc', 'desc'] as const)(
      'a scan while others write sees every record that stays exactly once (%s)',
      async (direction, { store }) => {
        const stay = Array.from({ length: 3000 }, (_, n) => n * 3)
        await store.commit(stay.map((n) => insert(notes, note(n, { seen: true }))))
        const page = store.page(notes, {
          direction,
          limit: 10_000,
          where: { member: 'seen', equals: true },
        })
        const writes = stay.map((n) => store.commit([insert(notes, note(n + 1)), insert(notes, note(n + 2))]))
        const { records } = await page
        const expected = stay.map((n) => note(n).id)
        expect(records.map((record) => record.id)).toEqual(
          direction === 'asc' ? expected : expected.reverse(),
        )
        await Promise.all(writes)
      },
    )
  })
}
