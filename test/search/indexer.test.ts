import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import { remove } from '../../src/store/store.ts'
import { digestsOf, idOf } from '../inbox/_email.ts'
import { open } from './_indexer.ts'

test('mail of the start and later mail is indexed when the instance is idle, in order of arrival', async () => {
  const { clock, read, begin, arrive, snippets, left, store } = await open()
  await arrive(1)
  await arrive(2)
  const indexer = begin()
  await clock.advance(60)
  await arrive(3)
  await clock.advance(60)
  // The last came 60 ms ago.
  expect(read).toEqual([])
  await clock.advance(60)
  await vi.waitUntil(async () => (await left()) === 0)
  expect(read).toEqual([idOf(1), idOf(2), idOf(3)])
  expect(await snippets()).toEqual(['Text 1', 'Text 2', 'Text 3'])
  expect(await store.get(emailCollection, idOf(1))).toMatchObject({ attachment_count: 0, version: 2 })
  await arrive(4)
  await clock.advance(150)
  await vi.waitUntil(async () => (await left()) === 0)
  // Nothing is left to do, and no timer runs.
  await sleep(10)
  expect(clock.timers()).toBe(0)
  await indexer.close()
})

test('small mails are read before the first of them is stored, and a failure keeps those before it', async () => {
  const steps: string[] = []
  let fails = true
  const { clock, begin, arrive, left, store } = await open((store) => async (email) => {
    steps.push(`read ${email.id}`)
    if (email.id === idOf(4) && fails) throw new LocalpostError('store_failed', 'The disk failed.')
    return digestsOf(store).take(email)
  })
  for (let n = 1; n <= 5; n++) await arrive(n)
  store.changes((change) => {
    if (change.op === 'update') steps.push(`stored ${change.id}`)
  })
  const indexer = begin()
  await clock.advance(150)
  await vi.waitUntil(async () => (await left()) === 2)
  const read = (n: number): string => `read ${idOf(n)}`
  const stored = (n: number): string => `stored ${idOf(n)}`
  expect(steps).toEqual([...[1, 2, 3, 4].map(read), ...[1, 2, 3].map(stored)])
  fails = false
  await clock.advance(10_000)
  await vi.waitUntil(async () => (await left()) === 0)
  expect(steps.slice(7)).toEqual([...[4, 5].map(read), ...[4, 5].map(stored)])
  await indexer.close()
})

test('during a continuous stream of arrivals, indexing still makes progress', async () => {
  const { clock, read, begin, arrive } = await open()
  const indexer = begin()
  for (let n = 1; n <= 30; n++) {
    await arrive(n)
    await clock.advance(50)
    if (n < 20) expect(read).toEqual([])
  }
  expect(read.length).toBeGreaterThan(0)
  await indexer.close()
})

test('reading that takes long is reported until it ends or mail arrives, and short reading is not', async () => {
  let readMs = 0
  const took = { ms: 0 }
  const { clock, begin, arrive, left, read } = await open((store) => async (email) => {
    took.ms += readMs
    if (email.id === idOf(18)) await arrive(100)
    return digestsOf(store).take(email)
  })
  const reported: [isRunning: boolean, mails: number][] = []
  const indexer = begin({
    clock: { ...clock, now: () => clock.now() + took.ms },
    onLongWork: (isRunning) => reported.push([isRunning, read.length]),
  })
  const readAll = async (): Promise<void> => {
    while ((await left()) > 0) await clock.advance(150)
  }
  for (let n = 1; n <= 4; n++) await arrive(n)
  await readAll()
  expect(reported).toEqual([])
  readMs = 60
  for (let n = 5; n <= 14; n++) await arrive(n)
  await readAll()
  expect(reported).toEqual([
    [true, 9],
    [false, 14],
  ])
  reported.length = 0
  for (let n = 15; n <= 18; n++) await arrive(n)
  readMs = 100
  await readAll()
  expect(reported).toEqual([
    [true, 17],
    [false, 18],
  ])
  await indexer.close()
})

test('a message that cannot be read has no text and no attachments, and does not block the others', async () => {
  const { clock, begin, arrive, snippets, left } = await open((store) => async (email) => {
    if (email.id === idOf(2)) throw new Error('unreadable')
    return digestsOf(store).take(email)
  })
  for (const n of [1, 2, 3]) await arrive(n)
  const indexer = begin()
  await clock.advance(150)
  await vi.waitUntil(async () => (await left()) === 0)
  expect(await snippets()).toEqual(['Text 1', '', 'Text 3'])
  await indexer.close()
})

