import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium, type Browser } from 'playwright-core'
import { createTransport } from 'nodemailer'
import { expect, it, onTestFinished } from 'vitest'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findChromium } from './browser.ts'

/**
 * HTML that may make a browser connect. `seen` marks elements that a browser follows even under the policy of the
 * mail's frame: without the filter, the test must see their connections. All others must cause none either.
 */
const members: readonly (readonly [name: string, html: (url: string) => string, seen?: 'seen'])[] = [
  ['preconnect', (url) => `<link rel=preconnect href="${url}">`, 'seen'],
  ['preconnect in capitals', (url) => `<LINK HREF='${url}' REL="PreConnect">`, 'seen'],
  [
    'preconnect among others',
    (url) => `<link rel="alternate preconnect nofollow" href="${url}" crossorigin>`,
    'seen',
  ],
  ['preconnect with slashes', (url) => `<link/rel="preconnect"/href="${url}"/>`, 'seen'],
  ['preconnect in entities', (url) => `<link rel="&#112;reconnect" href="${url}">`, 'seen'],
  ['preconnect after a wrong comment', (url) => `<!--><link rel=preconnect href="${url}">-->`, 'seen'],
  ['preconnect in SVG', (url) => `<svg><style><link rel=preconnect href="${url}"></style></svg>`],
  ['preconnect in srcdoc', (url) => `<iframe srcdoc='<link rel=preconnect href="${url}">'></iframe>`],
  ['prefetch', (url) => `<link rel=prefetch href="${url}/a">`],
  [
    'preload',
    (url) => `<link rel=preload as=image href="${url}/a.png"><link rel=preload as=font href="${url}/f">`,
  ],
  ['modulepreload', (url) => `<link rel=modulepreload href="${url}/a.js">`],
  ['prerender', (url) => `<link rel=prerender href="${url}/a">`],
  ['stylesheet', (url) => `<link rel=stylesheet href="${url}/a.css">`],
  ['icon', (url) => `<link rel=icon href="${url}/a.png"><link rel=manifest href="${url}/m">`],
  ['refresh', (url) => `<meta http-equiv=refresh content="0;url=${url}/a">`],
  ['base', (url) => `<base href="${url}/"><img src="a.png">`],
  [
    'speculation rules',
    (url) => `<script type=speculationrules>{"prefetch":[{"urls":["${url}/a"]}]}</script>`,
  ],
  ['script', (url) => `<script src="${url}/a.js"></script>`],
  ['frames', (url) => `<iframe src="${url}/a"></iframe><frameset><frame src="${url}/b"></frameset>`],
  [
    'plug-ins',
    (url) => `<object data="${url}/a"></object><embed src="${url}/b"><applet code="${url}/c"></applet>`,
  ],
  [
    'media',
    (url) => `<video poster="${url}/a" src="${url}/b"></video><audio src="${url}/c" autoplay></audio>`,
  ],
  [
    'images',
    (url) =>
      `<img src="${url}/a" srcset="${url}/b 2x"><input type=image src="${url}/c"><img attributionsrc="${url}/d">`,
  ],
  ['SVG', (url) => `<svg><image href="${url}/a"/><use href="${url}/b#x"/><feImage href="${url}/c"/></svg>`],
  ['backgrounds', (url) => `<table background="${url}/a"><tr><td style="background:url(${url}/b)"></table>`],
  [
    'styles',
    (url) =>
      `<style>@import "${url}/a"; @font-face{font-family:x;src:url(${url}/b)} p{font-family:x;cursor:url(${url}/c),auto}</style>`,
  ],
  ['portals', (url) => `<portal src="${url}/a"></portal><fencedframe src="${url}/b"></fencedframe>`],
]

/** Names that a browser may look up, without any connection. */
const lookups = (side: string): string =>
  `<meta http-equiv="x-dns-prefetch-control" content="on"><link rel="dns-prefetch" href="//link.${side}.localhost">
   <a href="http://anchor.${side}.localhost/">a link</a>`

it(
  'displaying a mail or a template opens no connection and looks no name up',
  { timeout: 120_000 },
  async () => {
    const mail = await openTraps()
    const template = await openTraps()
    const control = await openTraps()
    const post = await createLocalpost()
    onTestFinished(() => post.close())
    await post.listen()
    await submit(post.smtp.port, `${mail.html}${lookups('mail')}<p>Look at this</p>`)
    const { id } = await post.inbox.waitFor()
    const policy =
      (await fetch(`${post.url}/dev/inbox/${id}/html`)).headers.get('content-security-policy') ?? ''
    const controlUrl = await serve(`${control.html}${lookups('control')}<p>Control</p>`, policy)

    const log = join(temporaryFolder(), 'net.json')
    const { browser, end } = await startBrowser(log)
    const [context] = browser.contexts()
    const page = await context?.newPage()
    if (!page) throw new Error('The browser has no page.')
    for (const look of ['', '?appearance=dark', '?appearance=inverted']) {
      await page.goto(`${post.url}/dev/inbox/${id}/html${look}`)
      await page.getByText('Look at this').waitFor()
    }
    await page.goto(`${post.url}/#/mail/${id}`)
    await page.frameLocator('iframe').getByRole('link', { name: 'a link' }).hover()

    await post.templates.put('look', {
      html: `${template.html}${lookups('template')}<p>Look at this too</p>`,
    })
    await page.goto(`${post.url}/#/templates/look`)
    await page.frameLocator('iframe').getByText('Look at this too').waitFor()

    // The control is loaded after the mail: once all of its connections exist, those of the mail would exist too.
    const other = await context?.newPage()
    await other?.goto(controlUrl)
    const wanted = members.filter(([, , seen]) => seen).map(([name]) => name)
    await expect.poll(() => wanted.filter((name) => !control.hits.has(name)), { timeout: 30_000 }).toEqual([])
    expect([...mail.hits]).toEqual([])
    expect([...template.hits]).toEqual([])
    await end()
    const names = readFileSync(log, 'utf8')
    expect(names).toContain('link.control.localhost')
    expect(names).not.toContain('.mail.localhost')
    expect(names).not.toContain('.template.localhost')
  },
)

/** A listener for each member, which records connections, and the HTML that leads to them. */
async function openTraps(): Promise<{ html: string; hits: Set<string> }> {
  const hits = new Set<string>()
  let html = ''
  for (const [name, write] of members) {
    const server = createServer((socket) => {
      hits.add(name)
      socket.on('error', () => undefined).destroy()
    })
    html += write(`http://127.0.0.1:${await listen(server)}`)
  }
  return { html, hits }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The same HTML under the same policy, unfiltered. */
async function serve(html: string, policy: string): Promise<string> {
  const server = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    response.end(html)
  })
  return `http://127.0.0.1:${await listen(server)}/`
}

async function submit(port: number, html: string): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port })
  await transport.sendMail({ from: 'evil@example.net', to: 'ada@example.com', subject: 'Look', html })
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
