import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The accessibility violations of the page: the rule, and where. Frames hold foreign mail, and run no scripts. */
export async function objections(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async (tags) => {
    const options = { runOnly: { type: 'tag', values: tags }, iframes: false, resultTypes: ['violations'] }
    const { violations } = await (
      globalThis as unknown as { axe: { run(where: Document, options: object): Promise<axe.AxeResults> } }
    ).axe.run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
    )
  }, rules)
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
