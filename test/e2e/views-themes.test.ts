import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { sampleOf } from '../support/long.ts'
import { objections, setWidth, widths } from './_axe.ts'
import { openPage } from './_setup.ts'
import { fillViews, openView } from './_views.ts'

it.each(sampleOf(widths, 1))(
  'no view has accessibility violations in light and in dark, %i wide',
  async (width) => {
    const { post, page } = await openPage({}, false)
    await setWidth(page, width)
    for (const view of await fillViews(post)) {
      await openView(page, post, view)
      expect(await objections(page), view.name).toEqual([])
    }
  },
  240_000,
)

it('nothing moves in any view where the reader wants less motion', async () => {
  const { post, page } = await openPage({}, false)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const views = await fillViews(post)
  await page.goto(post.url ?? '')
  await page.getByRole('navigation', { name: 'Mails' }).waitFor()
  // Otherwise the page does move, so that the rest of this test inspects something.
  expect(await motion(page)).not.toEqual([])
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const view of views) {
    await openView(page, post, view)
    expect(await motion(page), view.name).toEqual([])
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find a command' }).waitFor()
  expect(await motion(page), 'palette').toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await motion(page), 'shortcuts').toEqual([])
}, 120_000)

/** The elements that a style moves for longer than a millisecond, and those that scroll smoothly. */
function motion(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const longest = (durations: string): number =>
      Math.max(...durations.split(', ').map((one) => parseFloat(one) * (one.endsWith('ms') ? 1 : 1000)))
    const running = document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().duration) > 1)
      .map((animation) => `running: ${animation.constructor.name}`)
    const styled = [...document.querySelectorAll('*')].flatMap((one) =>
      [undefined, '::before', '::after', '::backdrop'].flatMap((pseudo) => {
        const { animationName, animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(
          one,
          pseudo,
        )
        const isAnimated = animationName !== 'none' && longest(animationDuration) > 1
        return isAnimated || longest(transitionDuration) > 1 || scrollBehavior === 'smooth'
          ? [`${one.tagName}.${one.className}${pseudo ?? ''}`]
          : []
      }),
    )
    return [...running, ...styled]
  })
}
