import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { PNG, type Pixels } from 'pngjs'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { sampleOf } from '../support/long.ts'
import { objections } from './_axe.ts'
import { frameOf, openPage, rowOf, shownFrame, submit } from './_setup.ts'

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))
const blue = pngOf(60, 20, [0, 90, 200])
// Cells that hold pictures alone, and a height in percent: what old layouts do in their own way.
const old = (doctype: string): string =>
  `${doctype}<html><head><style>a:link{color:#a00} @media (max-device-width:1px){p{color:#0f0}} TD{font-size:12px}</style></head>` +
  '<body bgcolor="#eeeeee" style="font:20px/1.8 Arial"><p>First</p><table width="300" cellpadding="0" cellspacing="0" bgcolor="white">' +
  `<tr><td><a href="https://a.test"><img src="cid:blue" width="60" height="20"></a></td><td><p>In a cell</p></td></tr>` +
  '<tr><td colspan="2"><span>Text in a <code>span</code></span> &nbsp;<a href="https://a.test">A link</a></td></tr>' +
  '<tr><td colspan="2"><o:p>An Outlook element</o:p><ul><li>An item</ul></td></tr></table><p style="color:ff0000">Last</p></body></html>'
const transitional =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
const attachments = [{ filename: 'blue.png', cid: 'blue', content: PNG.sync.write(blue) }]

type Show = (post: Localpost) => Promise<string>
const imported =
  (file: string): Show =>
  async (post) =>
    (await post.inbox.import(readFileSync(fixtures + file))).id
const sent =
  (html: string): Show =>
  (post) =>
    submit(post, { subject: 'Sent', html, attachments })
const files = readdirSync(`${fixtures}codes`)
  .filter((file) => file.endsWith('.eml'))
  .filter((file) => /^content-type: text\/html/im.test(readFileSync(`${fixtures}codes/${file}`, 'latin1')))
  .map((file) => `codes/${file}`)
const mails: [name: string, show: Show][] = [
  ['no doctype', sent(old(''))],
  ['half a doctype', sent(old(transitional))],
  ['a whole doctype', sent(old('<!doctype html>'))],
  [
    'a page with a background',
    sent(
      '<!doctype html><style>html{background:linear-gradient(#fff,#abc)}body{margin:0}</style><h1>Top</h1>',
    ),
  ],
  [
    'mail that moves in',
    sent('<!doctype html><style>@keyframes a{from{opacity:0}}p{animation:a .1s both}</style><p>Moved in</p>'),
  ],
  ['related-cid.eml', imported('related-cid.eml')],
  ['alternative.eml', imported('alternative.eml')],
  ...sampleOf(files, 4).map((file): [string, Show] => [file, imported(file)]),
]

