import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Frame, Page, Request } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { openPage, panel, tab } from './_setup.ts'
import { isLong, sampleOf } from '../support/long.ts'
import { submit } from '../support/submit.ts'

const folder = fileURLToPath(new URL('../fixtures/hostile/', import.meta.url))
const corpus = readdirSync(folder).sort()

describe('a mail of the hostile corpus', () => {
  it.each(sampleOf(corpus, 5))('runs no script, leads nowhere and fetches nothing: %s', async (file) => {
    const { post, page } = await openPage()
    await page.setViewportSize({ width: 1500, height: 900 })
    const id = await submitRaw(post, file)
    const surprises = await watch(page, id)
    let rounds = 0
    let tabs = 0
    page.on('popup', () => tabs++)
    const clickAll = async (): Promise<void> => {
      rounds += 1
      await clickEverything(page)
    }
    await page.goto(`${post.url}/#/mail/${id}`)
    await page.locator('article').waitFor()

    for (const side of await page.getByRole('tab').all()) {
      await side.click()
      await panel(page).locator('*').first().waitFor()
    }
    if ((await page.getByRole('tab', { name: 'HTML' }).count()) > 0) await tab(page, 'HTML').click()
    for (const look of ['Dark', 'Dark, inverted', 'Light']) {
      const choice = page.getByRole('radio', { name: look, exact: true })
      if ((await choice.count()) === 0) break
      await choice.check()
      await mailFrame(page)
      if (look === 'Light') await clickAll()
    }
    for (const client of ['gmail/desktop-webmail', 'outlook/windows']) {
      if ((await page.locator('iframe').count()) === 0) break
      await page.getByRole('button', { name: 'View as' }).click()
      await page.getByRole('combobox', { name: 'Mail client' }).selectOption(client)
      await page.keyboard.press('Escape')
      await page.getByText('An approximation of').waitFor()
      await mailFrame(page)
      if (isLong) await clickAll()
    }
    expect(surprises).toEqual([])
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
    expect(new URL(page.url()).origin).toBe(new URL(post.url ?? '').origin)
    // Each round of clicks opened each link to the web in a tab of its own, and nothing else.
    const { links } = await post.inbox.get(id)
    const web = links.filter(({ href }) => /^https?:\/\//i.test(href))
    expect(tabs).toBeLessThanOrEqual(rounds * web.length)
    expect((await post.inbox.list()).count).toBe(1)
  })

  it.each(corpus)(
    'runs nothing in a window of its own, and hands its files out as downloads: %s',
    async (file) => {
      const { post, page } = await openPage()
      const id = await submitRaw(post, file)
      const surprises = await watch(page, id)
      await page.goto(`${post.url}/dev/inbox/${id}/html`)
      await page.waitForLoadState('load')
      expect(surprises.filter((one) => !one.startsWith('download'))).toEqual([])
      expect(await page.evaluate(() => 'hit' in globalThis).catch(() => false)).toBe(false)

      for (const { index } of (await post.inbox.get(id)).attachments) {
        const { headers } = await fetch(`${post.url}/dev/inbox/${id}/attachments/${index}`)
        const type = headers.get('content-type') ?? ''
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain('sandbox')
        expect(headers.get('content-disposition')).not.toMatch(/[\r\n/\\]/)
        if (!/^image\/(?:png|jpeg|gif|webp)$/.test(type))
          expect(headers.get('content-disposition')).toMatch(/^attachment;/)
      }
    },
  )
})

/** Submits a message of the corpus over real SMTP, byte for byte. */
function submitRaw(post: Localpost, file: string): Promise<string> {
  const raw = readFileSync(folder + file, 'utf8').replace(/\r?\n/g, '\r\n')
  return submit(post, { envelope: { from: 'evil@example.net', to: ['ada@example.com'] }, raw })
}

/** The requests that a mail may cause, with those of the page itself: its own parts, and nothing that changes anything. */
function isExpected(request: Request, id: string): boolean {
  const { pathname } = new URL(request.url())
  const method = request.method()
  // What the navigation marks, which the page asks for when it is idle.
  if (
    request.resourceType() === 'fetch' &&
    /^\/dev\/(?:missing|rules|smtp-sessions|webhooks)$/.test(pathname)
  )
    return method === 'GET'
  if (pathname === `/dev/inbox/${id}`) return method === 'GET' || method === 'PATCH'
  return (
    method === 'GET' &&
    (/^\/(?:|favicon\.svg|assets\/[\w.-]+|dev\/(?:accounts|health|events|keys|inbox|inbox\/bulk|inbox\/tags))$/.test(
      pathname,
    ) ||
      new RegExp(
        `^/dev/inbox/${id}/(?:html|raw|structure|checks|preview|client-support|attachments/\\d+)$`,
      ).test(pathname))
  )
}

/** Blocks every request that is not the page's own, and records everything that must not happen. */
async function watch(page: Page, id: string): Promise<string[]> {
  const surprises: string[] = []
  const { origin } = new URL(page.url())
  await page.context().route('**/*', async (route) => {
    const request = route.request()
    const url = new URL(request.url())
    if (url.origin === origin && isExpected(request, id)) return route.continue()
    // A link opens a tab of its own, of another origin.
    const isTab = request.isNavigationRequest() && !isOf(page, request)
    if (!isTab || url.origin === origin || !/^https?:$/.test(url.protocol) || request.method() !== 'GET')
      surprises.push(`request: ${request.method()} ${request.url()}`)
    return route.abort()
  })
  // Before the next test, and awaited: the context is closed at the end of the last one.
  onTestFinished(() => page.context().unroute('**/*'))
  page.on('dialog', (dialog) => {
    surprises.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => {
    if (!/^(?:https?:|about:blank$|chrome-error:)/.test(popup.url())) surprises.push(`popup: ${popup.url()}`)
  })
  page.on('pageerror', (error) => surprises.push(`error: ${error.message}`))
  page.on('download', (download) => surprises.push(`download: ${download.url()}`))
  return surprises
}

/** Whether a page asked; the first request of a new tab comes before its frame is known. */
function isOf(page: Page, request: Request): boolean {
  try {
    return request.frame().page() === page
  } catch {
    return false
  }
}

/** Clicks every link and button of the mail, as a careless reader would; each click may reload the frame. */
async function clickEverything(page: Page): Promise<void> {
  const frame = await mailFrame(page)
  const count = await frame.locator('a, button, input, summary').count()
  for (let at = 0; at < Math.min(count, isLong ? 12 : 5); at++) {
    const target = (await mailFrame(page)).locator('a, button, input, summary').nth(at)
    await target.click({ force: true, timeout: 700, noWaitAfter: true }).catch(() => undefined)
  }
  await mailFrame(page)
}

/** The mail's frame, once its document is loaded; it is created again after a link was followed. */
async function mailFrame(page: Page): Promise<Frame> {
  let found: Frame | null = null
  await expect
    .poll(async () => {
      const element = await page.locator('iframe[title="The mail as HTML"]').elementHandle()
      found = (await element?.contentFrame().catch(() => null)) ?? null
      return found?.url().includes('/html?') ?? false
    })
    .toBe(true)
  return found ?? page.mainFrame()
}
