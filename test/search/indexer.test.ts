import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer } from '../../src/search/indexer.ts'
import type { Digests } from '../../src/search/digests.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { createSearch } from '../../src/search/search.ts'
import { createLocalpost } from '../../src/index.ts'
import { openMemoryStore } from '../../src/store/open.ts'
import { blobOf, insert, remove, type Store } from '../../src/store/store.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { rowTerm } from '../../src/search/text-rows.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { anEmail, digestsOf, idOf, subjectsOf, noFields } from '../inbox/_email.ts'
import { submit } from '../support/submit.ts'
import { testClock } from '../support/clock.ts'

async function open(take?: (store: Store) => Digests['take']) {
  const store = await openMemoryStore({ collections: [emailCollection] })
  const clock = testClock(1_000_000)
  const read: string[] = []
  const digests = take ? { take: take(store) } : digestsOf(store)
  const column = await openTextColumn(null)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: true })
  const begin = () =>
    startIndexer({
      store,
      clock,
      column,
      heads,
      digests: {
        take(email) {
          read.push(email.id)
          return digests.take(email)
        },
      },
    })
  const arrive = (n: number) =>
    store.commit(
      [insert(emailCollection, anEmail(n))],
      [blobOf(messageBlob(idOf(n)), `Subject: s\r\n\r\nText ${n}`)],
    )
  onTestFinished(() => store.close())
  const snippets = async () => (await store.page(emailCollection)).records.map(({ snippet }) => snippet)
  const left = () => store.count(emailCollection, { where: { member: 'undigested', equals: true } })
  return { store, clock, column, heads, read, begin, arrive, snippets, left }
}

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
        now += 3000
        return digests.take(email)
      },
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  const search = createSearch({ store, digests, indexer, column, heads, fieldsOf: noFields, pageSize: 50 })
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
    return { snippet: 'x', attachment_count: 0, body: '' }
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
      new Promise((resolve) => (end = () => resolve({ snippet: 'x', attachment_count: 0, body: '' }))),
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

const attachments = [{ filename: 'a.txt', content: 'abc' }]

test('a search for attachments finds submissions at once, and its negation those without', async () => {
  const post = await start()
  await submit(post, { subject: 'with', attachments })
  await submit(post, { subject: 'without' })
  expect(await subjectsOf(post, 'has:attachment')).toEqual(['with'])
  expect(await subjectsOf(post, '-has:attachment')).toEqual(['without'])
  await submit(post, { subject: 'later', attachments })
  expect(await post.inbox.removeMatching('-has:attachment')).toBe(1)
  expect(await subjectsOf(post, '')).toEqual(['later', 'with'])
})

test('a wait for an attachment ends when the message was read', async () => {
  const post = await start()
  const waiting = post.inbox.waitFor('has:attachment')
  const without = post.inbox.waitFor('-has:attachment')
  await submit(post, { subject: 'with', attachments })
  expect((await waiting).subject).toBe('with')
  await submit(post, { subject: 'without' })
  expect((await without).subject).toBe('without')
})

test('messages that were not read before the end are read after the next start', async () => {
  const dir = temporaryFolder()
  const first = await createLocalpost({ dir })
  await submit(first, { subject: 'with', attachments })
  await first.close()
  const second = await start({ dir })
  expect((await second.inbox.waitFor('has:attachment')).subject).toBe('with')
})

test('an I/O error is not stored: the message is read again the next time', async () => {
  const { store, arrive } = await open()
  await arrive(1)
  let faults = 1
  const digests = digestsOf({
    ...store,
    readBlob: (id) => (faults-- > 0 ? Promise.reject(new Error('EIO')) : store.readBlob(id)),
  })
  await expect(digests.of(anEmail(1))).rejects.toThrow('EIO')
  expect(await digests.of(anEmail(1))).toEqual({ snippet: 'Text 1', attachment_count: 0, body: 'Text 1' })
})

test('a mail whose bytes cannot be read for a while does not block others, and is found once they can be read', async () => {
  const failing = new LocalpostError('store_failed', 'Reading failed: EIO.')
  let isBroken = true
  const { clock, column, begin, arrive, snippets } = await open((store) => {
    const digests = digestsOf({
      ...store,
      readBlob: (id) =>
        isBroken && id === messageBlob(idOf(2)) ? Promise.reject(failing) : store.readBlob(id),
    })
    return (email) => digests.take(email)
  })
  const found = async (): Promise<number> => {
    let hits = 0
    await column.scan([rowTerm('text 2', 'body', false)], async (rows) => void (hits += rows.hits))
    return hits
  }
  for (const n of [1, 2, 3]) await arrive(n)
  const indexer = begin()
  for (let i = 0; i < 12 && column.cursor < idOf(3); i++) {
    await clock.advance(5000)
    await sleep(5)
  }
  expect(column.cursor).toBe(idOf(3))
  expect(await snippets()).toEqual(['Text 1', null, 'Text 3'])
  expect(await found()).toBe(0)
  isBroken = false
  for (let i = 0; i < 12 && (await found()) === 0; i++) {
    await clock.advance(5000)
    await sleep(5)
  }
  expect(await found()).toBe(1)
  await expect.poll(snippets).toEqual(['Text 1', 'Text 2', 'Text 3'])
  expect(column.rows).toBe(3)
  await indexer.close()
})

test('a mail that still cannot be read when the instance ends is read again at the next start', async () => {
  const failing = new LocalpostError('store_failed', 'Reading failed: EIO.')
  const { clock, column, begin, arrive } = await open(() => () => Promise.reject(failing))
  await arrive(1)
  const indexer = begin()
  for (let i = 0; i < 12 && column.cursor === ''; i++) {
    await clock.advance(5000)
    await sleep(5)
  }
  expect(column.cursor).toBe(idOf(1))
  await indexer.close()
  expect(column.cursor).toBe('')
})

test('a mail that was deferred before a crash is read after the next start, and found by has:attachment', async () => {
  const { store, clock, column, heads, begin, arrive, snippets } = await open()
  for (const n of [1, 2]) await arrive(n)
  const text = Buffer.from('attached').toString('base64')
  const message =
    'Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nText 3\r\n' +
    `--b\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${text}\r\n--b--\r\n`
  await store.commit([insert(emailCollection, anEmail(3))], [blobOf(messageBlob(idOf(3)), message)])
  // The crashed process stored these rows. That of the third mail has no text.
  for (const n of [1, 2]) {
    await store.bulk(emailCollection, [idOf(n)], (email) => ({
      ...email,
      undigested: undefined,
      snippet: `Text ${n}`,
      attachment_count: 0,
    }))
    await column.append(idOf(n), '', `Text ${n}`)
  }
  await column.append(idOf(3), '', '')
  const indexer = begin()
  onTestFinished(async () => void (await indexer.close()))
  for (let i = 0; i < 12 && (await snippets()).includes(null); i++) {
    await clock.advance(5000)
    await sleep(5)
  }
  expect(await snippets()).toEqual(['Text 1', 'Text 2', 'Text 3'])
  const digests = digestsOf(store)
  const search = createSearch({ store, digests, indexer, column, heads, fieldsOf: noFields, pageSize: 50 })
  expect(await search.ids(parseMailQuery('has:attachment', 0))).toEqual([idOf(3)])
  expect(await search.ids(parseMailQuery('"text 3"', 0))).toEqual([idOf(3)])
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
