import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import type { Indexer } from '../../src/search/indexer.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import type { Search } from '../../src/search/search.ts'
import { blockBytes } from '../../src/search/text-blocks.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, type Store } from '../../src/store/store.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { temporaryFolder } from '../support/folder.ts'

/** Enough that the rows fill several blocks. */
const count = 20_000
/** The row of this mail has no text: its process could not read it before it crashed. */
const lost = 12_345

interface Process {
  readonly store: Store
  readonly column: TextColumn
  readonly indexer: Indexer
  readonly search: Search
  /** How often records were looked through for deferred mails. */
  looks(): number
  /** Called at each of these looks. */
  onLook: () => void
}

const bodyOf = (n: number): string => `text of the mail ${n}. `.repeat(10)

/** A store with many mails, and a folder with their rows as a crashed process left them: its last rows are missing. */
async function crashed(): Promise<{ store: Store; folder: string }> {
  const store = await openMemoryStore({ collections: [emailCollection] })
  onTestFinished(() => store.close())
  const folder = temporaryFolder()
  const column = await openTextColumn(folder)
  for (let n = 1; n <= count; n += 500) {
    const numbers = Array.from({ length: 500 }, (_, i) => n + i)
    const toEmail = (at: number): EmailRecord => ({
      ...anEmail(at),
      snippet: at === lost ? null : 'text',
      attachment_count: at === lost ? null : 0,
      undigested: at === lost ? true : undefined,
    })
    await store.commit(numbers.map((at) => insert(emailCollection, toEmail(at))))
    for (const at of numbers) await column.append(idOf(at), '', at === lost ? '' : bodyOf(at))
  }
  await column.close(false)
  return { store, folder }
}

/** @param stepMs  How long a look through records takes. */
async function begin(store: Store, folder: string, stepMs: number): Promise<Process> {
  let now = 0
  const column = await openTextColumn(folder)
  let looks = 0
  const watched: Store = {
    ...store,
    ids(collection, query) {
      if (query?.where) {
        looks++
        now += stepMs
        process.onLook()
      }
      return store.ids(collection, query)
    },
  }
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: false })
  const digests = digestsOf(store)
  const take = async (email: EmailRecord) => ({
    snippet: 'text',
    attachment_count: 0,
    body: bodyOf(Number(email.id.slice(-6))),
    isCut: false,
  })
  const clock = { now: () => now, after: () => () => {} }
  const indexer = startIndexer({ store: watched, clock, digests: { take }, column, heads })
  const search = columnSearch({ store, digests, indexer, column, heads, pageSize: 5 })
  const process: Process = { store, column, indexer, search, looks: () => looks, onLook: () => {} }
  return process
}

/** After a process that closed its rows, of which one was damaged since. */
async function beginDamaged(): Promise<Process> {
  const { store, folder } = await crashed()
  const first = await begin(store, folder, 0)
  await first.indexer.catchUp({ complete: true })
  await end(first)
  const file = join(folder, 'mail-text.5')
  const bytes = readFileSync(file)
  bytes[blockBytes + 500_000] = 0x7f
  writeFileSync(file, bytes)
  return begin(store, folder, 0)
}

async function end({ indexer, column }: Process): Promise<void> {
  await column.close(await indexer.close())
}

test('a list after a crash waits a second at most, and says how many mails it may miss', async () => {
  const { store, folder } = await crashed()
  const first = await begin(store, folder, 200)
  const rows = first.column.rows
  expect(rows).toBeGreaterThan(15_000)
  const { indexer, search, looks } = first
  const filter = parseMailQuery('"text of the mail"', 0)
  const page = await search.list(filter, { limit: 1 })
  expect(looks()).toBe(5)
  expect(page).toMatchObject({ count: count - 1, unread_texts: rows - 5000 })
  // A call that needs all of them waits, and finds the mail whose row had no text.
  expect(await search.ids(filter, { complete: true })).toHaveLength(count)
  expect(await indexer.catchUp()).toBe(0)
  await end(first)

  // The index was closed now, so no record is looked at.
  const second = await begin(store, folder, 1000)
  expect(await second.search.list(filter, { limit: 1 })).not.toHaveProperty('unread_texts')
  expect(second.looks()).toBe(0)
  await end(second)
})

test('a search checks the rows that it reads, and says that it may miss mail where one is damaged', async () => {
  const damaged = await beginDamaged()
  const filter = parseMailQuery('"text of the mail"', 0)
  expect(await damaged.search.list(filter, { limit: 1 })).toMatchObject({ unread_texts: count })
  // All are read again.
  const again = await damaged.search.list(filter, { limit: 1 })
  expect(again).toMatchObject({ count })
  expect(again).not.toHaveProperty('unread_texts')
  await end(damaged)
})

test('a search that must be complete finds all, where a row is damaged', async () => {
  const damaged = await beginDamaged()
  expect(await damaged.search.ids(parseMailQuery('"text of the mail"', 0), { complete: true })).toHaveLength(
    count,
  )
  await end(damaged)
})

test('closing stops the look through the records of a crashed process at its next step, and a later start continues', async () => {
  const { store, folder } = await crashed()
  const first = await begin(store, folder, 0)
  const closing: Promise<void>[] = []
  first.onLook = () => {
    if (first.looks() === 3) closing.push(end(first))
  }
  await first.indexer.catchUp({ complete: true })
  await Promise.all(closing)
  expect(first.looks()).toBe(3)

  const second = await begin(store, folder, 0)
  expect(second.column.wasClosed).toBe(false)
  const found = await second.search.ids(parseMailQuery(`"mail ${lost}."`, 0), { complete: true })
  expect(found).toEqual([idOf(lost)])
  await end(second)
})
