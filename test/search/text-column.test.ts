import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import { columnSearch } from './_search.ts'
import { blockBytes } from '../../src/search/text-blocks.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { cutMark, headerLength, toTextRow } from '../../src/search/text-rows.ts'
import { rowTerm, scanRows, type RowTerm } from '../../src/search/row-terms.ts'
import type { ListPage } from '../../src/core/lists.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { insert, remove } from '../../src/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'

test('the column continues over blocks, and stays complete over a close', async () => {
  const dir = temporaryFolder()
  let column = await openTextColumn(dir)
  const body = 'word '.repeat(400)
  for (let n = 1; n <= 1200; n++) {
    await column.append(idOf(n), `subject ${n}\nada@x.test`, n % 100 === 0 ? `${body} needle` : body)
    if (n !== 700) continue
    await column.close()
    column = await openTextColumn(dir)
    expect([column.cursor, column.rows]).toEqual([idOf(700), 700])
  }
  const hundreds = Array.from({ length: 12 }, (_, i) => idOf(1200 - i * 100))
  expect(await scan(column, rowTerm('needle', 'body'))).toEqual(hundreds)
  expect(await scan(column, rowTerm('subject 1100', 'all'))).toEqual([idOf(1100)])
  expect(await scan(column, rowTerm('subject 1100', 'body'))).toEqual([])
  expect(await scan(column, rowTerm(idOf(1100), 'all'))).toEqual([])
  expect((await scan(column, rowTerm('needle', 'all', { isNegative: true }))).length).toBe(1188)
  const both = [rowTerm('needle', 'body'), rowTerm('subject 2', 'all', { isNegative: true })]
  expect(await scan(column, ...both)).toEqual(hundreds.filter((id) => id !== idOf(200)))
  const seen: [number, string, string][] = []
  await column.scan([], async ({ count, first, last }) => void seen.unshift([count, first, last]))
  expect(seen.length).toBeGreaterThan(2)
  expect(seen.reduce((sum, [count]) => sum + count, 0)).toBe(1200)
  expect([seen[0]?.[1], seen[0]?.[2], seen.at(-1)?.[2]]).toEqual([
    idOf(1),
    idOf(seen[0]?.[0] ?? 0),
    idOf(1200),
  ])
  await column.clear()
  expect([
    column.cursor,
    column.rows,
    await scan(column, rowTerm('word', 'all', { isNegative: true })),
  ]).toEqual(['', 0, []])
  await column.close()
})

test.each(['closes it', 'is killed'])(
  'gives back the space of the oldest rows, and knows it after a process that %s',
  async (how) => {
    const dir = temporaryFolder()
    let column = await openTextColumn(dir)
    const sizeNow = (): number => statSync(join(dir, 'mail-text.5')).size
    const add = async (from: number, to: number, oldest: (n: number) => number): Promise<void> => {
      for (let n = from; n <= to; n++)
        if (await column.append(idOf(n), `subject ${n}`, `${'word '.repeat(400)} body${n};`))
          await column.dropBefore(idOf(oldest(n)))
    }
    // As with a limit of 1,500 emails.
    await add(1, 8000, (n) => n - 1500)
    expect(sizeNow()).toBeLessThan(2 * 1500 * 2100 + 2 * blockBytes)
    const rows = column.rows
    expect(rows).toBeGreaterThanOrEqual(1500)
    if (how === 'closes it') await column.close()
    column = await openTextColumn(dir)
    await column.verify()
    const newest = Number(column.cursor.slice(-5))
    expect(column.rows).toBe(rows - (8000 - newest))
    expect(newest).toBeGreaterThan(how === 'closes it' ? 7999 : 7000)
    for (const n of [6501, newest])
      expect(await scan(column, rowTerm(`body${n};`, 'body'))).toEqual([idOf(n)])
    expect(await scan(column, rowTerm('body1;', 'body'))).toEqual([])
    await add(newest + 1, 12_000, (n) => n - 1500)
    expect(await scan(column, rowTerm('body12000;', 'body'))).toEqual([idOf(12_000)])
    let counted = 0
    await column.scan([], async ({ count }) => void (counted += count))
    expect(counted).toBe(column.rows)
    expect(sizeNow()).toBeLessThan(2 * 1500 * 2100 + 2 * blockBytes)
    await column.close()
  },
)

