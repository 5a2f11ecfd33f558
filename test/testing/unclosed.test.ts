import { afterEach, describe, expect, it } from 'vitest'
import { blocksFor } from '../docs/blocks.ts'
import { sampleOf } from '../support/long.ts'
import { openProjects, run, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const forget = (more = ''): string =>
  `const localpost = await createLocalpost(${more})
   await localpost.listen()
   await localpost.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Hi' })
   await localpost.inbox.waitFor({ subject: 'Welcome' })`

const plain = (runner: string): string => `import { test } from '${runner}'
import { createLocalpost } from 'localpost'
test('forgets', async () => {
   ${forget()}
})
test('closes', async () => {
  const localpost = await createLocalpost()
  await localpost.close()
})`

const places = (output: string): string[] =>
  [
    ...output.matchAll(
      /localpost: an instance was not closed\. It was started at .*?(\w+(?:\.test)?\.js:\d+)/g,
    ),
  ].map(([, place = '']) => place)

describe('an open instance at the end of a test file that imports `localpost` only,', () => {
  it.each(sampleOf(['forks', 'threads', 'vmThreads'], 1))(
    'lets vitest exit, and is named, in %s',
    async (pool) => {
      const dir = projects.make({ 'one.test.js': plain('vitest'), 'two.test.js': plain('vitest') })
      const { status, output } = await runVitest(dir, `--pool=${pool}`)
      expect(output).toMatch(/Tests\s+4 passed/)
      expect(places(output).sort()).toEqual(['one.test.js:4', 'two.test.js:4'])
      expect(status).toBe(0)
    },
  )

  it('lets vitest exit where it belongs to the global set-up, and is named', async () => {
    const dir = projects.make({
      'setup.js': `import { createLocalpost } from 'localpost'
        export default async () => {
          ${forget()}
        }`,
      'vitest.config.js': `export default { test: { globalSetup: './setup.js' } }`,
      'one.test.js': `import { test } from 'vitest'
        test('passes', () => {})`,
    })
    const { status, output } = await runVitest(dir)
    expect(output).toMatch(/Tests\s+1 passed/)
    expect(output).not.toContain('timed out')
    expect(places(output)).toEqual(['setup.js:3'])
    expect(status).toBe(0)
  })

  it.each([['--test', 'plain.test.js'], ['plain.test.js']])(
    'lets node:test end, and is named: node %s',
    async (...args) => {
      const dir = projects.make({ 'plain.test.js': plain('node:test') })
      const { status, output } = await run(dir, ...args)
      expect(output).toMatch(/pass 2\b/)
      expect(places(output)).toEqual(['plain.test.js:4'])
      expect(status).toBe(0)
    },
  )

  it('lets the process exit where a relay received mail, although its connection is open', async () => {
    const dir = projects.make({
      'plain.test.js': `import { test } from 'node:test'
        import { createLocalpost } from 'localpost'
        test('forgets', async () => {
          const far = await createLocalpost()
          const post = await createLocalpost({ relay: 'smtp://127.0.0.1:' + far.smtp.port })
          await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Welcome', text: 'Hi' })
          const { id } = await post.inbox.waitFor({ to: 'ada@example.com' })
          await post.inbox.release(id, { to: 'eve@example.com' })
          await far.inbox.waitFor({ to: 'eve@example.com' })
          setTimeout(() => console.log('stayed'), 5000).unref()
        })`,
    })
    const { status, output } = await run(dir, 'plain.test.js')
    expect(output).toMatch(/pass 1\b/)
    expect(output).not.toContain('stayed')
    expect(places(output)).toEqual(['plain.test.js:4', 'plain.test.js:5'])
    expect(status).toBe(0)
  })

  it('lets the main process of Jest exit, where it belongs to the global set-up, and is named', async () => {
    const dir = projects.make({
      'jest.js': `import { createLocalpost } from 'localpost'\n${forget()}`,
    })
    const { status, output } = await run(dir, 'jest.js')
    expect(places(output)).toEqual(['jest.js:2'])
    expect(status).toBe(0)
  })

  it('is named as in the guide', async () => {
    const shown = blocksFor('shown').find(({ code }) => code.startsWith('localpost:'))
    const dir = projects.make({ 'mail.test.js': plain('node:test') })
    const { output } = await run(dir, 'mail.test.js')
    const said = output.split('\n').find((line) => line.startsWith('localpost:'))
    expect(said?.replace(/file:.*(?=\/mail)/, 'file:///app')).toBe(shown?.code.trim())
  })

  it('does not hide that a test failed', async () => {
    const dir = projects.make({
      'plain.test.js': `${plain('node:test')}\ntest('fails', () => { throw new Error('as it should') })`,
    })
    const { status, output } = await run(dir, '--test', 'plain.test.js')
    expect(output).toContain('as it should')
    expect(places(output)).toEqual(['plain.test.js:4'])
    expect(status).toBe(1)
  })
})

describe('an instance outside a test', () => {
  // The timer does not keep the process alive: it fires only if the instance does.
  const app = (options: string): string =>
    `import { createLocalpost } from 'localpost'
     const localpost = await createLocalpost(${options})
     await localpost.listen()
     setTimeout(() => {
       console.log('stayed')
       localpost.close()
     }, 500).unref()`

  it.each(['vitest', 'node:test'])(
    'keeps its process alive, also where a test of %s started the process',
    async (runner) => {
      const dir = projects.make({
        'server.js': app(''),
        'app.test.js': `import assert from 'node:assert/strict'
        import { spawnSync } from 'node:child_process'
        import { test } from '${runner}'
        test('starts an app', () => {
          const { status, stdout, stderr } = spawnSync('${process.execPath}', ['server.js'], { encoding: 'utf8' })
          assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: 'stayed\\n', stderr: '' })
        })`,
      })
      const { status, output } =
        runner === 'vitest' ? await runVitest(dir) : await run(dir, '--test', 'app.test.js')
      expect(output).toMatch(/(?:pass|Tests) +1\b/)
      expect(status).toBe(0)
    },
  )
})

it('an instance in a test keeps its process alive where the option says so', async () => {
  const dir = projects.make({
    'plain.test.js': `import { test } from 'node:test'
      import { createLocalpost } from 'localpost'
      test('stays', async () => {
        const localpost = await createLocalpost({ keepAlive: true })
        setTimeout(() => {
          console.log('stayed')
          localpost.close()
        }, 500).unref()
      })
      test('causes no message', async () => {
        await createLocalpost({ keepAlive: undefined })
      })`,
  })
  const { status, output } = await run(dir, 'plain.test.js')
  expect(output).toContain('stayed')
  expect(places(output)).toEqual(['plain.test.js:11'])
  expect(status).toBe(0)
})
