import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import { blobOf, insert, remove } from '../../src/store/store.ts'
import { startStoreIndexer } from '../../src/search/store-indexer.ts'
import { rowTerm } from '../../src/search/text-rows.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { open } from './_indexer.ts'

test('an I/O error is not stored: the message is read again the next time', async () => {
  const { store, arrive } = await open()
  await arrive(1)
  let faults = 1
  const digests = digestsOf({
    ...store,
    readBlob: (id) => (faults-- > 0 ? Promise.reject(new Error('EIO')) : store.readBlob(id)),
  })
  await expect(digests.of(anEmail(1))).rejects.toThrow('EIO')
  expect(await digests.of(anEmail(1))).toEqual({
    snippet: 'Text 1',
    attachment_count: 0,
    body: 'Text 1',
    isCut: false,
  })
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
  const search = columnSearch({ store, digests, indexer, column, heads })
  expect(await search.ids(parseMailQuery('has:attachment', 0))).toEqual([idOf(3)])
  expect(await search.ids(parseMailQuery('"text 3"', 0))).toEqual([idOf(3)])
})

test('a store that keeps texts gets each of them, also of mails that failed or were missed meanwhile', async () => {
  const { store, clock, arrive } = await open()
  const texts = new Set<string>()
  const failing = new Set([idOf(2), idOf(5)])
  let onGap: () => void = () => {}
  let afterPut = (): void => {}
  const digests = digestsOf(store)
  const missing = async (after: string): Promise<string[]> =>
    (await store.ids(emailCollection)).filter((id) => id > after && !texts.has(id)).sort()
  const indexer = startStoreIndexer({
    clock,
    digests,
    store: {
      ...store,
      changes(listener, options) {
        onGap = () => listener({ seq: 0, op: 'gap' })
        return store.changes(listener, options)
      },
    },
    texts: {
      async put(_, given) {
        if (given.some(({ id }) => failing.has(id)))
          throw new LocalpostError('store_failed', 'Writing failed: EIO.')
        for (const { id } of given) texts.add(id)
        afterPut()
      },
      blobs: async (_, ids) => Promise.all(ids.map((id) => store.readBlob(id))),
      countCut: async () => 0,
      missing: async (_, after, limit) => (await missing(after)).slice(0, limit),
      countMissing: async () => (await missing('')).length,
      page: () => Promise.reject(new Error('unused')),
      all: () => Promise.reject(new Error('unused')),
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  for (const n of [1, 2, 3, 5, 6]) await arrive(n)
  expect(await indexer.catchUp({ complete: true })).toBe(2)
  // Between those that are read.
  await arrive(4)
  expect(await indexer.catchUp({ complete: true })).toBe(2)
  failing.clear()
  // While the rest is read, an earlier state of the database comes back, in which the first has no text.
  afterPut = () => {
    afterPut = () => {}
    texts.delete(idOf(1))
    onGap()
  }
  expect(await indexer.catchUp({ complete: true })).toBe(0)
  expect([...texts].sort()).toEqual([1, 2, 3, 4, 5, 6].map(idOf))
})

test('a search by members does not wait for mails whose texts are being stored', async () => {
  const { store, clock, arrive } = await open()
  let onStored: () => void = () => {}
  const isStored = new Promise<void>((resolve) => (onStored = resolve))
  let onPut: () => void = () => {}
  const isPut = new Promise<void>((resolve) => (onPut = resolve))
  const indexer = startStoreIndexer({
    clock,
    digests: digestsOf(store),
    store,
    texts: {
      put: () => {
        onPut()
        return isStored
      },
      blobs: async (_, ids) => Promise.all(ids.map((id) => store.readBlob(id))),
      countCut: async () => 0,
      missing: async (_, after) => (await store.ids(emailCollection)).filter((id) => id > after).sort(),
      countMissing: async () => 2,
      page: () => Promise.reject(new Error('unused')),
      all: () => Promise.reject(new Error('unused')),
    },
  })
  for (const n of [1, 2]) await arrive(n)
  const reading = indexer.catchUp()
  await isPut
  // Both have no text yet, so their records decide.
  expect((await indexer.readTo()) < idOf(1)).toBe(true)
  onStored()
  await indexer.close()
  await reading
})

test('a store that keeps texts tries mails that could not be read again, until they can be stored or are removed', async () => {
  const { store, clock, arrive } = await open()
  const texts = new Set<string>()
  const failing = new LocalpostError('store_failed', 'Reading failed: EIO.')
  const broken = new Set([idOf(1), idOf(3)])
  const unstorable = new Set<string>()
  const digests = digestsOf(store)
  const missing = async (after: string): Promise<string[]> =>
    (await store.ids(emailCollection)).filter((id) => id > after && !texts.has(id)).sort()
  const indexer = startStoreIndexer({
    clock,
    store,
    digests: {
      take: (email, message) =>
        broken.has(email.id) ? Promise.reject(failing) : digests.take(email, message),
    },
    texts: {
      async put(_, given) {
        if (given.some(({ id }) => unstorable.has(id))) throw failing
        for (const { id } of given) texts.add(id)
      },
      blobs: async (_, ids) => Promise.all(ids.map((id) => store.readBlob(id))),
      countCut: async () => 0,
      missing: async (_, after, limit) => (await missing(after)).slice(0, limit),
      countMissing: async () => (await missing('')).length,
      page: () => Promise.reject(new Error('unused')),
      all: () => Promise.reject(new Error('unused')),
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  for (const n of [1, 2, 3, 4]) await arrive(n)
  // Each call ends with an error, until both have failed so often that they no longer keep the others.
  for (let n = 0; n < 12; n++) await indexer.catchUp()
  expect([...texts].sort()).toEqual([2, 4].map(idOf))
  broken.delete(idOf(3))
  unstorable.add(idOf(3))
  for (let n = 0; n < 3; n++) expect(await indexer.catchUp()).toBe(2)
  unstorable.clear()
  for (let n = 0; n < 3; n++) await indexer.catchUp()
  expect([...texts].sort()).toEqual([2, 3, 4].map(idOf))
  await store.commit([remove(emailCollection, idOf(1))])
  expect(await indexer.catchUp({ complete: true })).toBe(0)
})
