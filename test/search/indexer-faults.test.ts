import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import { blobOf, insert } from '../../src/store/store.ts'
import { rowTerm } from '../../src/search/row-terms.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { open, slowReading } from './_indexer.ts'

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
    await column.scan([rowTerm('text 2', 'body')], async (rows) => void (hits += rows.hits))
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

test('a list ends its wait after a second and says what is left; a search for all matches waits longer', async () => {
  const { store, column, heads, begin, arrive } = await open()
  for (let n = 1; n <= 8; n++) await arrive(n)
  const { clock, digests } = slowReading(store, 500)
  const indexer = begin({ clock, digests })
  onTestFinished(async () => void (await indexer.close()))
  const search = columnSearch({ store, digests: digestsOf(store), indexer, column, heads })
  const filter = parseMailQuery('"text 8"', 0)
  expect(await search.list(filter, {})).toMatchObject({ count: 0, unread_texts: expect.any(Number) })
  expect(clock.now()).toBeLessThan(2000)
  const found: string[] = []
  for await (const { id } of search.matches(filter)) found.push(id)
  expect(found).toEqual([idOf(8)])
})
