import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fillWithHostile } from './_hostile-views.ts'
import { openPage } from './_setup.ts'
import { openView } from './_views.ts'

it('long words and many entries do not widen a view at 320 pixels', async () => {
  const { post, page } = await openPage({}, false)
  const errors: string[] = []
  page.on('pageerror', ({ message }) => errors.push(message))
  const views = await fillWithHostile(post)
  await page.setViewportSize({ width: 320, height: 640 })
  for (const view of views) {
    await openView(page, post, view)
    expect(await page.evaluate(widest), view.name).toBe(320)
  }
  await page.goto(`${post.url}/#/requests`)
  await page.getByRole('button', { name: 'Dismiss all' }).waitFor()
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
  // One page of each list: the rest is loaded on request.
  await expect.poll(() => rows.count()).toBeLessThanOrEqual(300)
  expect(errors).toEqual([])
})

/** The width of the content; a view scrolls on its own, and must not do so sideways. */
const widest = (): number =>
  Math.max(...[document.documentElement, ...document.querySelectorAll('main')].map((one) => one.scrollWidth))

const rooms = ['requests', 'domains', 'audiences', 'templates', 'webhooks', 'scheduled', 'rules', 'connect']
const answers = {
  500: (page: Page) => page.route(isApi, (route) => route.fulfill({ status: 500, body: 'oops' })),
  503: (page: Page) =>
    page.route(isApi, (route) =>
      route.fulfill({
        status: 503,
        json: { statusCode: 503, name: 'service_unavailable', message: 'The disk is full.' },
      }),
    ),
  none: (page: Page) => page.route(isApi, (route) => route.abort()),
  // Its deadline is shortened below.
  never: (page: Page) => page.route(isApi, () => undefined),
  slow: (page: Page) =>
    page.route(isApi, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800))
      // The page may have moved on, and its routes with it.
      await route.continue().catch(() => undefined)
    }),
} as const
const isApi = /\/(?:dev\/(?!health|session|events|accounts|keys|providers)|v1\/)/

describe.each(Object.keys(answers) as (keyof typeof answers)[])('an API that answers: %s', (kind) => {
  it('leaves a message and a way back in each view', async () => {
    const { post, page } = await openPage({}, false)
    await post.domains.create({ name: 'acme.example' })
    if (kind === 'never')
      await page.addInitScript(() => {
        const { timeout } = AbortSignal
        AbortSignal.timeout = () => timeout.call(AbortSignal, 500)
      })
    for (const room of rooms) {
      await page.goto('about:blank')
      await page.unrouteAll()
      await answers[kind](page)
      if (room === 'connect')
        await page.route('**/dev/providers', (route) => (kind === 'slow' ? route.continue() : route.abort()))
      await page.goto(`${post.url}/#/${room}`)
      if (kind === 'slow') {
        await settled(page)
        expect(await page.getByRole('alert').count(), room).toBe(0)
        continue
      }
      const again = page.getByRole('button', { name: 'Try again' }).first()
      await again.waitFor()
      expect(await page.getByRole('alert').count(), room).toBeGreaterThan(0)
      await page.unrouteAll()
      // Some views have several lists, each with a way back of its own.
      const left = async (): Promise<number> => {
        if (await again.isVisible()) await again.click()
        return page.getByRole('button', { name: 'Try again' }).count()
      }
      await expect.poll(left, { message: room }).toBe(0)
    }
  })
})

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('main').first().waitFor()
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
}
