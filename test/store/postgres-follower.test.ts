import { expect, test } from 'vitest'
import { ChangeFeed } from '../../src/store/change-feed.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import { Follower } from '../../src/store/postgres/follower.ts'

test('while a commit of this instance has no known number, its listeners may not know all', async () => {
  const looks: { answer(newest: number): void; fail(): void }[] = []
  const sql = {
    name: (table: string) => table,
    run: () =>
      new Promise((resolve, reject) => {
        const row = { known_by: null, known_digest: null, instance: 'other', partition: '', changes: '[]' }
        looks.push({
          answer: (newest) => resolve([{ newest, seq: newest, ...row }]),
          fail: () => reject(new Error('The connection was cut.')),
        })
      }),
  } as unknown as Connection
  const follower = new Follower({
    sql,
    feed: new ChangeFeed(0),
    instance: 'own',
    state: { seq: 0, last: null, totals: new Map() },
    onForeign: () => {},
    onRestored: () => {},
  })
  const next = async (): Promise<(typeof looks)[number]> => {
    await expect.poll(() => looks.length).toBe(1)
    return looks.shift() as (typeof looks)[number]
  }
  expect(follower.toldSeq).toBe(0)

  // The look after it fails.
  const first = follower.passOnOwn(null)
  expect(follower.toldSeq).toBeNull()
  ;(await next()).fail()
  await first
  expect(follower.toldSeq).toBeNull()

  // A look that began before the second commit says nothing of it.
  const early = follower.look()
  const earlyLook = await next()
  const second = follower.passOnOwn(null)
  earlyLook.answer(1)
  await early
  ;(await next()).fail()
  await second
  expect(follower.seq).toBe(1)
  expect(follower.toldSeq).toBeNull()

  const last = follower.look()
  ;(await next()).answer(2)
  await last
  expect(follower.toldSeq).toBe(2)
})
