import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { createIds, isId } from '../../src/core/ids.ts'

const clockAt = (times: number[]): Clock => ({ now: () => times.shift() ?? 0, after: () => () => {} })

describe('ids', () => {
  it('sort by the order in which they were made, also within a millisecond', () => {
    const ids = createIds(clockAt(Array.from({ length: 5000 }, (_, i) => 1000 + Math.floor(i / 100))))
    const made = Array.from({ length: 5000 }, () => ids.next('em'))
    expect([...made].sort()).toEqual(made)
    expect(new Set(made).size).toBe(5000)
  })

  it('also increase when the clock moves back', () => {
    const ids = createIds(clockAt([5000, 4000, 3000, 5001]))
    const made = [1, 2, 3, 4].map(() => ids.next('em'))
    expect([...made].sort()).toEqual(made)
  })

  it('are greater than any id of an earlier run, whatever the clock says', () => {
    const earlier = createIds(clockAt([9_000_000_000_000])).next('dom')
    const ids = createIds(clockAt([1000, 1000]))
    ids.raiseTo(earlier)
    ids.raiseTo('no id at all')
    const id = ids.next('em')
    expect(id.slice(3) > earlier.slice(4)).toBe(true)
    expect(ids.next('em') > id).toBe(true)
  })

  it('request random bytes rarely, and use all of them', () => {
    const asked: number[] = []
    let next = 0
    const random = (n: number): Uint8Array => {
      asked.push(n)
      return Uint8Array.from({ length: n }, () => next++ % 32)
    }
    const ids = createIds(clockAt([]), () => random)
    const tails = Array.from({ length: 8 }, () => ids.next('em').slice(-8))
    expect(asked).toHaveLength(1)
    expect(tails).toEqual(
      Array.from({ length: 8 }, (_, i) => ['01234567', '89abcdef', 'ghjkmnpq', 'rstvwxyz'][i % 4]),
    )
  })

  it('begin with the prefix of their resource', () => {
    const id = createIds(clockAt([1])).next('em')
    expect(id).toMatch(/^em_[0-9a-hjkmnp-tv-z]{22}$/)
    expect(isId('em', id)).toBe(true)
    expect(isId('dom', id)).toBe(false)
    expect(isId('em', 'em_x')).toBe(false)
  })
})
