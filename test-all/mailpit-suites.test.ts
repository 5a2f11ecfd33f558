import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../src/index.ts'
import { findOnPath } from '../test/support/programs.ts'
import { makeProject } from './project.ts'
import { root, run } from './run.ts'
import { npmWith, pythonWith } from './tools.ts'

let post: Localpost
beforeAll(async () => {
  post = await createLocalpost({ requireKey: true })
  await post.listen()
})
afterAll(() => post?.close())

const program = (name: string): string => readFileSync(join(root, 'test-all/providers', name), 'utf8')
const toResults = (output: string): Record<string, unknown> =>
  Object.fromEntries(
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as [string, unknown]),
  )

it('cypress-mailpit 2.0.0 uses every command', async () => {
  const installed = await npmWith('cypress-mailpit', [
    'cypress-mailpit@2.0.0',
    '--legacy-peer-deps',
    '--ignore-scripts',
  ])
  const commands = readFileSync(
    join(installed, 'node_modules/cypress-mailpit/dist/src/MailpitCommands.js'),
    'utf8',
  )
  const files = { 'commands.mjs': commands, 'test.mjs': program('cypress-mailpit.mjs') }
  const project = await makeProject(files, ['nodemailer@7.0.13'])
  try {
    const env = {
      MAILPIT_URL: post.url ?? '',
      LOCALPOST_API_KEY: post.apiKey,
      SMTP_URL: `smtp://127.0.0.1:${post.smtp.port}`,
    }
    expect(toResults(await run('node', ['test.mjs'], { cwd: project.dir, env }))).toEqual({
      mailpitGetAllMails: 3,
      mailpitGetMail: ['Welcome', 'By SMTP'],
      mailpitSearchEmails: 2,
      mailpitGetEmailsBySubject: 1,
      mailpitGetEmailsByTo: 1,
      mailpitGetSubject: 'Welcome',
      mailpitGetFromAddress: 'from@example.com',
      mailpitGetRecipientAddress: ['jane@example.com'],
      mailpitGetAttachments: ['a.txt'],
      mailpitGetMailHTMlBody: '<p>hello from mailpit</p>',
      mailpitGetMailTextBody: 'hello from mailpit',
      mailpitGetMailSpamAssassinSummary: false,
      mailpitSetStatusAsRead: 2,
      mailpitSetStatusAsUnRead: 3,
      mailpitSetAllEmailStatusAsRead: 0,
      mailpitSetAllEmailStatusAsUnRead: 3,
      mailpitDeleteEmailsBySearch: 2,
      'not called': [],
    })
  } finally {
    project.remove()
  }
})

it('the Mailpit module of testcontainers for Python finds what it waits for and asks for', async () => {
  const bin = await pythonWith('mailpit', ['testcontainers==4.15.0', 'cryptography==50.0.2'])
  const project = await makeProject({ 'mailpit.py': program('mailpit.py') }, [])
  try {
    const env = { NODE: process.execPath, LOCALPOST: join(root, 'dist/cli/main.js') }
    const output = await run(join(bin, 'python'), ['mailpit.py'], { cwd: project.dir, env })
    expect(toResults(output)).toEqual({
      login: 235,
      messages: ['Hello'],
      readyz: 200,
      warnings: ['MP_SMTP_TLS_CERT', 'MP_SMTP_TLS_KEY'],
    })
  } finally {
    project.remove()
  }
})

it('the Mailpit module of testcontainers for Go makes its calls', { timeout: 600_000 }, async (context) => {
  if (findOnPath('go') === undefined) context.skip('go is not on this machine.')
  const project = await makeProject({ 'mailpit_test.go': program('mailpit_test.go') }, [])
  try {
    const env = {
      NODE: process.execPath,
      LOCALPOST: join(root, 'dist/cli/main.js'),
      GOFLAGS: '-mod=mod',
    }
    const go = (...args: string[]): Promise<string> =>
      run('go', args, { cwd: project.dir, env, timeoutMs: 500_000 })
    await go('mod', 'init', 'example.test/mailpit')
    await go('get', 'github.com/testcontainers/testcontainers-go@v0.45.0')
    const output = await go('test', '-count=1', '-v', './...')
    for (const name of ['TestRun', 'TestWithSMTPAuth', 'TestWithMessageLimit'])
      expect(output).toContain(`--- PASS: ${name}`)
  } finally {
    project.remove()
  }
})

it('the client ws reads the websocket', async () => {
  const project = await makeProject({ 'test.mjs': program('mailpit-events.mjs') }, ['ws@8.23.0'])
  try {
    await post.inbox.removeAll()
    const env = { MAILPIT_URL: post.url ?? '', LOCALPOST_API_KEY: post.apiKey }
    expect(toResults(await run('node', ['test.mjs'], { cwd: project.dir, env }))).toEqual({
      refused: 'Unexpected server response: 401',
      stats: 0,
      new: true,
      update: true,
      pong: 'there?',
      delete: true,
      truncate: null,
      close: 1000,
    })
  } finally {
    project.remove()
  }
})

it('Chromium opens the websocket from a page of the own origin, and not from that of another', async () => {
  const local = await createLocalpost({ waitTimeoutMs: 20_000 })
  const { url } = await local.listen()
  const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>x</p>'))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const page = await browser.newPage()
    const open = async (origin: string): Promise<string> => {
      await page.goto(origin)
      return page.evaluate(
        (address) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(address)
            socket.addEventListener('message', ({ data }) => resolve(String(data)))
            socket.addEventListener('close', () => resolve('closed'))
          }),
        `${url.replace('http', 'ws')}/api/events`,
      )
    }
    expect(await open(`${url}/livez`)).toContain('"Type":"stats"')
    expect(await open(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)).toBe('closed')
  } finally {
    await browser.close()
    other.close()
    await local.close()
  }
})
