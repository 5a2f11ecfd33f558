import { expect, it } from 'vitest'
import { createShelf } from '../../src/server/slab.ts'

it('keeps copies, many on one board, and a large one on its own', () => {
  const shelf = createShelf(10)
  const given = Buffer.from('abcdef')
  const [first, second, large] = [
    shelf.put(given),
    shelf.put(Buffer.from('ghij')),
    shelf.put(Buffer.alloc(25, 'x')),
  ]
  const last = shelf.put(Buffer.from('k'))
  given.fill('-')
  expect([first, second, last].map(String)).toEqual(['abcdef', 'ghij', 'k'])
  expect(second.buffer).toBe(first.buffer)
  expect(large.toString()).toBe('x'.repeat(25))
  expect(large.buffer).not.toBe(first.buffer)
})
