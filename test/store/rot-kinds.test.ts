import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contactCollection } from '../../src/audiences/audience.ts'
import { systemClock } from '../../src/core/clock.ts'
import { idempotencyCollection } from '../../src/sending/idempotency.ts'
import { openTextColumn } from '../../src/search/text-column.ts'
import { rowTerm } from '../../src/search/row-terms.ts'
import { openLogStore } from '../../src/store/disk/open.ts'
import {
  insert,
  type Collection,
  type NewRecord,
  type Store,
  type StoredRecord,
} from '../../src/store/store.ts'
import { webhookDeliveryCollection } from '../../src/webhooks/webhook.ts'
import { flipped } from './_flips.ts'
import { tempFolder } from './_setup.ts'

const kinds: readonly (readonly [Collection<StoredRecord>, (n: number) => NewRecord])[] = [
  [
    contactCollection,
    (n) => ({
      id: `con_${n}`,
      audience_id: 'aud_1',
      email: `r${n}@x.test`,
      email_key: `r${n}@x.test`,
      is_subscribed: n % 2 === 0,
    }),
  ],
  [
    webhookDeliveryCollection,
    (n) => ({
      id: `whd_${n}`,
      webhook_id: 'wh_1',
      due: n % 2 ? n : null,
      finished: n % 2 ? null : n,
      body: '{}',
    }),
  ],
  [
    idempotencyCollection,
    (n) => ({ id: `${n}`.repeat(10), body_hash: 'f'.repeat(64), email_id: `em_${n}`, created: n }),
  ],
]

test.each(kinds.map(([collection, record]) => ({ name: collection.name, collection, record })))(
  'a changed bit of a file of $name refuses the start',
  { timeout: 120_000 },
  async ({ name, collection, record }) => {
    const dir = await tempFolder()
    const open = (folder: string): Promise<Store> =>
      openLogStore({ dir: folder, collections: [collection], clock: systemClock, durability: 'process' })
    const store = await open(dir)
    await store.commit(Array.from({ length: 30 }, (_, n) => insert(collection, record(n + 1))))
    await store.close()
    for await (const { copy, place } of flipped(dir, join(name, '000001.json')))
      await expect(open(copy), place).rejects.toMatchObject({
        code: expect.stringMatching(/^store_(?:corrupt|newer_schema)$/) as unknown,
      })
    const again = await open(dir)
    expect(await again.count(collection)).toBe(30)
    await again.close()
  },
)

test(
  'a changed bit of derived/ changes no answer: it is detected, and the text is rebuilt',
  { timeout: 120_000 },
  async () => {
    const dir = await tempFolder()
    const column = await openTextColumn(dir)
    for (let n = 1; n <= 30; n++)
      await column.append(`em_${n}`, `subject ${n}`, n % 3 ? 'hay' : `needle ${n}`)
    await column.close()
    const [file = '', ...others] = await readdir(dir)
    expect(others).toEqual([])
    const needles = Array.from({ length: 10 }, (_, n) => `em_${30 - 3 * n}`)
    for await (const { copy, place } of flipped(dir, file)) {
      const rotten = await openTextColumn(copy)
      if ((await rotten.verify()) === 'damaged') await rotten.clear()
      const found: string[] = []
      await rotten.scan([rowTerm('needle', 'body')], async (rows) => void found.push(...rows.ids()))
      if (rotten.cursor === '') expect([rotten.rows, found], place).toEqual([0, []])
      else expect([rotten.cursor, rotten.rows, found], place).toEqual(['em_30', 30, needles])
      await rotten.close()
    }
  },
)
