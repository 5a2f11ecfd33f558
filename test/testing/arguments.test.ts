import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as client from '../../src/client/index.ts'
import * as library from '../../src/index.ts'
import type { Localpost } from '../../src/index.ts'
import * as playwright from '../../src/playwright/index.ts'
import * as testing from '../../src/testing/index.ts'
import * as fixture from '../../src/vitest/index.ts'

type Method = (...given: unknown[]) => unknown

let post: Localpost
let account: testing.TestAccount
beforeAll(async () => {
  post = await testing.startForTest({ waitTimeoutMs: 20 })
  account = await testing.openAccount({ url: (await post.listen()).url })
})
afterAll(() => post.close())

/** What takes whatever it is given: hooks, frameworks and `expect.extend` hand over more. */
const lenient = ['close', 'fetch', 'expect', 'test']

function functionsOf(object: object, path = ''): [name: string, method: Method][] {
  return Object.entries(object).flatMap(([key, value]: [string, unknown]): [string, Method][] => {
    const name = path === '' ? key : `${path}.${key}`
    if (typeof value !== 'function')
      return typeof value === 'object' && value !== null ? functionsOf(value, name) : []
    const isClass = value.toString().startsWith('class ')
    return isClass || lenient.includes(name) ? [] : [[name, value.bind(object) as Method]]
  })
}

const without = <Module extends object>(module: Module, ...names: string[]): object =>
  Object.fromEntries(Object.entries(module).filter(([name]) => !names.includes(name)))

const modules: Record<string, () => object> = {
  localpost: () => without(library, 'systemClock', 'errorTable'),
  'localpost/testing': () => testing,
  'localpost/vitest': () => without(fixture, 'test', 'expect'),
  'localpost/playwright': () => without(playwright, 'localpostFixtures'),
  'localpost/client': () => client,
  'an instance': () => without(post, 'apiKey', 'smtp', 'url'),
  'an account of a test': () => without(account, 'apiKey', 'smtp', 'url'),
  'a client': () => client.createClient({ baseUrl: 'http://localpost', apiKey: 'x', fetch: post.fetch }),
  'a clock': () => ({ advance: library.fixedClock(0).advance }),
}

async function attempt(run: () => unknown): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    return error
  }
}

describe.each(Object.entries(modules))('every function of %s', (_, functions) => {
  it('refuses an argument that it does not take', async () => {
    const all = functionsOf(functions())
    expect(all.length).toBeGreaterThan(0)
    for (const [name, call] of all) {
      // More arguments than any of them takes.
      const given = [undefined, undefined, undefined, undefined, { timeoutMs: 5 }]
      const said = await attempt(() => call(...given))
      expect([name, said]).toMatchObject([
        name,
        {
          message: expect.stringMatching(
            / takes (?:no arguments|at most \d arguments?), not \{"timeoutMs":5\}/,
          ),
        },
      ])
    }
  })
})

describe('arguments', () => {
  it('that are undefined, and those that arrays hand over, are no reason to refuse', async () => {
    const ids = await Promise.all(
      [1, 2].map(() => post.inbox.import(Buffer.from('Subject: x\r\n\r\nx')).then(({ id }) => id)),
    )
    expect(await Promise.all(ids.map(post.inbox.get))).toHaveLength(2)
    expect(await (post.inbox.mark as Method)(undefined)).toBeDefined()
    await expect((post.inbox.get as Method)(ids[0], 0, ids)).resolves.toBeDefined()
    await expect((post.inbox.get as Method)(ids[0], 1, ids)).rejects.toThrow('at most 1 argument, not 1')
  })

  it('that are the options of what does not wait are refused with that', async () => {
    await expect((post.inbox.latest as Method)({ to: 'eve' }, { timeoutMs: 5 })).rejects.toThrow(
      'inbox.latest() takes at most 1 argument, not {"timeoutMs":5}. It does not wait.',
    )
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