describe('a mail saved as PNG', () => {
  it.each(mails)('looks as in its frame: %s', async (_, show) => {
    const { post, page } = await openPage({}, false)
    const id = await show(post)
    if (!(await post.inbox.get(id)).html.trim()) return
    await openTall(page, post, id)
    await expectSamePicture(page)
  })

  it.each(['dark', 'inverted'])('keeps the chosen width, and is %s as the frame is', async (look) => {
    const { post, page } = await openPage({}, false)
    await page.addInitScript((value) => {
      localStorage.setItem('localpost.mail-look', value)
      localStorage.setItem('localpost.mail-width', '375')
    }, look)
    const html =
      '<!doctype html><meta name="color-scheme" content="light dark"><style>@media (prefers-color-scheme:dark){h1{color:#fc0}}</style>' +
      '<h1>Title</h1><p>Text <a href="https://a.test">link</a></p><img src="cid:blue">'
    const id = await submit(post, { subject: look, html, attachments })
    await openTall(page, post, id)
    const { width } = await savePicture(page)
    expect(width).toBe(375)
    await expectSamePicture(page)
  })

  it.each(sampleOf(readdirSync(`${fixtures}hostile`), 4))(
    'runs nothing and asks for nothing: %s',
    async (file) => {
      const { post, page } = await openPage({}, false)
      const id = await imported(`hostile/${file}`)(post)
      if (!(await post.inbox.get(id)).html.trim()) return
      // The page asks for them once it is idle.
      const checks = page.waitForResponse((response) => response.url().endsWith(`${id}/checks`))
      await openTall(page, post, id)
      await checks
      const asked: string[] = []
      page.on('request', (request) => {
        if (/^https?:/.test(request.url())) asked.push(request.url())
      })
      const surprises: string[] = []
      page.on('dialog', (dialog) => (surprises.push(dialog.message()), void dialog.dismiss()))
      page.on('pageerror', (error) => surprises.push(error.message))
      page.on('popup', (popup) => surprises.push(popup.url()))
      await savePicture(page)
      await page.waitForTimeout(300)
      // The code that draws, what the page reads anyway, and nothing of the mail.
      const own = new RegExp(
        `^/(?:assets/[\\w.-]+|dev/(?:health|rules|smtp-sessions|webhooks|inbox|inbox/tags|inbox/${id}))$`,
      )
      expect(
        asked.filter((url) => !(url.startsWith(post.url ?? '') && own.test(new URL(url).pathname))),
      ).toEqual([])
      expect(surprises).toEqual([])
      expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    },
  )

  it('has remote images only with consent, and says which it could not have', async () => {
    const { post, page } = await openPage({}, false)
    const hits: string[] = []
    const server = createServer((request, response) => {
      hits.push(request.url ?? '')
      if (request.url === '/open.png') response.setHeader('access-control-allow-origin', '*')
      response.setHeader('content-type', 'image/png')
      response.end(PNG.sync.write(blue))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => (server.closeAllConnections(), void server.close()))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const html = `<!doctype html><body style="margin:0"><p>Seen</p><img src="${url}/open.png"><br><img src="${url}/closed.png">`
    const id = await submit(post, { subject: 'Remote', html })
    await openTall(page, post, id)
    expect(countOf(await savePicture(page), [0, 90, 200])).toBe(0)
    expect(hits).toEqual([])
    await page.getByRole('button', { name: 'Load them' }).click()
    await expect.poll(() => [...hits].sort()).toEqual(['/closed.png', '/open.png'])
    const picture = await savePicture(page)
    expect(countOf(picture, [0, 90, 200])).toBe(60 * 20)
    // As large as the image that is missing. Some pixels at the edges of letters have this grey too.
    const grey = countOf(picture, [204, 204, 204])
    expect(grey).toBeGreaterThanOrEqual(60 * 20)
    expect(grey).toBeLessThan(60 * 20 + 20)
    await page.getByRole('status').getByText('1 remote image could not be put into the picture').waitFor()
    expect(await objections(page)).toEqual([])
  })

  it('has the beginning of a mail that is taller than browsers can draw, and says so', async () => {
    const { post, page } = await openPage()
    await submit(post, { subject: 'Tall', html: '<!doctype html><div style="height:90000px">Top</div>' })
    await rowOf(page, 'Tall').click()
    await frameOf(page).getByText('Top').waitFor()
    const { height } = await savePicture(page)
    expect(height).toBe(16_000)
    await page.getByText(/The mail is 900\d\d pixels tall\. The picture shows the first 16000/).waitFor()
    // It goes with the mail.
    await submit(post, { subject: 'Another', html: '<p>Other</p>' })
    await rowOf(page, 'Another').click()
    await frameOf(page).getByText('Other').waitFor()
    await expect.poll(() => page.getByText('pixels tall').count()).toBe(0)
  })

  it('is explained where the browser cannot do it, from any side of the mail', async () => {
    const { post, page } = await openPage({}, false)
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.toBlob = () => {
        throw new DOMException('Tainted canvases may not be exported.', 'SecurityError')
      }
    })
    const id = await submit(post, { subject: 'Tainted', html: '<p>Hello</p>' })
    await page.goto(`${post.url}/#/mail/${id}`)
    await page.getByRole('tab', { name: 'Headers' }).click()
    await choose(page)
    await page.getByRole('alert').getByText('This browser cannot save the mail as a picture.').waitFor()
    await frameOf(page).getByText('Hello').waitFor()
    expect(await objections(page)).toEqual([])
  })
})

/** Opens a mail in a window in which all of it is visible. */
async function openTall(page: Page, post: Localpost, id: string): Promise<void> {
  await page.setViewportSize({ width: 1400, height: 3000 })
  await page.goto(`${post.url}/#/mail/${id}`)
  await expect.poll(() => frameOf(page).locator('body').count()).toBe(1)
  // Once it is read, the row and the button for that do not change any more.
  await page.getByRole('button', { name: 'Mark unread' }).waitFor()
}

async function choose(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('group', { name: 'Share' }).getByText('Save as PNG').click()
}

async function savePicture(page: Page): Promise<Pixels> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(page)])
  expect(download.suggestedFilename()).toMatch(/\.png$/)
  return PNG.sync.read(Buffer.concat(await (await download.createReadStream()).toArray()))
}

/** A frame that is still being drawn, or a mail that moves in, is compared again. */
async function expectSamePicture(page: Page): Promise<void> {
  const saved = await savePicture(page)
  await expect.poll(() => differingShare(page, saved), { timeout: 30_000 }).toBeLessThanOrEqual(0.005)
}

/** Which part of the pixels of the picture is another one than in the frame, as Chromium shows it. */
async function differingShare(page: Page, saved: Pixels): Promise<number> {
  await page.mouse.move(1, 1)
  const shown = PNG.sync.read(await page.locator(shownFrame).screenshot())
  // A frame between two pixels is drawn at one of them.
  const places = [0, 1, -1].flatMap((down) => [0, 1, -1].map((right) => [down, right] as const))
  const counts = places.map(([down, right]) => differing(shown, saved, down, right))
  return Math.min(...counts) / (saved.width * saved.height)
}

function differing(shown: Pixels, saved: Pixels, down: number, right: number): number {
  let count = 0
  for (let y = 1; y < saved.height - 1; y++) {
    for (let x = 1; x < saved.width - 1; x++) {
      const [a, b] = [((y + down) * shown.width + x + right) * 4, (y * saved.width + x) * 4]
      const isOther = [0, 1, 2].some(
        (at) => Math.abs((shown.data[a + at] ?? 0) - (saved.data[b + at] ?? 0)) > 3,
      )
      if (isOther) count++
    }
  }
  return count
}

type Color = readonly [red: number, green: number, blue: number]

function countOf({ data }: Pixels, [red, green, blueness]: Color): number {
  let count = 0
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blueness) count++
  return count
}

function pngOf(width: number, height: number, color: Color): Pixels {
  const data = new Uint8Array(width * height * 4)
  for (let at = 0; at < data.length; at += 4) data.set([...color, 255], at)
  return { width, height, data }
}
