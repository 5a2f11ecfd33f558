import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { isLong } from '../support/long.ts'

/** The widths at which pages are inspected: a desktop's and a phone's. */
export const widths = [1280, 390]

/** Gives the page a width, and no animations. */
export async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 844 })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/**
 * The accessibility violations of the page in light and in dark: the rule, and where. The dark scheme changes only colors,
 * so that only the rules about these run in it. Frames hold foreign mail, and run no scripts.
 */
export async function objections(page: Page): Promise<string[]> {
  // Colors do not depend on the width, so that the sample inspects them at the widths of a desktop.
  if (!isLong && (page.viewportSize()?.width ?? 0) < Math.max(...widths))
    return run(page, { type: 'tag', values: tags }, colorRules)
  const inLight = await run(page, { type: 'tag', values: tags })
  await page.emulateMedia({ colorScheme: 'dark' })
  const inDark = await run(page, { type: 'rule', values: colorRules })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...inLight, ...inDark.map((violation) => `dark: ${violation}`)]
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colorRules = ['color-contrast', 'link-in-text-block']

async function run(page: Page, runOnly: axe.RunOnly, without: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    await page.evaluate(axe.source)
    await page.evaluate(stopTransitions)
  }
  const rules = Object.fromEntries(without.map((name) => [name, { enabled: false }]))
  return page.evaluate(
    async (chosen) => {
      const options = { ...chosen, iframes: false, resultTypes: ['violations'] }
      const { violations } = await (
        globalThis as unknown as { axe: { run(where: Document, options: object): Promise<axe.AxeResults> } }
      ).axe.run(document, options)
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
      )
    },
    { runOnly, rules },
  )
}

/** From now on each color has its final value at once. */
export function stopTransitions(): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important }')
  document.adoptedStyleSheets.push(sheet)
}