test('a search after a large flood reports how many mails are not indexed; a call that needs all of them waits', async () => {
  const { store, column, heads, arrive } = await open()
  for (const n of [1, 2, 3, 4, 5]) await arrive(n)
  const digests = digestsOf(store)
  // Each takes so long that the time limit of a search is over with the second.
  let now = 0
  const indexer = startIndexer({
    store,
    column,
    heads,
    clock: { now: () => now, after: () => () => {} },
    digests: {
      take(email) {
        now += 600
        return digests.take(email)
      },
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  const search = columnSearch({ store, digests, indexer, column, heads })
  const filter = parseMailQuery('body:text', 0)
  expect(await search.list(filter, {})).toMatchObject({ count: 2, unread_texts: 3 })
  expect(await search.list(parseMailQuery('-has:attachment', 0), {})).toMatchObject({
    count: 4,
    unread_texts: 1,
  })
  const ids: string[] = []
  await arrive(6)
  await arrive(7)
  for await (const { id } of search.matches(filter, { complete: true })) ids.push(id)
  expect(ids).toEqual([7, 6, 5, 4, 3, 2, 1].map(idOf))
  const whole = await search.list(filter, {})
  expect([whole.count, 'unread_texts' in whole]).toEqual([7, false])
})

test('two messages are never read at the same time, also while searches wait for them; a removed one is no error', async () => {
  let running = 0
  let most = 0
  const { clock, store, begin, arrive, left } = await open(() => async (email) => {
    most = Math.max(most, ++running)
    await sleep(2)
    if (email.id === idOf(2)) await store.commit([remove(emailCollection, email.id)])
    running--
    return { snippet: 'x', attachment_count: 0, body: '', isCut: false }
  })
  for (const n of [1, 2, 3, 4]) await arrive(n)
  const indexer = begin()
  await Promise.all([clock.advance(150), indexer.catchUp(), indexer.catchUp()])
  expect(await left()).toBe(0)
  expect(most).toBe(1)
  await indexer.close()
})

test('mail that arrives meanwhile is indexed too', async () => {
  const { clock, begin, arrive, left } = await open()
  const indexer = begin()
  await arrive(1)
  const going = clock.advance(150)
  for (let n = 2; n < 60; n++) {
    await arrive(n)
    if (n % 7 === 0) await sleep(1)
  }
  await going
  for (let i = 0; i < 20 && (await left()) > 0; i++) await clock.advance(150)
  expect(await left()).toBe(0)
  await indexer.close()
})

test('closing waits for the message that is being read, and starts no other', async () => {
  let end = (): void => {}
  const { clock, read, begin, arrive, left } = await open(
    () => () =>
      new Promise(
        (resolve) => (end = () => resolve({ snippet: 'x', attachment_count: 0, body: '', isCut: false })),
      ),
  )
  await arrive(1)
  await arrive(2)
  const indexer = begin()
  await clock.advance(150)
  expect(read).toEqual([idOf(1)])
  let isClosed = false
  const closing = indexer.close().then(() => (isClosed = true))
  await sleep(5)
  expect(isClosed).toBe(false)
  end()
  await closing
  expect(read).toEqual([idOf(1)])
  expect(await left()).toBe(2)
  expect(clock.timers()).toBe(0)
})

test('mail that is removed or restored while the next mails are read ahead is indexed as it is', async () => {
  const { clock, column, read, begin, arrive } = await open((inner) => {
    const { take } = digestsOf(inner)
    return async (email) => {
      if (email.id === idOf(1)) {
        await inner.commit([remove(emailCollection, idOf(3))])
        await arrive(5)
      }
      return take(email)
    }
  })
  for (const n of [1, 2, 3, 7, 8]) await arrive(n)
  const indexer = begin()
  await clock.advance(150)
  await vi.waitUntil(() => column.cursor === idOf(8))
  expect(read).toEqual([1, 2, 5, 7, 8].map(idOf))
  expect(column.rows).toBe(5)
  await indexer.close()
})

test('counts no mail as cut that was removed while the others were looked up, or after a failed look-up', async () => {
  const { store, column, begin, arrive } = await open()
  for (const n of [1, 2]) {
    await arrive(n)
    column.cut.add(idOf(n))
  }
  let failing = true
  const indexer = begin({
    store: {
      ...store,
      async ids(collection, query) {
        if (failing) throw new Error('EIO')
        const found = await store.ids(collection, query)
        // A change of more than 100 mails does not name them.
        const many = Array.from({ length: 101 }, (_, n) => idOf(n + 1))
        if (query?.also) await store.bulk(collection, many, 'remove')
        return found
      },
    },
  })
  await expect(indexer.countCut()).rejects.toThrow('EIO')
  failing = false
  await indexer.countCut()
  expect(await indexer.countCut()).toBe(0)
  await indexer.close()
})

test('a search does not wait for more mails than can be read meanwhile', async () => {
  const { begin, arrive, read } = await open()
  for (const n of [1, 2, 3, 4]) await arrive(n)
  const indexer = begin()
  expect(await indexer.catchUp({ maxMails: 3 })).toBe(4)
  expect(read).toEqual([])
  expect(await indexer.catchUp({ maxMails: 4 })).toBe(0)
  expect(read).toHaveLength(4)
  await indexer.close()
})
