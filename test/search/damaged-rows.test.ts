import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import type { Indexer } from '../../src/search/indexer.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import type { Search } from '../../src/search/search.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert } from '../../src/store/store.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { temporaryFolder } from '../support/folder.ts'
import { columnSearch } from './_search.ts'

const mails = 1400
/** The mails with a row of an earlier process. */
const rows = 1200
const bodyOf = (n: number): string => `${'word '.repeat(400)} needle ${n};`

interface Damaged {
  readonly column: TextColumn
  readonly indexer: Indexer
  readonly search: Search
}

/**
 * Rows of an earlier process, of which the first block was damaged since, and mail without rows.
 *
 * @param readMs  How long it takes to read a mail.
 */
async function damaged(readMs = 0): Promise<Damaged> {
  const store = await openMemoryStore({ collections: [emailCollection] })
  const all = Array.from({ length: mails }, (_, i) => i + 1)
  await store.commit(all.map((n) => insert(emailCollection, anEmail(n))))
  const folder = temporaryFolder()
  const before = await openTextColumn(folder)
  for (const n of all.slice(0, rows)) await before.append(idOf(n), '', bodyOf(n))
  await before.close()
  const file = join(folder, 'mail-text.5')
  const bytes = readFileSync(file)
  bytes[500_000]! ^= 1
  writeFileSync(file, bytes)

  let now = 0
  const take = async ({ id }: EmailRecord) => {
    now += readMs
    return { snippet: '', attachment_count: 0, body: bodyOf(Number(id.slice(-5))), isCut: false }
  }
  const clock = { now: () => now, after: () => () => {} }
  const column = await openTextColumn(folder)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: false })
  const indexer = startIndexer({ store, clock, digests: { take }, column, heads })
  const search = columnSearch({ store, digests: digestsOf(store), indexer, column, heads })
  onTestFinished(async () => {
    await column.close(await indexer.close())
    await Promise.all([heads.close(), store.close()])
  })
  return { column, indexer, search }
}

test('a complete search reads all mail again, also where some was read before it found the damage', async () => {
  const { column, indexer } = await damaged(120)
  await indexer.catchUp()
  expect(column.rows).toBeGreaterThan(rows)
  expect(column.rows).toBeLessThan(mails)
  expect(await indexer.catchUp({ complete: true })).toBe(0)
  expect(column.rows).toBe(mails)
})

test('a search that says nothing of mail that it missed, as a wait, misses none', async () => {
  const found: string[] = []
  const filter = parseMailQuery('"needle 3;"', 0)
  for await (const { id } of (await damaged()).search.matches(filter)) found.push(id)
  expect(found).toEqual([idOf(3)])
  expect(await (await damaged()).search.ids(filter)).toEqual([idOf(3)])
})
