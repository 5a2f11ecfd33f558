import { afterEach, describe, expect, it } from 'vitest'
import { openProjects, run, runVitest } from '../testing/_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const send = `await localpost.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Hi' })`

describe('a project of its own', () => {
  it('uses the fixture, in many files at once, with options of each', async () => {
    const file = (options: string, check: string): string =>
      `import { test, expect } from 'localpost/vitest'
       ${options}
       test('sends', async ({ localpost }) => {
         ${check}
         ${send}
         await expect(localpost).toHaveSent({ to: 'ada@example.com', count: 1 })
       })
       test('begins with an empty inbox', async ({ localpost }) => {
         await expect(localpost).not.toHaveSent()
       })`
    const dir = projects.make({
      'one.test.js': file('', `expect(localpost.apiKey).toMatch(/^lp_/)`),
      'two.test.js': file(
        `test.override({ localpostOptions: { apiKeys: ['two'] } })`,
        `expect(localpost.apiKey).toBe('two')`,
      ),
      'three.test.js': file('', ''),
    })
    const { status, output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+6 passed/)
    expect(output).not.toContain('not closed')
    expect(status).toBe(0)
  })

  it.each(['forks', 'threads'])('shows the nearest mail where one is missing, in %s', async (pool) => {
    const dir = projects.make({
      'missing.test.js': `import { test, expect } from 'localpost/vitest'
        test('greets', async ({ localpost }) => {
          ${send}
          await expect(localpost).toHaveSent({ to: 'ada@example.com', subject: 'Goodbye', timeoutMs: 50 })
        })`,
    })
    const { status, output } = await runVitest(dir, `--pool=${pool}`)
    expect(status).toBe(1)
    expect(output).toContain(
      'Expected mail { to: "ada@example.com", subject: "Goodbye" } to have been sent within 50 ms',
    )
    expect(output).toMatch(/-\s+"subject": "Goodbye"/)
    expect(output).toMatch(/\+\s+"subject": "Welcome"/)
  })

  it('reports the missing mail before the time limit of the test', async () => {
    const dir = projects.make({
      'slow.test.js': `import { test, expect } from 'localpost/vitest'
        test.concurrent('matcher', async ({ localpost }) => {
          ${send}
          await expect(localpost).toHaveSent({ subject: 'Goodbye' })
        })
        test.concurrent('event', async ({ localpost }) => {
          ${send}
          await expect(localpost).toHaveEvent({ status: 'opened' })
        })
        test.concurrent('wait', async ({ localpost }) => {
          ${send}
          await localpost.inbox.waitFor({ subject: 'Goodbye' })
        })`,
    })
    const { status, output } = await runVitest(dir)
    expect(output).toContain('Expected mail { subject: "Goodbye" } to have been sent within 3000 ms')
    expect(output).toContain('Expected an event { status: "opened" } within 3000 ms')
    expect(output).toMatch(/No mail for \{ subject: "Goodbye" \} within 3000 ms\. The nearest misses: em_/)
    expect(output).not.toContain('Test timed out')
    expect(status).toBe(1)
  })

  it.each(['forks', 'threads'])(
    'ends although an instance was left open, and prints where it was started, in %s',
    async (pool) => {
      const dir = projects.make({
        'left.test.js': `import { test } from 'vitest'
        import { startForTest } from 'localpost/vitest'
        test('forgets', async () => {
          const localpost = await startForTest()
          await localpost.listen()
          ${send}
        })`,
        'plain.test.js': `import { test } from 'vitest'
        import { createLocalpost } from 'localpost'
        test('forgets', async () => {
          const localpost = await createLocalpost()
          await localpost.listen()
          ${send}
        })`,
      })
      const { status, output } = await runVitest(dir, `--pool=${pool}`)
      expect(output).toMatch(/Tests\s+2 passed/)
      expect(output).toMatch(/an instance was not closed\. It was started at .*left\.test\.js:4/)
      expect(status).toBe(0)
    },
  )

  it.each(['list', 'parallel', 'stack'])(
    'names each file that left an instance open in a shared worker, and no other, with hooks as %s',
    async (hooks) => {
      const file = `import { createLocalpost } from 'localpost'
        import { test } from 'localpost/vitest'
        test('forgets', async () => {
          const localpost = await createLocalpost()
          ${send}
        })`
      const dir = projects.make({
        'one.test.js': file,
        'two.test.js': file,
        'closed.test.js': `import { afterAll, beforeAll } from 'vitest'
          import { startForTest, test } from 'localpost/vitest'
          let localpost
          beforeAll(async () => { localpost = await startForTest() })
          afterAll(() => localpost.close())
          test('sends', async () => { ${send} })`,
      })
      const { status, output } = await runVitest(
        dir,
        '--no-isolate',
        '--maxWorkers=1',
        `--sequence.hooks=${hooks}`,
      )
      const places = [...output.matchAll(/was not closed\. It was started at .*?(\w+\.test\.js:\d+)/g)]
      expect(places.map(([, place]) => place).sort()).toEqual(['one.test.js:4', 'two.test.js:4'])
      expect(status).toBe(0)
    },
  )

  it('exits in node:test although instances are open, and reports where, also below a path with a space', async () => {
    const dir = projects.make({
      'sp ace.test.js': `import { test } from 'node:test'
        import { createLocalpost } from 'localpost'
        import { useLocalpost } from 'localpost/testing'
        useLocalpost({ beforeEach: (run) => test('begins', run), afterEach() {} })
        test('forgets', async () => {
          const localpost = await createLocalpost()
          await localpost.listen()
          ${send}
        })`,
    })
    const { status, output } = await run(dir, '--test', 'sp ace.test.js')
    expect(output).toMatch(/was not closed\. It was started at .*sp(?: |%20)ace\.test\.js:4/)
    expect(output).toMatch(/was not closed\. It was started at .*sp(?: |%20)ace\.test\.js:6/)
    expect(status).toBe(0)
  })

  it('works in node:test, and exits although an instance is open', async () => {
    const dir = projects.make({
      'plain.test.js': `import { afterEach, beforeEach, test } from 'node:test'
        import { assertSent, startForTest, useLocalpost } from 'localpost/testing'
        const given = useLocalpost({ beforeEach, afterEach })
        test('sends', async () => {
          const localpost = given()
          ${send}
          await assertSent(localpost, { to: 'ada@example.com' })
        })
        test('misses', async () => {
          await assertSent(given(), { to: 'ada@example.com', timeoutMs: 20 })
        })
        test('forgets', async () => {
          const localpost = await startForTest()
          ${send}
        })`,
    })
    const { status, output } = await run(dir, '--test', 'plain.test.js')
    expect(output).toMatch(/# pass 2\n# fail 1|ℹ pass 2\nℹ fail 1/)
    expect(output).toContain('but no mail was sent at all')
    expect(output).toMatch(/an instance was not closed\. It was started at .*plain\.test\.js:13/)
    expect(status).toBe(1)
  })
})