test('a page over many blocks counts the existing rows, also where mails of some blocks are removed', async () => {
  const store = await openMemoryStore({ collections: [emailCollection] })
  const column = await openTextColumn(null)
  onTestFinished(() => Promise.all([store.close(), column.close()]).then(() => {}))
  const all = Array.from({ length: 1500 }, (_, i) => i + 1)
  await store.commit(
    all.map((n) => insert(emailCollection, { ...anEmail(n), attachment_count: 0, undigested: undefined })),
  )
  for (const n of all)
    await column.append(idOf(n), `mail ${n}`, `${'word '.repeat(400)} ${n % 2 ? 'odd' : ''}`)
  const gone = [1, 3, 4, 1499]
  await store.commit(gone.map((n) => remove(emailCollection, idOf(n))))
  const digests = digestsOf(store)
  const heads = createHeads({ store, open: () => openTextColumn(null), isKept: false })
  const indexer = startIndexer({ store, clock: systemClock, digests, column, heads })
  onTestFinished(async () => void (await indexer.close()))
  const search = columnSearch({ store, digests, indexer, column, heads })
  const filter = parseMailQuery('odd', 0)
  const wanted = all.filter((n) => n % 2 === 1 && !gone.includes(n)).reverse()
  const ids: string[] = []
  for (let cursor: string | null = null, pages = 0; pages === 0 || cursor; pages++) {
    const page: ListPage<EmailRecord> = await search.list(filter, { cursor, limit: 200 })
    expect(page.count).toBe(wanted.length)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.cursor
  }
  expect(ids).toEqual(wanted.map(idOf))
})

test.each(['a byte of the first block', 'a byte of the last rows', 'rows behind the last'])(
  'The column keeps nothing of a file that was damaged in %s',
  async (place) => {
    const dir = temporaryFolder()
    let column = await openTextColumn(dir)
    for (let n = 1; n <= 700; n++) await column.append(idOf(n), `subject ${n}`, 'word '.repeat(400))
    await column.close()
    const file = join(dir, 'mail-text.5')
    const bytes = readFileSync(file)
    if (place === 'a byte of the first block') bytes[5000] = 0x03
    else if (place === 'a byte of the last rows') bytes[bytes.length - 3000] = 0x00
    const more = place === 'rows behind the last' ? `\0${idOf(900)}\nhead\x02body\x03` : ''
    writeFileSync(file, Buffer.concat([bytes, Buffer.from(more)]))
    column = await openTextColumn(dir)
    const isInBlock = place === 'a byte of the first block'
    expect(await column.verify()).toBe(isInBlock ? 'damaged' : 'intact')
    if (isInBlock) await column.clear()
    expect(column.rows).toBeLessThan(700)
    for (let n = column.rows + 1; n <= 700; n++)
      await column.append(idOf(n), `subject ${n}`, 'word '.repeat(400))
    expect((await scan(column, rowTerm('word', 'body'))).length).toBe(700)
    await column.close()
  },
)

test('cut rows of an earlier run are known after a scan, also where space was given back before', async () => {
  const dir = temporaryFolder()
  const first = await openTextColumn(dir)
  for (let n = 1; n <= 700; n++)
    await first.append(idOf(n), `subject ${n}`, 'word '.repeat(400) + (n === 5 ? cutMark : ''))
  await first.close()
  const second = await openTextColumn(dir)
  await second.dropBefore(idOf(1))
  expect(await scan(second, rowTerm('word', 'body'))).toHaveLength(700)
  expect([...second.cut]).toEqual([idOf(5)])
  await second.close()
})

test('a scan ends whatever a block holds', async () => {
  const bytes = Buffer.from('\x03needle\0x needle\x03\x03 needle \x02 needle')
  for (let from = 0; from < bytes.length; from++) {
    const block = Buffer.alloc(headerLength + 2000)
    bytes.copy(block, headerLength, from)
    expect((await scanRows(block, [rowTerm('needle', 'all')])).length).toBeLessThan(3)
    expect((await scanRows(block, [rowTerm('needle', 'body', { isNegative: true })])).length).toBeLessThan(3)
  }
})

test('a scan finds the rows after one that lacks its beginning', async () => {
  const block = Buffer.alloc(headerLength + 2000)
  const rows = [idOf(1), idOf(2)].map((id) => toTextRow(id, '', 'a needle and a needle'))
  Buffer.concat(rows).copy(block, headerLength, 5)
  const start = headerLength + (rows[0]?.length ?? 0) - 5
  expect(await scanRows(block, [rowTerm('needle', 'all')])).toEqual([start])
  expect(await scanRows(block, [rowTerm('pin', 'all', { isNegative: true })])).toEqual([start])
})

async function scan(column: TextColumn, ...terms: RowTerm[]): Promise<string[]> {
  const ids: string[] = []
  await column.scan(terms, async (rows) => {
    expect(rows.ids().length).toBe(rows.hits)
    ids.push(...rows.ids())
  })
  return ids
}
