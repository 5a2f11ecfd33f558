import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, describe, expect, it } from 'vitest'
import { startForTest } from '../../src/testing/index.ts'
import { createRunningTests } from '../../src/testing/running.ts'
import { sampleOf } from '../support/long.ts'
import { openProjects, run, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

// Each test sends to an address of its own, waits until all have sent, and must find its own mail and no other.
const meet = `
  let waiting = []
  const allHere = (count) => new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === count) for (const go of waiting.splice(0)) go()
  })
  const sendAndLook = async (find, name, count) => {
    const post = find()
    await post.emails.send({ from: 'hi@acme.test', to: name + '@example.com', subject: 'Hi', text: 'Hello' })
    await allHere(count)
    const { items } = await post.inbox.list()
    if (find() !== post || items.length !== 1 || items[0].to[0] !== name + '@example.com')
      throw new Error('not its own: ' + JSON.stringify(items.map(({ to }) => to)))
  }`

const ways = [
  [
    'test.concurrent',
    (body: string) => ['ada', 'bob', 'eve'].map((name) => `test.concurrent('${name}', ${body})`).join('\n'),
  ],
  [
    'describe.concurrent',
    (body: string) =>
      `describe.concurrent('some', () => { ${['ada', 'bob', 'eve'].map((name) => `test('${name}', ${body})`).join('\n')} })`,
  ],
] as const

describe.each(sampleOf(ways, 1))('%s of vitest', (_, written) => {
  it('gives each test its own instance by the context', async () => {
    const dir = projects.make({
      'own.test.js': `import { afterEach, beforeEach, describe, test } from 'vitest'
        import { useLocalpost } from 'localpost/testing'
        ${meet}
        const localpost = useLocalpost({ beforeEach, afterEach })
        ${written(`async (t) => sendAndLook(() => localpost(t), t.task.name, 3)`)}`,
    })
    const { output, status } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+3 passed/)
    expect(output).not.toContain('not closed')
    expect(status).toBe(0)
  })

  it('refuses to guess, in every test, where the context is missing', async () => {
    const dir = projects.make({
      'guess.test.js': `import { afterEach, beforeEach, describe, test } from 'vitest'
        import { useLocalpost } from 'localpost/testing'
        const localpost = useLocalpost({ beforeEach, afterEach })
        ${written('async () => void localpost()')}`,
    })
    const { output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+3 failed/)
    expect(output).toContain('localpost() cannot tell which one asks. Hand over the context of the test')
  })

  it('gives each its own by the fixture, and refuses a shared one', async () => {
    const dir = projects.make({
      'fixture.test.js': `import { describe } from 'vitest'
        import { test } from 'localpost/vitest'
        ${meet}
        ${written(`async ({ localpost, task }) => sendAndLook(() => localpost, task.name, 3)`)}`,
      'shared.test.js': `import { describe } from 'vitest'
        import { createTest } from 'localpost/vitest'
        const test = createTest({ scope: 'file' })
        ${written(`async ({ localpost }) => void localpost`)}`,
      'hooks.test.js': `import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest'
        import { useLocalpost } from 'localpost/testing'
        const localpost = useLocalpost({ beforeAll, beforeEach, afterEach, afterAll })
        ${written('async (t) => void localpost(t)')}
        test('alone', async () => void localpost())`,
    })
    const { output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+6 failed \| 4 passed/)
    expect(output).toContain('Use the scope "test": then each test has its own.')
    expect(output).toContain('Without these two hooks, each test has its own instance.')
  })
})

describe('tests of node:test that run at the same time', () => {
  it('have their own instance by the context, or an error', async () => {
    const dir = projects.make({
      'own.test.js': `import { afterEach, beforeEach, describe, test } from 'node:test'
        import { useLocalpost } from 'localpost/testing'
        ${meet}
        describe('some', { concurrency: true }, () => {
          const localpost = useLocalpost({ beforeEach, afterEach })
          for (const name of ['ada', 'bob', 'eve']) test(name, async (t) => sendAndLook(() => localpost(t), name, 3))
        })`,
      'guess.test.js': `import { afterEach, beforeEach, describe, test } from 'node:test'
        import { useLocalpost } from 'localpost/testing'
        ${meet}
        describe('some', { concurrency: true }, () => {
          const localpost = useLocalpost({ beforeEach, afterEach })
          for (const name of ['ada', 'bob', 'eve']) test(name, async () => { await allHere(3); localpost() })
        })`,
    })
    const own = await run(dir, '--test', 'own.test.js')
    expect(own.output).toMatch(/^# pass 3$|pass 3$/m)
    const guess = await run(dir, '--test', 'guess.test.js')
    expect(guess.output).toMatch(/fail 3$/m)
    expect(guess.output).toContain('Hand over the context of the test')
  })
})

describe('tests that cannot be distinguished', () => {
  it('keep every instance open until the last one ends', async () => {
    const tests = createRunningTests()
    await tests.begin(undefined, () => startForTest())
    await tests.begin(undefined, () => startForTest())
    expect(() => tests.find(undefined)).toThrow('cannot tell which one asks')
    expect(tests.end(undefined)).toEqual([])
    const ended = tests.end(undefined)
    expect(ended).toHaveLength(2)
    for (const post of ended) await post.close()
    expect(() => tests.find(undefined)).toThrow('There is no instance here')
  })

  it('are found by the name that Jest keeps of a concurrent one', async () => {
    const names = new AsyncLocalStorage<string>()
    const key = Symbol.for('$$jest-matchers-object')
    const { state } = Reflect.get(globalThis, key)
    state.currentConcurrentTestName = () => names.getStore()
    const tests = createRunningTests()
    try {
      const posts = await Promise.all(
        ['one', 'two'].map((name) =>
          names.run(name, async () => {
            await tests.begin(undefined, () => startForTest())
            return { post: tests.find(undefined), ended: () => names.run(name, () => tests.end(undefined)) }
          }),
        ),
      )
      // A version of Jest that runs the hooks elsewhere has begun none of this name.
      expect(() => names.run('three', () => tests.find(undefined))).toThrow('There is no instance here')
      for (const { post, ended } of posts) {
        expect(ended()).toEqual([post])
        await post.close()
      }
    } finally {
      delete state.currentConcurrentTestName
    }
  })
})
