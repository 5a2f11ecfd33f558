import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Builds dist once before the tests, if it is stale and a test may need it: some run the command and the page as
 * they ship. A run that is narrowed to other files is not made to wait.
 */
export default function setup(): void {
  const filters = filtersOf(process.argv.slice(2))
  if (filters.length > 0 && !filters.some((filter) => needsBuild.test(filter))) return
  const script = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))
  execFileSync(process.execPath, [script, '--if-stale'], { stdio: ['ignore', 'inherit', 'inherit'] })
}

const needsBuild = /cli\b|crash|e2e|examples|reading|test\/hostile|^(?:\.\/)?test\/?$/

// `vitest run -t title test/mime`: a word after a flag is taken for its value.
function filtersOf(args: readonly string[]): string[] {
  return args.filter((word, index) => !/^-|^run$/.test(word) && !args[index - 1]?.startsWith('-'))
}
