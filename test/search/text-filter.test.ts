import { expect, onTestFinished, test } from 'vitest'
import type { Files } from '../../src/core/files.ts'
import { openTextColumn, type TextColumn } from '../../src/search/text-column.ts'
import { TextFilter } from '../../src/search/text-filter.ts'
import { blockBytes } from '../../src/search/text-blocks.ts'
import { beginBlock, toTextRow } from '../../src/search/text-rows.ts'
import { rowTerm, type RowTerm } from '../../src/search/row-terms.ts'
import { idOf } from '../inbox/_email.ts'
import { temporaryFolder } from '../support/folder.ts'
import { randomOf } from '../support/random.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

test('a filter denies no part of a text, and nearly all that a text lacks', () => {
  const random = randomOf(1)
  const letters = ['abcdefghijklmnopqrstuvwxyz0123456789', 'aé漢😀 .-@', '\0\x02\x03\xff']
  for (let round = 0; round < 300; round++) {
    const chosen = Array.from(letters[round % letters.length] ?? '')
    const word = (length: number): string =>
      Array.from({ length }, () => chosen[Math.floor(random() * chosen.length)]).join('')
    const text = Buffer.from(word(1 + Math.floor(random() * 60)))
    const filter = new TextFilter()
    filter.add(text)
    filter.add(Buffer.from(word(20)))
    const denied: string[] = []
    for (let from = 0; from < text.length; from++)
      for (let to = from; to <= text.length; to++)
        if (!filter.mayHave(text.subarray(from, to))) denied.push(text.toString('hex', from, to))
    expect(denied, text.toString('hex')).toEqual([])
  }
  const filter = new TextFilter()
  // As many different texts as a block has.
  for (let n = 0; n < 500; n++)
    filter.add(Buffer.from(`mail ${n} to ada${n}@example.com: your code is ${n * 7919}.`))
  const absent = Array.from({ length: 1000 }, () =>
    Array.from({ length: 8 }, () => Math.floor(random() * 36).toString(36)).join(''),
  )
  expect(absent.filter((word) => filter.mayHave(Buffer.from(word))).length).toBeLessThan(20)
})

/** A column of some blocks in a folder, and how many blocks were read since the last question. */
async function openCounted(dir: string): Promise<{ column: TextColumn; readBlocks(): number }> {
  let reads = 0
  const files: Files = {
    ...nodeFiles,
    read: (fd, into, at) => {
      reads++
      return nodeFiles.read(fd, into, at)
    },
  }
  const column = await openTextColumn(dir, { files })
  onTestFinished(() => column.close().catch(() => {}))
  return {
    column,
    readBlocks() {
      const read = reads
      reads = 0
      return read
    },
  }
}

test('a search reads only blocks that may have its words, also after a restart', async () => {
  const dir = temporaryFolder()
  let { column, readBlocks } = await openCounted(dir)
  const mails = 4000
  for (let n = 1; n <= mails; n++)
    await column.append(idOf(n), `subject ${n}`, `${'word '.repeat(400)}${n === 1000 ? 'needle' : ''}`)
  for (const how of ['as it was written', 'checked', 'without its first blocks']) {
    if (how === 'checked') {
      await column.close()
      ;({ column, readBlocks } = await openCounted(dir))
      await column.verify()
    }
    if (how === 'without its first blocks') for (let n = 0; n < 2; n++) await column.dropBefore(idOf(2600))
    readBlocks()
    const all = await find(column, rowTerm('word', 'body'))
    const blocks = readBlocks()
    expect(blocks, how).toBeGreaterThan(1)
    expect(all.rows, how).toBe(column.rows)
    expect(all.ids.length, how).toBe(column.rows)
    const none = await find(column, rowTerm('nowhere0', 'all'))
    expect([none.rows, none.ids, readBlocks()], how).toEqual([column.rows, [], 0])
    const one = await find(column, rowTerm('needle', 'all'), rowTerm('word', 'all'))
    const isThere = how !== 'without its first blocks'
    expect([one.rows, one.ids], how).toEqual([column.rows, isThere ? [idOf(1000)] : []])
    expect(readBlocks(), how).toBe(isThere ? 1 : 0)
    // A word that must not be there is looked for in all.
    const without = await find(column, rowTerm('needle', 'all', { isNegative: true }))
    expect(without.ids.length, how).toBe(column.rows - (isThere ? 1 : 0))
    expect(readBlocks(), how).toBe(blocks)
  }
})

test('a search finds the rows of a block that is exactly full at a close', async () => {
  const dir = temporaryFolder()
  let { column } = await openCounted(dir)
  const head = Buffer.alloc(8 * 1024)
  const used = beginBlock(head, 0)
  const empty = toTextRow(idOf(1), '', '').length
  await column.append(idOf(1), '', `needle ${'x'.repeat(blockBytes - used - empty - 'needle '.length)}`)
  for (const [restart, needles] of [[idOf(1)], [idOf(2), idOf(1)]].entries()) {
    await column.close()
    ;({ column } = await openCounted(dir))
    expect([await column.verify(), column.rows]).toEqual(['intact', restart + 1])
    expect(await find(column, rowTerm('needle', 'all'))).toEqual({ rows: restart + 1, ids: needles })
    expect((await find(column, rowTerm('absent', 'all'))).ids).toEqual([])
    await column.append(idOf(2 + restart), '', 'needle')
  }
})

async function find(column: TextColumn, ...terms: RowTerm[]): Promise<{ rows: number; ids: string[] }> {
  const ids: string[] = []
  let count = 0
  await column.scan(terms, async (rows) => {
    count += rows.count
    ids.push(...rows.ids())
  })
  return { rows: count, ids }
}
