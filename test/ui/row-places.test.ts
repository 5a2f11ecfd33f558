import { expect, it } from 'vitest'
import { placeRows } from '../../ui/views/inbox/row-places.ts'

it('rows are below the headings that are above them, and every distance finds its row', () => {
  const places = placeRows(50, 10, [0, 3, 4])
  expect([0, 1, 2, 3, 4, 5].map(places.topOf)).toEqual([10, 60, 110, 170, 230, 280])
  // A heading belongs to the row below it.
  for (const [distance, row] of [
    [0, 0],
    [10, 0],
    [59, 0],
    [60, 1],
    [159, 2],
    [160, 3],
    [170, 3],
    [219, 3],
    [220, 4],
    [280, 5],
    [1030, 20],
  ] as const)
    expect(places.indexAt(distance), String(distance)).toBe(row)
  expect([0, 2, 3, 4].map(places.nextHeading)).toEqual([160, 160, 220, null])
})

it('rows that are not loaded have no headings', () => {
  const places = placeRows(50, 10, [])
  expect([0, 7].map(places.topOf)).toEqual([0, 350])
  expect([0, 49, 50, 399].map(places.indexAt)).toEqual([0, 0, 1, 7])
  expect(places.nextHeading(0)).toBe(null)
})
