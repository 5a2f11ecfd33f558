import { describe, expect, it } from 'vitest'
import { createClock, fixedClock } from '../src/held-clock.ts'
import { createIds, isId } from '../src/ids.ts'
import { resolveOptions, type LocalpostOptions } from '../src/options.ts'

describe('a clock', () => {
  it('that counts in parts of a millisecond gives ids of the right form', () => {
    const ids = createIds({ now: () => 1000.5, after: () => () => {} })
    expect(isId('em', ids.next('em'))).toBe(true)
  })

  it('that stands moves by whole milliseconds', async () => {
    const clock = fixedClock(1000)
    let at = 0
    clock.after(0.2, () => (at = clock.now()))
    await clock.advance(1.4)
    expect([clock.now(), at]).toEqual([1001, 1001])
  })

  it('moves to no time that no date can tell', async () => {
    const clock = fixedClock(0)
    await expect(clock.advance(8.64e15 + 2)).rejects.toMatchObject({ code: 'invalid_option' })
    await clock.advance(5)
    expect(clock.now()).toBe(5)
  })

  it.each([null, true, {}])('does not stand at %o', (now) => {
    const given: object = { now }
    expect(() => createClock(given)).toThrow(/A clock stands at/)
  })

  it.each([{ now: () => 0 }, { now: 0, after: 0 }, {}])(
    'without its two functions is refused: %o',
    (clock) => {
      const given: object = { clock }
      expect(() => resolveOptions(given as LocalpostOptions)).toThrow(/"clock".*now\(\) and after\(\)/)
    },
  )
})
