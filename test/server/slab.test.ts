import { expect, it } from 'vitest'
import { createSlab } from '../../src/server/slab.ts'

it('keeps copies, many in one buffer, and a large one in its own', () => {
  const slab = createSlab(10)
  const given = Buffer.from('abcdef')
  const [first, second, large] = [
    slab.put(given),
    slab.put(Buffer.from('ghij')),
    slab.put(Buffer.alloc(25, 'x')),
  ]
  const last = slab.put(Buffer.from('k'))
  given.fill('-')
  expect([first, second, last].map(String)).toEqual(['abcdef', 'ghij', 'k'])
  expect(second.buffer).toBe(first.buffer)
  expect(large.toString()).toBe('x'.repeat(25))
  expect(large.buffer).not.toBe(first.buffer)
})
