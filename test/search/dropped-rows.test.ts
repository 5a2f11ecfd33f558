import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { emailCollection, messageBlob } from '../../src/emails/email.ts'
import { createHeads } from '../../src/search/heads.ts'
import { startIndexer } from '../../src/search/column-indexer.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { openMemoryStore } from '../../src/store/memory/open.ts'
import { blobOf, insert, remove } from '../../src/store/store.ts'
import { anEmail, digestsOf, idOf } from '../inbox/_email.ts'
import { temporaryFolder } from '../support/folder.ts'

test.each(['in memory', 'in a folder'])(
  'both columns %s give back the rows of the oldest mails while mail arrives',
  async (place) => {
    const folder = place === 'in memory' ? null : temporaryFolder()
    const store = await openMemoryStore({ collections: [emailCollection] })
    const column = await openTextColumn(folder)
    const headColumn = await openTextColumn(folder, { fileName: 'mail-heads.6' })
    const heads = createHeads({ store, open: async () => headColumn, isKept: true })
    const indexer = startIndexer({ store, clock: systemClock, digests: digestsOf(store), column, heads })
    onTestFinished(async () => {
      await indexer.close()
      await Promise.all([heads.close(), column.close(), store.close()])
    })
    async function arrive(from: number, to: number): Promise<void> {
      for (let n = from; n <= to; n++)
        await store.commit(
          [insert(emailCollection, { ...anEmail(n), subject: `${'word '.repeat(400)}${n}` })],
          [blobOf(messageBlob(idOf(n)), `Subject: s\r\n\r\nText ${n}`)],
        )
      await indexer.catchUp({ complete: true })
    }
    await arrive(1, 1600)
    expect([column.rows, headColumn.rows]).toEqual([1600, 1600])
    for (let n = 1; n <= 1400; n++) await store.commit([remove(emailCollection, idOf(n))])
    await arrive(1601, 2200)
    for (const { rows, cursor } of [column, headColumn]) {
      // 800 mails are left, and a block has some 500 rows.
      expect(rows).toBeGreaterThanOrEqual(800)
      expect(rows).toBeLessThan(1400)
      expect(cursor).toBe(idOf(2200))
    }
  },
)
