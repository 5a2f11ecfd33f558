import { expect, test } from 'vitest'
import { Entry } from '../../src/store/entry.ts'
import { IdOrder } from '../../src/store/id-order.ts'
import { Packed, packRows } from '../../src/store/packed.ts'

const idOf = (n: number): string => `n_${String(n).padStart(4, '0')}`
const entry = (id: string): Entry =>
  new Entry({ id, segment: 1, version: 1, text: '{}', keys: [], blobs: null })

/** Packs of 20 records, with gaps in which loose records are; some records of packs are removed, or loose again. */
function makeOrder(isAnother: (share: number) => boolean): { order: IdOrder; ids: string[] } {
  const loose = new Set<Entry>()
  const order = new IdOrder(() => loose)
  const ids = new Set<string>()
  for (let first = 0; first < 400; first += 40) {
    const own = Array.from({ length: 20 }, (_, n) => idOf(first + 2 * n))
    const lines = own.map((id, n) => ({ id, at: 10 * n, length: 9 }))
    const pack = new Packed({ number: 1, replacing: null }, 'x.json', packRows(lines), { logs: new Set() })
    order.insert(pack)
    for (const [row, id] of own.entries()) {
      ids.add(id)
      if (!isAnother(0.3) && !(first === 120)) continue
      order.removeAt(pack, row)
      ids.delete(id)
      if (isAnother(0.5)) loose.add(entry(id))
    }
  }
  for (let n = 1; n < 420; n += 2) if (isAnother(0.2)) loose.add(entry(idOf(n)))
  for (const { id } of loose) ids.add(id)
  return { order, ids: [...ids].sort() }
}

test('every slice of packs and loose records has the records of its positions', () => {
  for (let round = 0; round < 20; round++) {
    const { order, ids } = makeOrder((share) => Math.random() < share)
    expect(order.size).toBe(ids.length)
    for (let start = 0; start <= ids.length; start++) {
      const end = start + 1 + (start % 50)
      expect(order.slice(start, end).map(({ id }) => id)).toEqual(ids.slice(start, end))
    }
  }
})
