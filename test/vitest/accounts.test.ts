import { afterEach, describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { openProjects, runVitestWith } from '../testing/_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

const send = `await localpost.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Hi' })`

describe('accounts of a project of its own', () => {
  it('are those of each file, empty before each test, and removed also after a failed test', async () => {
    const post = await start()
    const { url } = await post.listen()
    const file = (settings: string, end: string): string =>
      `import { createAccountTest, expect } from 'localpost/vitest'
       const test = createAccountTest(${settings})
       test('sends', async ({ localpost, localpostUrl }) => {
         expect(localpostUrl).toBe(${JSON.stringify(url)})
         ${send}
         await expect(localpost).toHaveSent({ to: 'ada@example.com', count: 1 })
         console.log('account ' + localpost.name)
       })
       test('begins with an empty inbox', async ({ localpost }) => {
         await expect(localpost).not.toHaveSent()
         console.log('account ' + localpost.name)
         ${end}
       })`
    const dir = projects.make({
      'one.test.js': file('', ''),
      'two.test.js': file(
        `{ url: ${JSON.stringify(url)}, ttlMs: 60_000, scope: 'worker' }`,
        `throw new Error('on purpose')`,
      ),
      'three.test.js': file(`{ scope: 'test' }`, ''),
      'concurrent.test.js': `import { createAccountTest, expect } from 'localpost/vitest'
       const test = createAccountTest()
       test.concurrent('shares', async ({ localpost }) => {})
       const each = createAccountTest({ scope: 'test' })
       each.concurrent('has its own', async ({ localpost }) => {
         ${send}
         await expect(localpost).toHaveSent({ count: 1 })
       })`,
    })
    const variables = { LOCALPOST_URL: url, LOCALPOST_API_KEY: post.apiKey }
    const { status, output } = await runVitestWith(variables, dir)
    const made = [...output.matchAll(/account (account-\w+)/g)].map(([, name]) => name)
    expect(output).toMatch(/Tests\s+2 failed \| 6 passed/)
    expect(output).toContain('on purpose')
    expect(output).toContain('the scope "file" of createAccountTest() gives all of them one account')
    // Each file has one; with the scope `test` each test.
    expect([made.length, new Set(made).size]).toEqual([6, 4])
    expect(status).toBe(1)
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default'])
    expect((await post.inbox.list()).count).toBe(0)
  })

  it('fail their tests with the reason where there is no server', async () => {
    const dir = projects.make({
      'one.test.js': `import { createAccountTest } from 'localpost/vitest'
       createAccountTest()('sends', async ({ localpost }) => { ${send} })`,
    })
    const { status, output } = await runVitestWith({ LOCALPOST_URL: 'http://127.0.0.1:1' }, dir)
    expect(output).toMatch(/POST http:\/\/127\.0\.0\.1:1\/dev\/accounts failed: .*LOCALPOST_URL/)
    expect(status).toBe(1)
  })
})
