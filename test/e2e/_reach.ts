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

/** The controls that are smaller than 24 pixels, with the label that belongs to them; links within a sentence may be. */
export function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, a, input, select, textarea, summary')].flatMap((control) => {
      const label = control instanceof HTMLInputElement ? control.closest('label') : null
      const { width, height } = (label ?? control).getBoundingClientRect()
      const isInSentence =
        getComputedStyle(control).display === 'inline' &&
        [...(control.parentNode?.childNodes ?? [])].some((one) => one instanceof Text && /\w/.test(one.data))
      const isShown = control.checkVisibility() && width > 1
      return isShown && !isInSentence && (width < 24 || height < 24)
        ? [`${control.outerHTML.slice(0, 120)}: ${width} × ${height}`]
        : []
    }),
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

/** The visible controls of which an ancestor cuts a part off, so that it can neither be seen nor scrolled to. */
export function clippedControls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('a, button, input, select, textarea, summary')].flatMap((control) => {
      const box = control.getBoundingClientRect()
      if (
        box.width === 0 ||
        !control.checkVisibility({ visibilityProperty: true }) ||
        control.closest('.unseen')
      )
        return []
      for (let one = control.parentElement; one && one !== document.body; one = one.parentElement) {
        const { overflowX, position } = getComputedStyle(one)
        const { left, right } = one.getBoundingClientRect()
        const isCut = box.left < left - 1 || box.right > right + 1
        if (isCut && ['auto', 'scroll'].includes(overflowX) && one.clientWidth < one.scrollWidth) break
        if (isCut && overflowX !== 'visible')
          return [`${control.textContent.trim().slice(0, 60)} by ${one.tagName}.${one.className}`]
        if (position === 'fixed') break
      }
      return []
    }),
  )
}

/**
 * What is current, chosen or pressed, but looks as if it were not: with the same colors, lines and weight as without that
 * state. Forced colors take most of a style away.
 */
export function unseenStates(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lookOf = (one: Element): string => {
      const style = getComputedStyle(one)
      const looks = [
        'backgroundColor',
        'color',
        'borderColor',
        'outlineStyle',
        'fontWeight',
        'textDecorationLine',
      ] as const
      return looks.map((name) => style[name]).join()
    }
    const states = [
      ['[aria-current]:not([aria-current="false"])', 'aria-current'],
      ['[aria-selected="true"]', 'aria-selected'],
      ['[aria-pressed="true"]', 'aria-pressed'],
    ] as const
    const unseen = states.flatMap(([selector, name]) =>
      [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility())
        .filter((one) => {
          const value = one.getAttribute(name) ?? ''
          const before = lookOf(one)
          one.setAttribute(name, 'false')
          const without = lookOf(one)
          one.setAttribute(name, value)
          return before === without
        }),
    )
    const choices = [...document.querySelectorAll<HTMLInputElement>('[role=radiogroup] :checked')].flatMap(
      (input) => {
        const label = input.nextElementSibling
        const other = input
          .closest('[role=radiogroup]')
          ?.querySelector('input:not(:checked)')?.nextElementSibling
        return label && other && label.checkVisibility() && lookOf(label) === lookOf(other) ? [label] : []
      },
    )
    return [...unseen, ...choices].map(
      (one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`,
    )
  })
}
