import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { findChromium, launchOptions } from '../test/e2e/browser.ts'
import { startPostgres, type TestServer } from '../test/support/postgres.ts'
import { ensureProgram, findOnPath } from '../test/support/programs.ts'
import { makeExample, type Project } from './project.ts'
import { ownEnvironment, root, run } from './run.ts'

const key = 'lp_balanced'
const stops: (() => Promise<unknown>)[] = []
let database: TestServer
let project: Project
let browser: Browser
let http: number
let url: string

// Two instances on addresses of their own, as on two machines, and the balancer of the guide before them on the same ports.
beforeAll(async () => {
  database = await startPostgres()
  project = await makeExample(join(root, 'examples/sign-up'), inject('tarball'))
  await run('npm', ['install', '--no-audit', '--no-fund', 'pg@8'], { cwd: project.dir })
  browser = await chromium.launch(launchOptions())
  http = await freePort()
  const smtp = await freePort()
  url = `http://127.0.0.1:${http}`
  for (const host of ['127.0.0.2', '127.0.0.3']) {
    const options = [`--host=${host}`, `--port=${http}`, `--smtp-port=${smtp}`, `--store=${database.url}`]
    const more = [`--api-key=${key}`, `--public-url=${url}`, '--trust-proxy=127.0.0.1']
    await start(join(project.dir, 'node_modules/.bin/localpost'), [...options, ...more], /SMTP/)
  }
  ensureProgram({ name: 'haproxy', tests: 'several instances', find: () => findOnPath('haproxy') })
  const guide = readFileSync(join(root, 'docs/guides/team.md'), 'utf8')
  const [, block = ''] = /```haproxy\n([\s\S]+?)```/.exec(guide) ?? []
  const config = block
    .replace(/\bone:/g, '127.0.0.2:')
    .replace(/\btwo:/g, '127.0.0.3:')
    .replace(/bind :/g, 'bind 127.0.0.1:')
    .replace(/\b8025\b/g, String(http))
    .replace(/\b1025\b/g, String(smtp))
  writeFileSync(join(project.dir, 'haproxy.cfg'), config)
  await start('haproxy', ['-V', '-db', '-f', join(project.dir, 'haproxy.cfg')], /polling/)
  // A request without a key is refused; without an instance it is 503.
  const isUp = async (): Promise<boolean> =>
    (await fetch(`${url}/dev/health`).catch(() => null))?.status === 401
  await vi.waitUntil(isUp, { timeout: 20_000 })
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
  await browser?.close()
  project?.remove()
  await database?.remove()
})

it('the suite of an example passes against two instances, each request at a random one', async () => {
  const env = { CHROMIUM_PATH: findChromium(), LOCALPOST_URL: url, LOCALPOST_API_KEY: key }
  expect(await run('npm', ['run', 'test:accounts'], { cwd: project.dir, env })).toMatch(/2 passed/)
  const { accounts } = await ask<{ accounts: unknown[] }>('/dev/accounts')
  expect(accounts).toHaveLength(1)
})

it('the page shows mail that any instance takes, as it arrives', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Open the inbox' }).click()
  for (let n = 0; n < 8; n++) {
    const subject = `balanced ${n}`
    await ask('/v1/emails', { from: 'app@shop.test', to: 'ada@shop.test', subject, text: 'Hi' })
    await page.getByText(subject).first().waitFor()
  }
  await page.getByText('balanced 3').first().click()
  await page.getByRole('heading', { name: 'balanced 3' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'balanced 3' }).waitFor()
  await context.close()
})

async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(url + path, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.status, path).toBe(200)
  return (await answer.json()) as T
}

/** Starts a program until the tests end. Waits until it says that it is ready. */
async function start(program: string, args: readonly string[], ready: RegExp): Promise<void> {
  const child = spawn(program, args, {
    cwd: project.dir,
    env: ownEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  stops.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      output.on('data', (piece: Buffer) => {
        if (said.length < 100_000) said += piece.toString()
        if (ready.test(said)) resolve()
      })
    void ended.then(() => reject(new Error(`${program} ended: ${said}`)))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
