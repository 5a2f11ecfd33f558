import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Locator, type Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { pdfOf, pdfWithPages, streamOf } from '../support/pdf.ts'
import { objections } from './_axe.ts'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'
import { findChromium } from './browser.ts'

const red = '1 0 0 rg 0 0 5000000 5000000 re f'
const green = '0 1 0 rg 0 0 5000000 5000000 re f'
const text = 'BT /F1 300 Tf 0 100 Td (HHHHH) Tj ET'

/** A million points are 350 metres. */
const drawn: Record<string, Buffer> = {
  'one page': pdfWithPages([red]),
  'several pages': pdfWithPages([red, green, green]),
  'a page of a million points': pdfWithPages([red], { size: [1_000_000, 1_000_000] }),
  'a link and a script': pdfWithPages([red], {
    catalogue:
      '/OpenAction << /S /JavaScript /JS (app.alert\\("ran"\\); this.submitForm\\("http://127.0.0.1:9/"\\)) >>',
    page: '/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 600 700] /Border [0 0 0] /A << /S /URI /URI (http://127.0.0.1:9/) >> >>]',
  }),
  'no cross-reference table': Buffer.from(
    pdfWithPages([red])
      .toString('latin1')
      .replace(/xref\n[^]*?trailer/, 'trailer'),
    'latin1',
  ),
}

/** Each level draws the next one ten times. */
const endless = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
  streamOf('/X Do'),
  ...Array.from({ length: 12 }, (_, level) =>
    streamOf(
      level < 11 ? '/X Do '.repeat(10) : red,
      `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X ${level + 6} 0 R >> >>`,
    ),
  ),
])

const refused: Record<string, Buffer> = {
  encrypted: pdfWithPages([red], {
    trailer: `/ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> /P -4 >>`,
  }),
  truncated: pdfWithPages([red]).subarray(0, 120),
  'no page': pdfWithPages([]),
  'pages that contain themselves': pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [2 0 R] /Count 1 >>',
  ]),
  'not a PDF': Buffer.from('<script>alert(1)</script>'),
  empty: Buffer.alloc(0),
  'more than 20 MB': Buffer.concat([pdfWithPages([red]), Buffer.alloc(20 * 1024 * 1024, ' ')]),
}

const attach = (post: Localpost, subject: string, files: Record<string, Buffer>): Promise<string> =>
  submit(post, {
    subject,
    text: 'See the files.',
    attachments: Object.entries(files).map(([name, content]) => ({
      filename: `${name}.pdf`,
      contentType: 'application/pdf',
      content,
    })),
  })
const filesOf = (page: Page): Locator => page.getByRole('region', { name: 'Attached files' })
const tileOf = (page: Page, name: string): Locator =>
  filesOf(page)
    .getByRole('link', { name: `${name}.pdf` })
    .first()

/** The color in the middle of a picture; null while there is none. */
const colorOf = (tile: Locator): Promise<string | null> =>
  tile.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    if (canvas.hidden || canvas.style.display === 'none') return null
    const copy = new OffscreenCanvas(1, 1).getContext('2d')
    copy?.drawImage(canvas, canvas.width / 2, canvas.height / 2, 1, 1, 0, 0, 1, 1)
    return [...(copy?.getImageData(0, 0, 1, 1).data ?? [])].join(' ')
  })

