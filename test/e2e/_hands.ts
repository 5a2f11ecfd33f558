import type { Locator, Page } from 'playwright-core'

/** What a person does, counted: each click, each key, and each text that is typed. */
export interface Hands {
  readonly count: number
  click(what: Locator): Promise<void>
  /** Chooses from a list that is open already, as one click. */
  choose(what: Locator, label: RegExp): Promise<void>
  press(...keys: string[]): Promise<void>
  type(text: string): Promise<void>
}

/** The hands on a page, which begin at 0. */
export function handsOn(page: Page): Hands {
  let count = 0
  return {
    get count() {
      return count
    },
    async click(what) {
      count++
      await what.click()
    },
    async choose(what, label) {
      count++
      const names = await what.locator('option').allTextContents()
      await what.selectOption({ label: names.find((name) => label.test(name)) ?? '' })
    },
    async press(...keys) {
      for (const key of keys) {
        count++
        await page.keyboard.press(key)
      }
    },
    async type(text) {
      count++
      await page.keyboard.type(text)
    },
  }
}

/** Hands that have no mouse: what is to be clicked is reached with Tab, and pressed with Enter. */
export function keysOn(page: Page): Hands {
  const hands = handsOn(page)
  async function reach(what: Locator): Promise<void> {
    const isReached = (): Promise<boolean> => what.evaluate((one) => one === document.activeElement)
    for (let presses = 0; !(await isReached()); presses++) {
      if (presses === mostTabs) throw new Error(`${mostTabs} times Tab do not lead to ${String(what)}.`)
      await hands.press('Tab')
    }
  }
  return {
    get count() {
      return hands.count
    },
    press: hands.press,
    type: hands.type,
    async click(what) {
      await reach(what)
      // Enter in a field would send its form.
      if (!(await what.evaluate((one) => one instanceof HTMLInputElement))) await hands.press('Enter')
    },
    async choose(what, label) {
      await reach(what)
      const names = await what.locator('option').allTextContents()
      await hands.type(names.find((name) => label.test(name)) ?? '')
    },
  }
}

const mostTabs = 150
