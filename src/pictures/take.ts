import type { Browser, BrowserContext, Page } from 'playwright-core'
import { invalidOption, LocalpostError } from '../core/errors.ts'
import { clearTimeout, monotonicNow, setTimeout } from '../core/machine.ts'
import { openChromium } from './chromium.ts'
import type { ChromiumPlaces } from './places.ts'

/** A picture of a mail. */
export interface Picture {
  /** As `375-light`: its width in pixels, and the appearance. */
  view: string
  png: Buffer
}

interface PictureSettings {
  /** Applied to each text of the page. */
  mask(text: string): string
  /** For all pictures, the start of the browser included. */
  timeoutMs: number
  places?: ChromiumPlaces
}

/** The largest height of a picture in pixels; of a longer mail, the beginning is shown. */
const maxHeight = 8000
const minHeight = 400
const maxCharacters = 4_000_000
const widths = [375, 700]
const appearances = ['light', 'dark'] as const
const address = 'http://mail.invalid/'
// `sandbox` also stops a refresh, which would lead away from the mail.
const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"

/**
 * Pictures of HTML at 375 and 700 pixels, light and dark, in Chromium. No script of it runs, and nothing is loaded.
 *
 * @throws invalid_option without a browser, or for HTML of more than 4,000,000 characters; wait_timeout.
 */
export async function takePictures(html: string, settings: PictureSettings): Promise<Picture[]> {
  const { timeoutMs, places = {} } = settings
  if (html.length > maxCharacters)
    throw invalidOption(
      `The HTML has ${html.length} characters: pictures are taken of up to ${maxCharacters}.`,
    )
  const started = monotonicNow()
  const browser = await openChromium(places, timeoutMs)
  const leftMs = timeoutMs - (monotonicNow() - started)
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const message = `The pictures were not ready within ${timeoutMs} ms. Allow more with timeoutMs.`
    timer = setTimeout(() => reject(new LocalpostError('wait_timeout', message)), leftMs)
  })
  try {
    return await Promise.race([takeAll(browser, html, settings), tooLate])
  } finally {
    clearTimeout(timer)
    await browser.close()
  }
}

async function takeAll(
  browser: Browser,
  html: string,
  { mask, timeoutMs }: PictureSettings,
): Promise<Picture[]> {
  const pictures: Picture[] = []
  for (const appearance of appearances) {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      serviceWorkers: 'block',
      acceptDownloads: false,
      colorScheme: appearance,
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'UTC',
      viewport: { width: widths[0] ?? 0, height: minHeight },
    })
    context.setDefaultTimeout(timeoutMs)
    const page = await showAlone(context, html)
    await maskTexts(page, mask)
    for (const width of widths)
      pictures.push({ view: `${width}-${appearance}`, png: await takeOne(context, page, width) })
    await context.close()
  }
  return pictures
}

/** Opens HTML in a page whose every other request is refused. */
async function showAlone(context: BrowserContext, html: string): Promise<Page> {
  const page = await context.newPage()
  let isShown = false
  await context.route('**/*', async (route) => {
    if (isShown || route.request().url() !== address) return route.abort()
    isShown = true
    const headers = { 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' }
    return route.fulfill({ body: html, headers })
  })
  await page.goto(address)
  return page
}

async function takeOne(context: BrowserContext, page: Page, width: number): Promise<Buffer> {
  await page.setViewportSize({ width, height: minHeight })
  // Not asked of the document, whose elements may have the names of its properties.
  const session = await context.newCDPSession(page)
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  await session.detach()
  const height = Math.min(Math.ceil(cssContentSize.height), maxHeight)
  return page.screenshot({
    fullPage: true,
    clip: { x: 0, y: 0, width, height },
    animations: 'disabled',
    // Chromium draws a spinning circle while it loads them.
    style: 'video, audio { visibility: hidden !important }',
  })
}

// From the prototype, because an element of the mail may be called `createTreeWalker`.
const beginWalk =
  'const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT)'

/** Masks the texts that are shown. */
async function maskTexts(page: Page, mask: (text: string) => string): Promise<void> {
  const texts: string[] = await page.evaluate(`(() => {
    ${beginWalk}
    const texts = []
    while (walker.nextNode()) texts.push(walker.currentNode.data)
    return texts
  })()`)
  const changed = texts.flatMap((text, at) => {
    const masked = mask(text)
    return masked === text ? [] : [[at, masked] as const]
  })
  if (changed.length === 0) return
  await page.evaluate(`((changed) => {
    ${beginWalk}
    for (let at = 0; walker.nextNode(); at++) {
      const name = walker.currentNode.parentNode.nodeName
      if (changed.has(at) && name !== 'STYLE') walker.currentNode.data = changed.get(at)
    }
  })(new Map(${JSON.stringify(changed)}))`)
}
