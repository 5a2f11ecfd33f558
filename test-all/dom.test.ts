import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createLocalpost } from '../src/index.ts'
import type { Localpost } from '../src/index.ts'
import { makeProject, type Project } from './project.ts'
import { runAll } from './run.ts'

const doms = ['happy-dom@21.0.4', 'jsdom@29.1.1']
const nodemailer = 'nodemailer@10.6.1'

/** Everything that passes a socket, a thread, a timer or a stream; `send` comes from nodemailer. */
const life = `
// nodemailer changes the attachments that it is given.
const mail = (subject) => ({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject, text: 'Your code is 482913.',
  attachments: [{ filename: 'a.txt', path: 'data:text/plain;base64,aGVsbG8=' }] })
const slow = { timeoutMs: 60_000 }
async function live(post, url) {
  expect(typeof document).toBe('object')
  const { id } = await post.emails.send(mail('One'))
  expect(await post.inbox.waitFor({ id }, slow)).toHaveCode('482913')
  await createTransport(post.smtp).sendMail(mail('Two'))
  await expect(post).toHaveSent({ to: 'ada@example.com', subject: 'Two' }, slow)
  const client = createClient({ url, apiKey: post.apiKey })
  const sent = await client.emails.send(mail('Three'))
  expect(await post.inbox.waitFor({ id: sent.id }, { ...slow, signal: new AbortController().signal })).toMatchObject({ subject: 'Three' })
  await post.inbox.check(id)
  const late = await post.inbox.waitFor({ to: 'bob' }, { timeoutMs: 20 }).catch((error) => error)
  expect([late.code, late instanceof Error]).toEqual(['wait_timeout', true])
  const lost = await post.inbox.get('em_0000000000000000000000').catch((error) => error)
  expect([lost.code, lost instanceof Error]).toEqual(['not_found', true])
}`

const vitestFiles = {
  'package.json': '{"private":true,"type":"module"}',
  // The client uses the global fetch, and that of happy-dom keeps to the origin of the page.
  'vitest.config.js': `export default { test: { testTimeout: 90_000, environmentOptions: { happyDOM: {
    settings: { fetch: { disableSameOriginPolicy: true } } } } } }`,
  'mail.test.js': `import { createTransport } from 'nodemailer'
import { createClient } from 'localpost/client'
import { createAccountTest, expect, test } from 'localpost/vitest'
${life}
test('an instance', async ({ localpost, localpostUrl }) => {
  await live(localpost, localpostUrl)
  let raw = ''
  const [{ id }] = (await localpost.inbox.list()).items
  for await (const piece of (await localpost.inbox.raw(id)).stream) raw += piece
  expect(raw).toContain('Three')
})
createAccountTest()('an account', async ({ localpost, localpostUrl }) => {
  await live(localpost, localpostUrl)
  expect((await localpost.fetch(new Request('http://localhost/dev/rules'))).status).toBe(200)
})`,
}

const jestFiles = {
  'mail.test.cjs': `const { afterEach, beforeEach, expect, test } = require('@jest/globals')
// nodemailer needs it, and jsdom has none.
globalThis.setImmediate ??= require('node:timers').setImmediate
const { createTransport } = require('nodemailer')
const { createClient } = require('localpost/client')
const { matchers, openAccount, useLocalpost } = require('localpost/testing')
expect.extend(matchers)
const localpost = useLocalpost({ beforeEach, afterEach })
${life}
test('an instance', async () => live(localpost(), (await localpost().listen()).url), 90_000)
test('an account', async () => {
  const account = await openAccount()
  await live(account, account.url)
  await account.close()
}, 90_000)`,
}

let server: Localpost
let url: string
const projects: Project[] = []
const made = async (
  files: Readonly<Record<string, string>>,
  install: readonly string[],
): Promise<Project> => {
  const project = await makeProject(files, [...install, nodemailer, inject('tarball')])
  projects.push(project)
  return project
}
beforeAll(async () => {
  server = await createLocalpost()
  ;({ url } = await server.listen())
})
afterAll(async () => {
  await server?.close()
  for (const project of projects) project.remove()
})

describe.each(['3.2.7', '4.1.12'])('in vitest %s', (version) => {
  let project: Project
  beforeAll(async () => {
    project = await made(vitestFiles, [`vitest@${version}`, ...doms])
  })

  const environments = ['happy-dom', 'jsdom'].flatMap((environment) =>
    ['threads', 'forks', 'vmThreads'].map((pool) => [environment, pool] as const),
  )
  it.each(environments)(
    'an instance and an account work in %s, with the pool %s',
    async (environment, pool) => {
      const args = ['vitest', 'run', '--environment', environment, '--pool', pool]
      const output = await runAll('npx', args, { cwd: project.dir, env: { LOCALPOST_URL: url } })
      expect(output).toMatch(/Tests\s+2 passed/)
    },
  )
})

describe('in Jest', () => {
  let project: Project
  beforeAll(async () => {
    project = await made(jestFiles, [
      'jest@30.5.2',
      'jest-environment-jsdom@30.5.2',
      'jest-fixed-jsdom@0.0.11',
    ])
  })

  it.each(['jsdom', 'jest-fixed-jsdom'])('an instance and an account work in %s', async (environment) => {
    const args = ['jest', '--env', environment, '--testMatch', '**/mail.test.cjs']
    const output = await runAll('npx', args, { cwd: project.dir, env: { LOCALPOST_URL: url } })
    expect(output).toMatch(/Tests:\s+2 passed/)
  })
})
