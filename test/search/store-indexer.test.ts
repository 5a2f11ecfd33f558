import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { StoreIndexer } from '../../src/search/store-indexer.ts'
import { createStoreRows } from '../../src/search/store-rows.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { blobOf, insert, remove, type Store } from '../../src/store/store.ts'
import type { Texts } from '../../src/store/texts.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { open, slowReading } from './_indexer.ts'

test('a store that keeps texts gets each of them, also of mails that failed or were missed meanwhile', async () => {
  const { store, clock, arrive } = await open()
  const texts = new Set<string>()
  const failing = new Set([idOf(2), idOf(5)])
  let onGap: () => void = () => {}
  let afterPut = (): void => {}
  const digests = digestsOf(store)
  const missing = async (after: string): Promise<string[]> =>
    (await store.ids(emailCollection)).filter((id) => id > after && !texts.has(id)).sort()
  const indexer = new StoreIndexer({
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
      settle: async () => {},
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
  const indexer = new StoreIndexer({
    clock,
    digests: digestsOf(store),
    store,
    texts: {
      put: () => {
        onPut()
        return isStored
      },
      blobs: async (_, ids) => Promise.all(ids.map((id) => store.readBlob(id))),
      settle: async () => {},
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
  expect((await indexer.readTo()).id < idOf(1)).toBe(true)
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
  const indexer = new StoreIndexer({
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
      settle: async () => {},
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

/** Texts in memory, for mails of a store. `before` runs before some are stored. */
function textsOf(store: Store, before: (ids: string[]) => Promise<void> = async () => {}) {
  const stored = new Set<string>()
  const missing = async (after: string): Promise<string[]> =>
    (await store.ids(emailCollection)).filter((id) => id > after && !stored.has(id)).sort()
  const texts: Texts = {
    async put(_, given) {
      const ids = given.map(({ id }) => id)
      await before(ids)
      for (const id of ids) stored.add(id)
    },
    blobs: async (_, ids) => Promise.all(ids.map((id) => store.readBlob(id))),
    settle: async () => {},
    countCut: async () => 0,
    missing: async (_, after, limit) => (await missing(after)).slice(0, limit),
    countMissing: async () => (await missing('')).length,
    page: () => Promise.reject(new Error('unused')),
    all: () => Promise.reject(new Error('unused')),
  }
  return { texts, stored }
}

test('a mail that is tried again is decided by its record until its text is stored', async () => {
  const failing = new LocalpostError('store_failed', 'Writing failed: EIO.')
  let isBroken = true
  const { store, clock, arrive } = await open()
  const seen: boolean[] = []
  const digests = digestsOf(store)
  const { texts, stored } = textsOf(store, async () => {
    seen.push((await indexer.readTo()).id < idOf(2))
  })
  const indexer = new StoreIndexer({
    clock,
    store,
    texts,
    digests: {
      async take(email, message) {
        if (email.id !== idOf(2)) return digests.take(email, message)
        seen.push((await indexer.readTo()).id < idOf(2))
        if (isBroken) throw failing
        return digests.take(email, message)
      },
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  for (const n of [1, 2, 3]) await arrive(n)
  for (let n = 0; n < 12; n++) await indexer.catchUp()
  expect([...stored].sort()).toEqual([1, 3].map(idOf))
  isBroken = false
  expect(await indexer.catchUp()).toBe(0)
  expect(seen.length).toBeGreaterThan(5)
  expect(seen).not.toContain(false)
  const { id, isAll } = await indexer.readTo()
  expect(id >= idOf(3)).toBe(true)
  expect(isAll).toBe(true)
})

test('texts that cannot be stored together are stored one after the other, and once the database is away no more are tried', async () => {
  const { store, clock, arrive } = await open()
  for (let n = 1; n <= 40; n++) await arrive(n)
  let error = new LocalpostError('store_failed', 'Writing failed: EIO.')
  let [running, most, tries] = [0, 0, 0]
  const { texts, stored } = textsOf(store, async (ids) => {
    tries++
    most = Math.max(most, ++running)
    await sleep(1)
    running--
    if (ids.includes(idOf(7))) throw error
  })
  const indexer = new StoreIndexer({ clock, store, texts, digests: digestsOf(store) })
  onTestFinished(async () => void (await indexer.close()))
  await indexer.catchUp()
  expect(stored.size).toBe(39)
  expect(most).toBe(1)
  for (let n = 41; n <= 50; n++) await arrive(n)
  error = new LocalpostError('service_unavailable', 'The database does not answer.')
  tries = 0
  await indexer.catchUp()
  expect(tries).toBe(1)
})

test('a step ends after a quarter of a second, so that a search waits for about as long as it asked', async () => {
  const { store } = await open()
  const mails = Array.from({ length: 40 }, (_, n) => ({
    ...anEmail(n + 1),
    // So many bytes are read alone.
    message: { size_bytes: 2 * 1024 * 1024, message_id: '' },
  }))
  await store.commit(
    mails.map((email) => insert(emailCollection, email)),
    mails.map(({ id }) => blobOf(messageBlob(id), 'Subject: s\r\n\r\nText')),
  )
  const { texts, stored } = textsOf(store)
  const { clock, digests } = slowReading(store, 100)
  const indexer = new StoreIndexer({ clock, store, texts, digests })
  onTestFinished(async () => void (await indexer.close()))
  const left = await indexer.catchUp({ maxMs: 1000 })
  expect(clock.now()).toBeGreaterThanOrEqual(1000)
  expect(clock.now()).toBeLessThanOrEqual(1300)
  expect(left).toBe(40 - stored.size)
  expect([...stored].sort()).toEqual(mails.slice(0, stored.size).map(({ id }) => id))
  expect(await indexer.catchUp()).toBe(0)
})

test('a search does not wait for more mails than can be read meanwhile', async () => {
  const { store, clock, arrive } = await open()
  for (let n = 1; n <= 700; n++) await arrive(n)
  const { texts, stored } = textsOf(store)
  const indexer = new StoreIndexer({ clock, store, texts, digests: digestsOf(store) })
  onTestFinished(async () => void (await indexer.close()))
  // How many there are is known after the first step.
  const left = await indexer.catchUp({ maxMails: 400 })
  expect(left).toBeGreaterThan(400)
  expect(stored.size).toBe(700 - left)
  expect(await indexer.catchUp({ maxMails: 400 })).toBe(left)
  expect((await indexer.readTo()).isAll).toBe(false)
  expect(await indexer.catchUp({ maxMails: left })).toBe(0)
})

test('many texts are settled once, when all are stored', async () => {
  const { store, clock, arrive } = await open()
  const { texts, stored } = textsOf(store)
  const settled: number[] = []
  const settle = async (): Promise<void> => void settled.push(stored.size)
  const indexer = new StoreIndexer({ clock, store, texts: { ...texts, settle }, digests: digestsOf(store) })
  onTestFinished(async () => void (await indexer.close()))
  const readAll = async (): Promise<void> => {
    await indexer.catchUp({ complete: true })
    for (let n = 0; n < 5; n++) await clock.advance(500)
  }
  for (let n = 1; n <= 300; n++) await arrive(n)
  await readAll()
  for (let n = 301; n <= 310; n++) await arrive(n)
  await readAll()
  expect(stored.size).toBe(310)
  expect(settled).toEqual([300])
})

test('texts are settled also if a mail cannot be read, and again if that failed', async () => {
  const { store, clock, arrive } = await open()
  for (let n = 1; n <= 300; n++) await arrive(n)
  const { texts } = textsOf(store)
  const digests = digestsOf(store)
  const failing = new LocalpostError('store_failed', 'Reading failed: EIO.')
  let settled = 0
  const indexer = new StoreIndexer({
    clock,
    store,
    digests: {
      take: (email, message) =>
        email.id === idOf(300) ? Promise.reject(failing) : digests.take(email, message),
    },
    texts: {
      ...texts,
      async settle() {
        settled++
        if (settled === 1) throw failing
      },
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  for (let n = 0; n < 12; n++) await indexer.catchUp()
  expect(settled).toBe(2)
})

test.each([
  ['after the search', false],
  ['once it sees that they were read', true],
])('an instance forgets which mails come next, %s, so that none is read twice', async (_, isLeader) => {
  const { store, clock, arrive } = await open()
  for (let n = 1; n <= 300; n++) await arrive(n)
  const { texts, stored } = textsOf(store)
  const digests = digestsOf(store)
  const read: string[] = []
  const indexer = new StoreIndexer({
    clock,
    store: { ...store, leadership: { ...store.leadership, isMine: () => isLeader } },
    texts,
    digests: {
      take(email, message) {
        read.push(email.id)
        return digests.take(email, message)
      },
    },
  })
  onTestFinished(async () => void (await indexer.close()))
  expect(await indexer.catchUp({ maxMs: 0 })).toBeGreaterThan(0)
  const first = read.length
  // Another instance reads the others.
  for (let n = 1; n <= 300; n++) stored.add(idOf(n))
  if (isLeader) expect((await indexer.readTo()).isAll).toBe(true)
  expect(await indexer.catchUp()).toBe(0)
  expect(read).toHaveLength(first)
})

test('a search that runs out of time keeps the matches that the texts decided, and counts the others', async () => {
  const { store, arrive } = await open()
  for (let n = 1; n <= 250; n++) await arrive(n)
  const matches = Array.from({ length: 250 }, (_, n) => ({ id: idOf(250 - n), isUndecided: n % 10 === 0 }))
  const { texts } = textsOf(store)
  const rows = createStoreRows({
    store,
    indexer: { readTo: async () => ({ id: '', isAll: true }) },
    texts: {
      ...texts,
      page: async () => ({ ids: [], count: 250, undecided: 25, left: 0, isPartial: false }),
      async all(_, _query, limit) {
        await sleep((limit?.mostMs ?? 0) + 5)
        return { matches, left: 7 }
      },
    },
  })
  const filter = parseMailQuery('subject:mail', 0)
  const decided = matches.filter(({ isUndecided }) => !isUndecided).map(({ id }) => id)
  const limit = { mostMs: 20 }
  expect(await rows.ids(filter, limit)).toEqual({ ids: decided, unsearched: 7 + 25 })
  const place = { cursor: null, offset: 0, limit: 20, isCounted: true }
  const wanted = { ids: decided.slice(0, 20), count: decided.length, more: true }
  expect(await rows.page(filter, place, limit)).toMatchObject(wanted)
  expect((await rows.ids(filter)).ids).toEqual(matches.map(({ id }) => id))
})

test('a search does not wait for more mails than it allows, also where one look-up found all of them', async () => {
  const { store, arrive } = await open()
  const { texts } = textsOf(store)
  let lookUps = 0
  const counted: Texts = { ...texts, missing: (...given) => (lookUps++, texts.missing(...given)) }
  const indexer = new StoreIndexer({ ...slowReading(store, 10), store, texts: counted })
  onTestFinished(async () => void (await indexer.close()))
  for (let n = 1; n <= 200; n++) await arrive(n)
  expect(await indexer.catchUp({ maxMails: 100 })).toBe(200 - 64)
  expect(lookUps).toBe(1)
  expect(await indexer.catchUp({ complete: true })).toBe(0)
  // The steps share a look-up; the last one finds nothing more.
  expect(lookUps).toBe(2)
})
