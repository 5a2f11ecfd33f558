import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser, type BrowserContext, type FrameLocator, type Page } from 'playwright-core'
import { createTransport } from 'nodemailer'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type ConnectingHtml, connectingHtml, lookups } from './_connecting-html.ts'
import { findChromium } from './browser.ts'

it(
  'displaying a mail or a template opens no connection and looks no name up, and consent allows only what it names',
  { timeout: 240_000 },
  async () => {
    const mail = await openTraps('mail')
    const allowed = await openTraps('allowed')
    const template = await openTraps('template')
    const post = await createLocalpost()
    onTestFinished(() => post.close())
    await post.listen()
    await submit(post.smtp.port, 'Look', mail.html)
    await submit(post.smtp.port, 'Load', allowed.html)
    const idOf = async (subject: string): Promise<string> => (await post.inbox.waitFor({ subject })).id
    const id = await idOf('Look')

    const log = join(temporaryFolder(), 'net.json')
    const { browser, end } = await startBrowser(log)
    const context = browser.contexts()[0] ?? (await browser.newContext())
    const page = await context.newPage()
    for (const look of ['', '?appearance=dark', '?appearance=inverted']) {
      await page.goto(`${post.url}/dev/inbox/${id}/html${look}`)
      await page.getByText('The end').waitFor()
    }
    await page.goto(`${post.url}/#/mail/${id}`)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('link', { name: 'a link' }).first().hover()
    await pressAll(frame)

    await page.goto(`${post.url}/#/mail/${await idOf('Load')}`)
    await page.getByRole('button', { name: 'Load them' }).click()
    const wanted = connectingHtml.filter((member) => member.allowed).map(({ name }) => name)
    await expect.poll(() => wanted.filter((name) => !allowed.hits.has(name)), { timeout: 30_000 }).toEqual([])
    await pressAll(frame)

    await post.templates.put('look', { html: template.html })
    await page.goto(`${post.url}/#/templates/look`)
    await frame.getByText('The end').waitFor()
    // A link leads the frame of a template away, and nothing would be left to click.
    await pressAll(frame, 'button.press, input.press')

    // The controls are loaded after the mail: once all of their connections exist, those of the mail would exist too.
    await controlConnections(context, `${post.url}/dev/inbox/${id}/html`)
    expect([...mail.hits]).toEqual([])
    expect([...template.hits]).toEqual([])
    expect([...allowed.hits].filter((name) => !wanted.includes(name))).toEqual([])
    await end()
    const names = readFileSync(log, 'utf8')
    for (const part of ['link', hostPart('preconnect')]) expect(names).toContain(`${part}.policy.localhost`)
    expect(names).not.toContain('.mail.localhost')
    expect(names).not.toContain('.template.localhost')
    const looked = new Set(names.match(/[\w-]+(?=\.allowed\.localhost)/g))
    expect([...looked].filter((part) => !wanted.map(hostPart).includes(part))).toEqual([])
  },
)

/**
 * Shows the HTML without our filter, once under the policy of a mail and once without a policy, and waits until all
 * members of the table connect that should. So each member is known to be written right.
 */
async function controlConnections(context: BrowserContext, mailUrl: string): Promise<void> {
  const under = await openTraps('policy')
  const free = await openTraps('free')
  const policy = (await fetch(mailUrl)).headers.get('content-security-policy') ?? ''
  const page = await context.newPage()
  await page.goto(await serve(() => under.html, policy))
  // Each member in a frame of its own, because some lead their document away.
  const url = await serve(
    (path) =>
      free.members.get(path.slice(1)) ??
      [...free.members.keys()].map((part) => `<iframe src="/${part}"></iframe>`).join(''),
  )
  const framed = connectingHtml.filter(({ alone }) => !alone)
  const always = framed.filter(({ unfiltered }) => unfiltered === 'always')
  await expect.poll(() => missing(always, under.hits), { timeout: 30_000 }).toEqual([])
  await page.goto(url)
  for (const { name } of connectingHtml.filter(({ alone }) => alone)) {
    const other = await context.newPage()
    await other.goto(`${url}${hostPart(name)}`)
    await pressAll(other)
    await expect.poll(() => free.hits.has(name), { message: name, timeout: 10_000 }).toBe(true)
    await other.close()
  }
  const unlimited = framed.filter(({ unfiltered }) => unfiltered === 'unlimited')
  await expect.poll(() => missing(unlimited, free.hits), { timeout: 30_000 }).toEqual([])
}

const missing = (members: readonly ConnectingHtml[], hits: ReadonlySet<string>): string[] =>
  members.map(({ name }) => name).filter((name) => !hits.has(name))

async function pressAll(at: Page | FrameLocator, selector: string = '.press'): Promise<void> {
  const count = await at.locator(selector).count()
  for (let i = 0; i < count; i++) await at.locator(selector).nth(i).click({ force: true, timeout: 5000 })
}

/** The name of a member, fit for a host name. */
const hostPart = (name: string): string => name.toLowerCase().replace(/\W+/g, '-')

/** For each member a listener that records connections, and the HTML that leads to it; all of them in `html`. */
async function openTraps(
  side: string,
): Promise<{ html: string; members: ReadonlyMap<string, string>; hits: Set<string> }> {
  const hits = new Set<string>()
  const members = new Map<string, string>()
  for (const { name, html } of connectingHtml) {
    const server = createServer((socket) => {
      hits.add(name)
      socket.on('error', () => undefined).destroy()
    })
    members.set(hostPart(name), html(`http://${hostPart(name)}.${side}.localhost:${await listen(server)}`))
  }
  const html = `${[...members.values()].join('\n')}${lookups(`${side}.localhost`)}<p>The end</p>`
  return { html, members, hits }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A server of HTML, under a policy if one is given. */
async function serve(htmlOf: (path: string) => string, policy?: string): Promise<string> {
  const server = createHttpServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (policy !== undefined) response.setHeader('content-security-policy', policy)
    response.end(htmlOf(request.url ?? ''))
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

async function submit(port: number, subject: string, html: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port })
  await transport.sendMail({ from: 'evil@example.net', to: 'ada@example.com', subject, html })
  transport.close()
}

/** Chromium with its usual settings: automation flags switch off speculative connections. */
async function startBrowser(log: string): Promise<{ browser: Browser; end(): Promise<void> }> {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  const folder = temporaryFolder()
  const child = spawn(
    findChromium(),
    [
      ...flags,
      `--user-data-dir=${folder}`,
      '--remote-debugging-port=0',
      `--log-net-log=${log}`,
      // Only this machine is reachable.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE *.localhost',
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stderr })) {
    const [, endpoint] = /^DevTools listening on (ws:.*)$/.exec(line) ?? []
    if (endpoint === undefined) continue
    child.stderr.resume()
    const browser = await chromium.connectOverCDP(endpoint)
    return {
      browser,
      async end() {
        const session = await browser.newBrowserCDPSession()
        await session.send('Browser.close').catch(() => undefined)
        await ended
      },
    }
  }
  throw new Error('Chromium ended before it could be talked to.')
}
