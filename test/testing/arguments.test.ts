import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import * as testing from '../../src/testing/index.ts'
import * as fixture from '../../src/vitest/index.ts'

type Method = (...given: unknown[]) => unknown

let post: Localpost
beforeAll(async () => {
  post = await testing.startForTest({ waitTimeoutMs: 20 })
})
afterAll(() => post.close())

describe('arguments', () => {
  it('that arrays hand over to a method are no reason to refuse', async () => {
    const ids = await Promise.all(
      [1, 2].map(() => post.inbox.import(Buffer.from('Subject: x\r\n\r\nx')).then(({ id }) => id)),
    )
    expect(await Promise.all(ids.map(post.inbox.get))).toHaveLength(2)
  })

  it('that are options in a query are refused with their place', async () => {
    await expect(post.inbox.waitFor({ timeoutMs: 5 } as object)).rejects.toThrow(
      'timeoutMs is not a member of a query but an option: waitFor(query, { timeoutMs }).',
    )
  })

  it('of fetch are those of a Request', async () => {
    await expect((post.fetch as unknown as Method)('http://localpost/v1/emails', {})).rejects.toThrow(
      'fetch() takes a Request, not "http://localpost/v1/emails"',
    )
    expect(
      (await (post.fetch as Method)(new Request('http://localpost/dev/health'), {}, {})) as Response,
    ).toMatchObject({
      status: 200,
    })
  })
})

const wanted = { to: 'eve@example.com' }
const waits: Record<string, (expectation: object | undefined, ...options: unknown[]) => unknown> = {
  assertSent: (...given) => Reflect.apply(testing.assertSent, null, [post, ...given]),
  assertEvent: (...given) => Reflect.apply(testing.assertEvent, null, [post, ...given]),
  toHaveSent: (...given) => {
    const expectation = fixture.expect(post)
    return Reflect.apply(expectation.toHaveSent, expectation, given)
  },
  toHaveEvent: (...given) => {
    const expectation = fixture.expect(post)
    return Reflect.apply(expectation.toHaveEvent, expectation, given)
  },
}
const opposites: typeof waits = {
  assertNotSent: (...given) => Reflect.apply(testing.assertNotSent, null, [post, ...given]),
  assertNoEvent: (...given) => Reflect.apply(testing.assertNoEvent, null, [post, ...given]),
  'not.toHaveSent': (...given) => {
    const expectation = fixture.expect(post).not
    return Reflect.apply(expectation.toHaveSent, expectation, given)
  },
  'not.toHaveEvent': (...given) => {
    const expectation = fixture.expect(post).not
    return Reflect.apply(expectation.toHaveEvent, expectation, given)
  },
}

describe('timeoutMs as an argument of its own', () => {
  it.each(Object.entries(waits))('is the time of %s', async (_, check) => {
    await expect(check(wanted, { timeoutMs: 7 })).rejects.toThrow('within 7 ms')
    await expect(check({ ...wanted, timeoutMs: 8 })).rejects.toThrow('within 8 ms')
    await expect(check({ id: 'em_none' }, { timeoutMs: 9 })).rejects.toThrow('within 9 ms')
  })

  it.each(Object.entries(opposites))('is how long nothing may come in %s', async (_, check) => {
    const start = performance.now()
    await check(wanted, { timeoutMs: 30 })
    expect(performance.now() - start).toBeGreaterThan(25)
  })

  it.each(Object.entries({ ...waits, ...opposites }))(
    'is refused in %s where it is none',
    async (_, check) => {
      await expect(check(wanted, { timeout: 7 })).rejects.toThrow(
        'has no member "timeout". Did you mean "timeoutMs"?',
      )
      await expect(check(wanted, { timeoutMs: '7' })).rejects.toThrow(
        'takes a number of milliseconds from 0, not "7"',
      )
      await expect(check(wanted, 7)).rejects.toThrow(
        'is described by an object with some of timeoutMs, not by 7',
      )
      await expect(check({ ...wanted, timeoutMs: 5 }, { timeoutMs: 7 })).rejects.toThrow('Give it only once')
      await expect(check([] as object, { timeoutMs: 7 })).rejects.toThrow('not by []')
    },
  )
})
