/**
 * `node scripts/check-patterns.mjs [folder …]`: fails if a regular expression in `src` or `ui` may take more than linear time.
 * What was found linear is kept in node_modules/.cache, so that only new patterns take time.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { judge } from './pattern-cost.mjs'
import { patternsIn } from './pattern-sources.mjs'
import { root } from './prepare.mjs'

/** Judged by hand: patterns that the checker cannot decide, with the reason why each takes linear time. */
const judged = new Map([])

const folders = process.argv.slice(2)
const { patterns, unread } = patternsIn(
  (folders.length > 0 ? folders : ['src', 'ui']).map((one) => resolve(root, one)),
)
const cache = openCache()
const problems = [...unread]
for (const { source, flags, places } of patterns) {
  const written = `/${source}/${flags}`
  if (judged.has(written) || cache.has(written)) continue
  const problem = judge(source, flags)
  if (problem === null) cache.add(written)
  else problems.push(`${places.join(', ')}\n  ${written}\n  ${problem}`)
}
cache.save(patterns.map(({ source, flags }) => `/${source}/${flags}`))

if (problems.length > 0) {
  console.error(problems.join('\n\n'))
  console.error('\nRewrite these so that no text is tried from several places: CONTRIBUTING.md says how.')
}
console.log(`${patterns.length} patterns, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0

/** The patterns that these versions of the checker found linear. */
function openCache() {
  const folder = join(root, 'node_modules/.cache')
  const file = join(folder, 'linear-patterns.json')
  const version = createHash('sha256')
    .update(readFileSync(new URL('pattern-cost.mjs', import.meta.url)))
    .update(readFileSync(join(root, 'node_modules/recheck/package.json')))
    .digest('hex')
  const known = new Set(read())
  return {
    has: (written) => known.has(written),
    add: (written) => known.add(written),
    /** Keeps what is still in use; a run over other folders leaves the cache as it is. */
    save(used) {
      if (folders.length > 0) return
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, JSON.stringify({ version, linear: used.filter((written) => known.has(written)) }))
    },
  }

  function read() {
    try {
      const stored = JSON.parse(readFileSync(file, 'utf8'))
      return stored.version === version ? stored.linear : []
    } catch {
      // There is none yet.
      return []
    }
  }
}