describe('the first page of an attached PDF', () => {
  it.each(Object.keys(drawn))('is its picture: %s', async (name) => {
    const { post, page } = await openPage()
    const surprises = watch(page)
    await attach(post, 'Report', { [name]: drawn[name] ?? Buffer.alloc(0) })
    await rowOf(page, 'Report').click()
    await expect.poll(() => colorOf(tileOf(page, name)), { timeout: 15_000 }).toBe('255 0 0 255')
    // All of the page is seen.
    const [whole, place] = await Promise.all([
      tileOf(page, name).locator('canvas').boundingBox(),
      tileOf(page, name).boundingBox(),
    ])
    expect(whole?.height).toBeLessThanOrEqual(place?.height ?? 0)
    await expect.poll(() => page.workers()).toEqual([])
    expect(surprises).toEqual([])
  })

  it('is its picture, where it has no height too', async () => {
    const { post, page } = await openPage()
    await attach(post, 'Report', { line: pdfWithPages([red], { size: [1_000_000, 1] }) })
    await rowOf(page, 'Report').click()
    await expect.poll(() => colorOf(tileOf(page, 'line')), { timeout: 15_000 }).not.toBeNull()
  })

  it('has its text, without a font in the file', async () => {
    const { post, page } = await openPage()
    await attach(post, 'Report', { letters: pdfWithPages([`0 0 1 rg ${text}`], { size: [400, 400] }) })
    await rowOf(page, 'Report').click()
    const ink = (): Promise<number> =>
      tileOf(page, 'letters')
        .locator('canvas')
        .evaluate((canvas: HTMLCanvasElement) => {
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')
          copy?.drawImage(canvas, 0, 0)
          const { data = [] } = copy?.getImageData(0, 0, canvas.width, canvas.height) ?? {}
          return [...data].filter((value, at) => at % 4 === 0 && value < 128).length / (data.length / 4)
        })
    await expect.poll(ink, { timeout: 15_000 }).toBeGreaterThan(0.1)
    expect(await objections(page)).toEqual([])
    await tab(page, 'Attachments').click()
    await expect.poll(() => colorOf(panel(page).getByRole('listitem')), { timeout: 15_000 }).not.toBeNull()
  })

  it.each(Object.keys(refused))('is the usual sign where it cannot be drawn: %s', async (name) => {
    const { post, page } = await openPage()
    const surprises = watch(page)
    let ended = 0
    page.on('worker', (worker) => worker.on('close', () => ended++))
    await attach(post, 'Report', { [name]: refused[name] ?? Buffer.alloc(0), after: pdfWithPages([red]) })
    await rowOf(page, 'Report').click()
    await expect.poll(() => colorOf(tileOf(page, 'after')), { timeout: 15_000 }).toBe('255 0 0 255')
    await expect.poll(() => ended).toBe(name === 'more than 20 MB' ? 1 : 2)
    await tileOf(page, name).locator('svg').waitFor()
    expect(surprises).toEqual([])
  })

  it('is given up after five seconds, and the next one is drawn', async () => {
    const { post, page } = await openPage()
    const lives: number[] = []
    page.on('worker', (worker) => {
      const started = performance.now()
      worker.on('close', () => lives.push(performance.now() - started))
    })
    await attach(post, 'Report', { endless, after: pdfWithPages([red]) })
    await rowOf(page, 'Report').click()
    await expect.poll(() => colorOf(tileOf(page, 'after')), { timeout: 25_000 }).toBe('255 0 0 255')
    await tileOf(page, 'endless').locator('svg').waitFor()
    await expect.poll(() => lives.length).toBe(2)
    expect(Math.max(...lives)).toBeGreaterThan(4900)
  }, 60_000)

  it('is drawn one at a time, where it is visible, and not for a mail that was left', async () => {
    const { post, page } = await openPage()
    let open = 0
    let most = 0
    let started = 0
    page.on('worker', (worker) => {
      started++
      most = Math.max(most, ++open)
      worker.on('close', () => open--)
    })
    const many = Array.from({ length: 60 }, (_, at) => [`file ${at}`, pdfWithPages([red])])
    // The first mail in an empty inbox is opened automatically.
    await submit(post, { subject: 'Other', text: 'x' })
    await panel(page).getByText('x', { exact: true }).waitFor()
    await attach(post, 'Many', Object.fromEntries(many))
    await rowOf(page, 'Many').waitFor()
    expect(started).toBe(0)
    await rowOf(page, 'Many').click()
    await expect.poll(() => colorOf(tileOf(page, 'file 1')), { timeout: 15_000 }).toBe('255 0 0 255')
    await rowOf(page, 'Other').click()
    await panel(page).getByText('x', { exact: true }).waitFor()
    await expect.poll(() => page.workers().length).toBe(0)
    expect(most).toBe(1)
    expect(started).toBeLessThan(60)
  })

  it('is drawn by a worker that can connect to nothing', async () => {
    const { post, page } = await openPage()
    const file = page.waitForRequest(/pdf-worker/)
    await attach(post, 'Report', { 'one page': pdfWithPages([red]) })
    await rowOf(page, 'Report').click()
    const url = (await file).url()
    await expect.poll(() => colorOf(tileOf(page, 'one page')), { timeout: 15_000 }).not.toBeNull()
    await expect.poll(() => page.workers()).toEqual([])
    const starting = page.waitForEvent('worker')
    await page.evaluate(
      (address) => void Object.assign(globalThis, { probe: new Worker(address, { type: 'module' }) }),
      url,
    )
    const worker = await starting
    const tries = await worker.evaluate<string[]>(`Promise.all(
      [fetch('${post.url}/dev/health'), import('${post.url}/assets/x.js')].map((one) =>
        one.then(() => 'loaded', (error) => error.name)))`)
    expect(tries).toEqual(['TypeError', 'TypeError'])
  })
})

it('a PDF opens in a tab, whose viewer connects to nothing', async () => {
  const hits: string[] = []
  const trap = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void trap.close())
  const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`
  const viewers = await chromium.launch({
    executablePath: findChromium(),
    args: ['--headless=new', '--no-sandbox', '--disable-gpu'],
    ignoreDefaultArgs: ['--headless', '--headless=old'],
  })
  onTestFinished(() => viewers.close())
  const { post } = await openPage({}, false)
  const actions: Record<string, string> = {
    script: `<< /S /JavaScript /JS (this.submitForm\\("${address}/script"\\); app.launchURL\\("${address}/launch"\\)) >>`,
    address: `<< /S /URI /URI (${address}/address) >>`,
    form: `<< /S /SubmitForm /F << /FS /URL /F (${address}/form) >> /Flags 4 >>`,
  }
  await attach(
    post,
    'Report',
    Object.fromEntries(
      Object.entries(actions).map(([name, action]) => [
        name,
        pdfWithPages([red], { catalogue: `/AcroForm << /Fields [] >> /OpenAction ${action}` }),
      ]),
    ),
  )
  const context = await viewers.newContext()
  const page = await context.newPage()
  await page.goto(post.url ?? '')
  await rowOf(page, 'Report').click()
  for (const name of Object.keys(actions)) {
    const opening = context.waitForEvent('page')
    await tileOf(page, name).click()
    const opened = await opening
    await expect
      .poll(() => opened.frames().some((frame) => frame.url().startsWith('chrome-extension://')), {
        timeout: 10_000,
      })
      .toBe(true)
    await opened.waitForTimeout(500)
    expect(new URL(opened.url()).pathname).toMatch(/\/attachments\/\d$/)
    expect(await opened.evaluate(() => opener)).toBeNull()
  }
  expect(hits).toEqual([])
  expect(context.pages()).toHaveLength(4)
}, 60_000)

/** Collects what a file must not cause: dialogs, other windows, and requests elsewhere. */
function watch(page: Page): string[] {
  const surprises: string[] = []
  const { origin } = new URL(page.url())
  page.on('dialog', (dialog) => surprises.push(dialog.message()))
  page.on('popup', (popup) => surprises.push(popup.url()))
  page.on('pageerror', (error) => surprises.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) surprises.push(request.url())
  })
  return surprises
}
