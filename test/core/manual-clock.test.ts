import { describe, expect, it } from 'vitest'
import { createClock, fixedClock } from '../../src/core/manual-clock.ts'
import { createLocalpost, systemClock } from '../../src/index.ts'
import { resolveOptions, type LocalpostOptions } from '../../src/options/options.ts'

describe('a manual clock', () => {
  it('counts in fractions of a millisecond and stores whole milliseconds', async () => {
    const parts = { ...systemClock, now: () => 1_700_000_000_000.25 + performance.now() }
    await using post = await createLocalpost({ clock: parts })
    expect(Number.isInteger(post.clock.now())).toBe(true)
    const { id } = await post.domains.create({ name: 'acme.test' })
    await post.domains.verify(id, { status: 'SUCCESS' })
    await post.domains.update(id, { is_warmed_up: true })
    await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
    const mail = await post.inbox.waitFor()
    await expect.poll(async () => (await post.inbox.get(mail.id)).last_event.status).toBe('delivered')
    const audience = await post.audiences.create({ name: 'All' })
    await post.audiences.contacts.add(audience.id, { email: 'ada@example.com' })
    const stored = [
      await post.emails.list(),
      await post.emails.get(mail.id),
      await post.inbox.get(mail.id),
      await post.domains.get(id),
      await post.audiences.list(),
      await post.audiences.contacts.list(audience.id),
    ]
    expect(JSON.stringify(stored)).not.toMatch(/":\d+\.\d/)
  })

  it('moves by whole milliseconds', async () => {
    const clock = fixedClock(1000)
    let at = 0
    clock.after(0.2, () => (at = clock.now()))
    await clock.advance(1.4)
    expect([clock.now(), at]).toEqual([1001, 1001])
  })

  it('refuses a time that no date can hold', async () => {
    const clock = fixedClock(0)
    await expect(clock.advance(8.64e15 + 2)).rejects.toMatchObject({ code: 'invalid_option' })
    await clock.advance(5)
    expect(clock.now()).toBe(5)
  })

  it.each([null, true, {}])('refuses to start at %o', (now) => {
    const given: object = { now }
    expect(() => createClock(given)).toThrow(/A clock starts at/)
  })

  it.each([{ now: () => 0 }, { now: 0, after: 0 }, {}])(
    'without its two functions is refused: %o',
    (clock) => {
      const given: object = { clock }
      expect(() => resolveOptions(given as LocalpostOptions)).toThrow(/"clock".*now\(\) and after\(\)/)
    },
  )
})
