import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTransport } from 'nodemailer'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../src/index.ts'
import { findChromium, launchOptions } from '../test/e2e/browser.ts'
import { makeExample, type Project } from './project.ts'
import { ownEnvironment, root, run } from './run.ts'

const tarball = inject('tarball')

describe('examples/sign-up', () => {
  let project: Project
  beforeAll(async () => {
    project = await makeExample(join(root, 'examples/sign-up'), tarball)
  })
  afterAll(() => project?.remove())

  it.each([
    ['test:vitest', /Tests +4 passed/],
    ['test:node', /pass 1\n/],
    // Jest reports on stderr, and ends with 0 only where tests passed.
    ['test:jest', /jest/],
    ['test:playwright', /3 passed/],
  ])('passes by npm run %s', async (script, passed) => {
    const env = { CHROMIUM_PATH: findChromium() }
    expect(await run('npm', ['run', script], { cwd: project.dir, env })).toMatch(passed)
  })

  it('gives each worker an account on one server by npm run test:accounts, and leaves nothing but that of a killed one', async () => {
    const post = await createLocalpost()
    onTestFinished(() => post.close())
    const { url } = await post.listen()
    const env = { CHROMIUM_PATH: findChromium(), LOCALPOST_URL: url, LOCALPOST_API_KEY: post.apiKey }
    const start = (): Promise<string> => run('npm', ['run', 'test:accounts'], { cwd: project.dir, env })
    expect(await start()).toMatch(/2 passed/)
    expect(await post.accounts.list()).toHaveLength(1)
    const failing = (body: string): string =>
      `import { test as base } from '@playwright/test'
       import { withLocalpostAccount } from 'localpost/playwright'
       withLocalpostAccount(base)('ends badly', async ({ localpost }) => { ${body} })`
    writeFileSync(join(project.dir, 'accounts/fails.test.js'), failing(`throw new Error('on purpose')`))
    await expect(start()).rejects.toThrow(/on purpose[^]*1 failed[^]*2 passed/)
    expect(await post.accounts.list()).toHaveLength(1)
    writeFileSync(
      join(project.dir, 'accounts/fails.test.js'),
      failing(`process.kill(process.pid, 'SIGKILL')`),
    )
    await expect(start()).rejects.toThrow(/1 failed/)
    expect((await post.accounts.list()).map(({ ttl_ms }) => ttl_ms)).toEqual([null, 3_600_000])
    expect((await post.inbox.list()).count).toBe(0)
  })

  it('writes a report of the mails of its tests', () => {
    const report = readFileSync(join(project.dir, 'mails.html'), 'utf8')
    expect(report.match(/"subject":"Confirm your address"/g)).toHaveLength(3)
  })

  it('fails by npm run test:node where the mail says something else', async () => {
    // Proves that the tests of the example check something.
    const source = join(project.dir, 'app/server.js')
    const whole = readFileSync(source, 'utf8')
    writeFileSync(source, whole.replace('Confirm your address', 'Something else'))
    try {
      await expect(run('npm', ['run', 'test:node'], { cwd: project.dir })).rejects.toThrow(/Something else/)
    } finally {
      writeFileSync(source, whole)
    }
  })
})

describe.each([
  ['resend', 4],
  ['ses', 3],
])('examples/%s', (name, count) => {
  it('passes by npm test', async () => {
    const project = await makeExample(join(root, `examples/${name}`), tarball)
    try {
      const passed = new RegExp(`Tests +${count} passed`)
      expect(await run('npm', ['test'], { cwd: project.dir })).toMatch(passed)
    } finally {
      project.remove()
    }
  })
})

describe.each(['h3', 'hono', 'express', 'next'])('examples/embed-%s', (name) => {
  let project: Project
  let browser: Browser
  beforeAll(async () => {
    project = await makeExample(join(root, `examples/embed-${name}`), tarball)
    browser = await chromium.launch(launchOptions())
  })
  afterAll(async () => {
    await browser?.close()
    project?.remove()
  })

  it('serves the API, the control API and the page below /mail', async () => {
    const { url, apiKey, smtp } = await (name === 'next' ? startNext(project.dir) : startServer(project.dir))
    expect(await (await fetch(new URL('/', url))).text()).toContain('The app itself')

    const send = (key: string): Promise<Response> =>
      fetch(`${url}/v1/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          from: 'Acme <hi@acme.test>',
          to: 'ada@example.com',
          subject: 'Over HTTP',
          html: '<b>Hello</b>',
        }),
      })
    expect((await send('lp_wrong')).status).toBe(401)
    const { id } = (await (await send(apiKey)).json()) as { id: string }
    const transport = createTransport(smtp)
    await transport.sendMail({
      from: 'hi@acme.test',
      to: 'bob@example.com',
      subject: 'Over SMTP',
      text: 'Hello',
    })
    transport.close()

    // Next adds forwarding headers to each request, so the control API requires a key.
    const headers = { authorization: `Bearer ${apiKey}` }
    const wait = await fetch(`${url}/dev/inbox/wait?query=to:ada@example.com`, { headers })
    expect(await wait.json()).toMatchObject({ id, subject: 'Over HTTP' })

    const page = await browser.newPage()
    page.setDefaultTimeout(8000)
    await page.goto(url)
    // The rest after the path is the page's own.
    expect(new URL(page.url()).pathname).toBe('/mail/')
    if (name === 'next') {
      await page.getByLabel('API key').fill(apiKey)
      await page.getByRole('button', { name: 'Open the inbox' }).click()
    }
    const rows = page.getByRole('navigation', { name: 'Mails' })
    await rows.getByText('Over SMTP').waitFor()
    await rows.getByText('Over HTTP').click()
    await page.frameLocator('iframe').getByText('Hello').waitFor()
    // By live events, through the framework.
    await (await send(apiKey)).json()
    await expect.poll(() => rows.getByText('Over HTTP').count()).toBe(2)
  })
})

interface Started {
  url: string
  apiKey: string
  smtp: { host: string; port: number }
}

/** Starts an example's server; its first line of output contains its address. */
async function startServer(dir: string): Promise<Started> {
  const line = await firstLine(dir, ['server.js'], { PORT: '0' }, () => true)
  return JSON.parse(line) as Started
}

async function startNext(dir: string): Promise<Started> {
  const port = await freePort()
  const env = { SMTP_PORT: String(await freePort()), NEXT_TELEMETRY_DISABLED: '1' }
  const args = ['node_modules/next/dist/bin/next', 'dev', '--hostname', '127.0.0.1', '--port', String(port)]
  await firstLine(dir, args, env, (line) => line.includes('Ready'))
  const smtp = { host: '127.0.0.1', port: Number(env.SMTP_PORT) }
  return { url: `http://127.0.0.1:${port}/mail`, apiKey: 'lp_development', smtp }
}

async function firstLine(
  cwd: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  isIt: (line: string) => boolean,
): Promise<string> {
  // A process group of its own: Next has child processes.
  const child = spawn(process.execPath, args, { cwd, env: ownEnvironment(env), detached: true })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('close', resolve))
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await gone
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  for await (const line of createInterface({ input: child.stdout })) {
    said += `${line}\n`
    if (!isIt(line)) continue
    child.stdout.resume()
    return line
  }
  throw new Error(`The example ended:\n${said}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
