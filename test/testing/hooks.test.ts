import { describe, expect, it } from 'vitest'
import { matchers, useLocalpost } from '../../src/testing/index.ts'

/** The hooks of a framework that runs the given functions. */
function fakeHooks(): Record<
  'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll',
  (run: () => Promise<void>) => void
> & {
  run(name: 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll'): Promise<void>
} {
  const kept = new Map<string, () => Promise<void>>()
  const keep = (name: string) => (run: () => Promise<void>) => void kept.set(name, run)
  return {
    beforeAll: keep('beforeAll'),
    beforeEach: keep('beforeEach'),
    afterEach: keep('afterEach'),
    afterAll: keep('afterAll'),
    run: async (name) => kept.get(name)?.(),
  }
}

const hello = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }

describe('the hooks of any framework', () => {
  it('give each test an instance of its own', async () => {
    const { beforeEach, afterEach, run } = fakeHooks()
    const localpost = useLocalpost({ beforeEach, afterEach }, { apiKeys: ['mine'] })
    expect(() => localpost()).toThrow('beforeEach to afterEach')
    await run('beforeEach')
    const first = localpost()
    expect(first.apiKey).toBe('mine')
    await run('afterEach')
    await expect(first.emails.send(hello)).rejects.toMatchObject({ code: 'closed' })
    await run('beforeEach')
    expect(localpost()).not.toBe(first)
    await run('afterEach')
  })

  it('give a file one instance, and empty it before each test', async () => {
    const { run, ...hooks } = fakeHooks()
    const localpost = useLocalpost(hooks)
    await run('beforeAll')
    const first = localpost()
    await first.emails.send(hello)
    await run('beforeEach')
    expect(localpost()).toBe(first)
    expect((await first.emails.list()).count).toBe(0)
    await run('afterAll')
    await expect(first.emails.send(hello)).rejects.toMatchObject({ code: 'closed' })
  })

  it('are refused where one is missing', () => {
    const { beforeAll, beforeEach, afterEach, afterAll } = fakeHooks()
    expect(() => useLocalpost({ beforeAll, beforeEach, afterEach })).toThrow('beforeAll without afterAll')
    expect(() => useLocalpost({ afterAll, beforeEach, afterEach })).toThrow('afterAll without beforeAll')
  })
})

describe('a matcher', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [Promise.resolve(), 'a promise: await it first'],
    [[], 'an array'],
  ])('describes the received value, given %s', async (received, said) => {
    const { toHaveSent, toHaveEvent, toHaveLink, toHaveCode } = matchers
    for (const matcher of [toHaveSent, toHaveEvent, toHaveLink, toHaveCode])
      await expect((async () => Reflect.apply(matcher, {}, [received]))()).rejects.toThrow(
        new RegExp(`^${matcher.name} looks at .*${said}`),
      )
  })
})
