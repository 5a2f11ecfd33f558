import ci from '../../../docs/guides/ci.md?raw'
import elsewhere from '../../../docs/guides/testing-elsewhere.md?raw'
import jest from '../../../docs/guides/testing-jest.md?raw'
import playwright from '../../../docs/guides/testing-playwright.md?raw'
import vitest from '../../../docs/guides/testing-vitest.md?raw'
import workers from '../../../docs/guides/testing-workers.md?raw'

/** How tests and CI use Localpost: the code of the guides, which is run by tests of the documentation. */
export interface Recipe {
  name: string
  /** The blocks of code, in their order. */
  blocks: string[]
}

/** The guide of each, the heading of its section (`""`: from the start), and how many blocks of code count. */
const table: readonly (readonly [name: string, guide: string, heading: string, blocks: number])[] = [
  ['Playwright', playwright, '', 1],
  ['Vitest', vitest, '## A test', 1],
  ['Jest', jest, '', 1],
  ['Cypress', elsewhere, '## Cypress', 3],
  ['pytest', workers, '### pytest', 1],
  ['Any language', ci, '', 2],
  ['GitHub Actions', ci, '## GitHub Actions', 1],
  ['GitLab', ci, '## GitLab', 1],
]

export const recipes: readonly Recipe[] = table.map(([name, guide, heading, blocks]) => ({
  name,
  blocks: blocksAfter(guide, heading).slice(0, blocks),
}))

function blocksAfter(guide: string, heading: string): string[] {
  const [, ...parts] = guide.slice(heading === '' ? 0 : guide.indexOf(`\n${heading}\n`)).split('\n```')
  // Every second part is the text between two blocks.
  return parts.filter((_, at) => at % 2 === 0).map((part) => part.slice(part.indexOf('\n') + 1))
}
