import type { Page } from 'playwright-core'

/** The visible controls that are partly outside the window. */
export function outOfReach(page: Page, width: number): Promise<string[]> {
  return page.evaluate(
    (edge) =>
      [...document.querySelectorAll('button, a, input')].flatMap((control) => {
        const box = control.getBoundingClientRect()
        // Controls in a row that scrolls sideways can be reached.
        const isInScroller = control.closest('.stage') !== null
        const seen = box.width > 0 && control.checkVisibility() && !isInScroller
        return seen && (box.left < 0 || box.right > edge)
          ? [`${control.textContent} ${box.left}–${box.right}`]
          : []
      }),
    width,
  )
}

/** Texts that are wider than their place, but for those that end in an ellipsis or can be scrolled. */
export function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('#app *')].flatMap((one) => {
      const { overflowX, textOverflow, display } = getComputedStyle(one)
      const hasWords = [...one.childNodes].some((node) => node instanceof Text && node.data.trim() !== '')
      const isMeant =
        textOverflow === 'ellipsis' || ['auto', 'scroll'].includes(overflowX) || display === 'inline'
      const isSeen = one.checkVisibility() && one.clientWidth > 1 && !one.closest('textarea, select, .unseen')
      return hasWords && isSeen && !isMeant && one.scrollWidth > one.clientWidth + 1
        ? [`${one.className}: ${one.textContent.slice(0, 60)}`]
        : []
    }),
  )
}
