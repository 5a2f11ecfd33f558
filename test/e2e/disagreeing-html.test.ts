import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { disagreeingHtml } from '../support/disagreeing-html.ts'
import { sampleOf } from '../support/long.ts'
import { openPage, submit } from './_setup.ts'
import { browser } from './context.ts'

/** The five by which a simple tokenizer was deceived, and a sample of the others. */
const deceiving = [
  'a CDATA section in HTML',
  'a comment that ends with --!>',
  'the title of SVG',
  'a textarea in SVG',
  'a style in MathML',
]
const documents = Object.entries(disagreeingHtml)
const chosen = [
  ...documents.filter(([name]) => deceiving.includes(name)),
  ...sampleOf(
    documents.filter(([name]) => !deceiving.includes(name)),
    5,
  ),
]

it.each(chosen)(
  'a click in a mail asks for nothing, and nothing connects without consent: %s',
  { timeout: 60_000 },
  async (_, write) => {
    const { post, page } = await openPage()
    const trap = await openTrap()
    const here = `${post.url}/dev/inbox/${await submit(post, { subject: 'Another mail', html: 'x' })}`
    const addresses = [
      '?remote=all',
      'checks?live=true',
      `${here}/html?remote=all`,
      `${here}/checks?live=true`,
    ]
    const links = addresses
      .map((href) => `<a href="${href}" style="display:block;width:200px;height:30px">${href}</a>`)
      .join('')
    const payload =
      `<div><template shadowrootmode="closed">${links}</template></div>${links}<img src="${trap.url}/img" onerror="top.hit=1">` +
      `<link rel="preconnect" href="${trap.url}"><p style="background:url(${trap.url}/css)">x</p>` +
      `<img width="1" height="1" src="${trap.url}/pixel"><input type="image" width="1" height="1" src="${trap.url}/pixel">`
    const mail = await submit(post, { subject: 'The mail', html: `${write(payload)}<p>The end</p>` })

    const asked = watch(page)
    await page.goto(`${post.url}/#/mail/${mail}`)
    await clickAll(page)
    expect(asked.filter((url) => /remote=|live=|consent/.test(url))).toEqual([])
    expect([trap.connections(), trap.hits]).toEqual([0, []])

    const load = page.getByRole('button', { name: 'Load them' })
    if ((await load.count()) > 0) {
      await load.click()
      await expect.poll(() => asked.some((url) => url.includes('consent='))).toBe(true)
      await clickAll(page)
    }
    expect(trap.hits.filter((path) => !/^\/(?:img|css)$/.test(path))).toEqual([])
    expect(
      asked.filter((url) => url.includes('live=') || (url.includes('remote=') && !url.includes('consent='))),
    ).toEqual([])
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    await page.close()
    for (const other of browser.context.pages().slice(1)) await other.close()
  },
)

/** The requests of the page and its frames; new tabs are not part of it. */
function watch(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  return asked
}

/** Clicks everywhere in the frame, because elements in closed shadow trees cannot be found. */
async function clickAll(page: Page): Promise<void> {
  const frame = page.locator('iframe:not(.ahead)')
  await frame.waitFor()
  await expect.poll(() => page.frames().some((one) => one.url().includes('/html'))).toBe(true)
  const box = await frame.boundingBox()
  if (!box) return
  for (let y = 12; y < Math.min(box.height, 400); y += 30) await page.mouse.click(box.x + 40, box.y + y)
}

/** A server that counts what it is asked for. */
async function openTrap(): Promise<{ url: string; hits: string[]; connections(): number }> {
  const hits: string[] = []
  const server = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end()
  })
  let connections = 0
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    connections: () => connections,
  }
}
