import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { objections, stopTransitions } from './_axe.ts'
import { fillWithHostile } from './_hostile-views.ts'
import { clippedControls, cutWords, outOfReach, tooSmall, unseenStates } from './_reach.ts'
import { openPage } from './_setup.ts'
import { openView } from './_views.ts'

const widths = [320, 390, 768, 1024, 1440]

it('every view shows all of itself at every width, in both themes and in forced colours, whatever it holds', async () => {
  const { post, page } = await openPage({}, false)
  const faults: string[] = []
  for (const view of await fillWithHostile(post)) {
    const found = (at: string | number, what: readonly string[]): void =>
      void faults.push(...what.map((one) => `${view.name} at ${at}: ${one}`))
    await page.setViewportSize({ width: 1440, height: 844 })
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' })
    await openView(page, post, view)
    // Also the dark theme.
    found('axe', await objections(page))
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 })
      await page.evaluate(() => new Promise(requestAnimationFrame))
      found(width, await tooWide(page))
      found(width, [
        ...(await outOfReach(page, width)),
        ...(await clippedControls(page)),
        ...(await cutWords(page)),
        ...(await tooSmall(page)),
      ])
    }
    await page.emulateMedia({ forcedColors: 'active' })
    await page.evaluate(stopTransitions)
    found('forced colours', await unseenStates(page))
  }
  expect(faults).toEqual([])
}, 600_000)

it('the dialogs and menus fit a small phone, and show their state in forced colours', async () => {
  const { post, page } = await openPage({}, false)
  const views = await fillWithHostile(post)
  const mail = views.find(({ path }) => path.endsWith('/html'))
  if (!mail) throw new Error('No view is a mail.')
  await page.setViewportSize({ width: 320, height: 640 })
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  for (const [name, open] of Object.entries(overlays)) {
    await page.goto('about:blank')
    await openView(page, post, mail)
    await open(page)
    expect(await tooWide(page), name).toEqual([])
    expect(await outOfReach(page, 320), name).toEqual([])
    expect(await tooSmall(page), name).toEqual([])
    await page.evaluate(stopTransitions)
    expect(await unseenStates(page), name).toEqual([])
  }
}, 120_000)

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.locator('section.main').getByRole('button', { name }).first().click()

/** What opens over a mail, by what opens it. */
const overlays: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  share: (page) => press(page, 'Share'),
  'view as': (page) => press(page, 'View as'),
  tag: (page) => press(page, /^Tag$/),
  'all tags': (page) => press(page, /^\+\d+ tags$/),
  details: (page) => press(page, 'Details'),
  links: (page) => press(page, /^\d+ links?$/),
  async release(page) {
    await press(page, 'Share')
    await press(page, 'Release to a real address')
    await page.getByRole('dialog').waitFor()
  },
  async commands(page) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor()
  },
  async keys(page) {
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  },
}

/** The parts of the page that can be scrolled sideways, though they should not. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, section.main, dialog')]
      .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
      .map((one) => `${one.tagName}.${one.className} is ${one.scrollWidth} of ${one.clientWidth} wide`),
  )
}
