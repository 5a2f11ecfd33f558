import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { cutWords, outOfReach } from './_reach.ts'
import { openPage, submit } from './_setup.ts'
import { fillViews, longHost, openView } from './_views.ts'

const widths = [1440, 1024, 768, 390]

it('no view is larger than the window, cuts words or puts a control out of reach, at any width', async () => {
  const { post, page } = await openPage({}, false)
  for (const view of await fillViews(post)) {
    await page.setViewportSize({ width: 1440, height: 844 })
    await openView(page, post, view)
    await checkWidths(page, view.name)
  }
}, 120_000)

it.each(widths)('the mail has the whole window in the full view, %i wide', async (width) => {
  const { post, page } = await openPage({}, false)
  await submit(post, { subject: 'Long', text: 'line\n'.repeat(200) })
  const [mail] = (await post.inbox.list()).items
  await page.setViewportSize({ width, height: 844 })
  await page.goto(`${post.url}/#/mail/${mail?.id}/full`)
  await page.getByRole('heading', { name: 'Long' }).waitFor()
  expect(await page.locator('section.main').boundingBox()).toEqual({ x: 0, y: 0, width, height: 844 })
})

it('the name of a domain has a line of its own on a phone', async () => {
  const { post, page } = await openPage({}, false)
  const { id } = await post.domains.create({ name: longHost })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${post.url}/#/domains/${id}`)
  const name = await page.getByRole('heading', { name: longHost }).boundingBox()
  const remove = await page.getByRole('button', { name: 'Delete', exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThan(280)
  expect(remove?.y).toBeGreaterThan((name?.y ?? 0) + (name?.height ?? 0))
})

async function checkWidths(page: Page, view: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(await sizeOf(page), `${view} at ${width}`).toEqual({ width, height: 844 })
    expect(await outOfReach(page, width), `${view} at ${width}`).toEqual([])
    expect(await cutWords(page), `${view} at ${width}`).toEqual([])
  }
}

/** How large the page is: only parts of it may scroll, never the page itself. */
function sizeOf(page: Page): Promise<{ width: number; height: number }> {
  return page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return { width: scrollWidth, height: scrollHeight }
  })
}
