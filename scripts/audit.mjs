/**
 * `npm run audit`: reads the report of `npm audit --json` from stdin. Fails where a known vulnerability is in a package that
 * dist contains; those of other packages are printed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ensureBuilt, root } from './prepare.mjs'

ensureBuilt()
const report = JSON.parse(await text(process.stdin))
if (!report.vulnerabilities)
  throw new Error(`npm audit gave no report: ${report.error?.summary || report.message || 'no reason'}`)

const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'))
const names = components
  .flatMap((one) => [one, ...(one.components ?? [])])
  .map(({ group, name }) => (group ? `${group}/${name}` : name))
const found = Object.values(report.vulnerabilities)
const inDist = found.filter(({ name }) => names.includes(name))
for (const { name, severity, via } of found) {
  const where = names.includes(name) ? 'in dist' : 'not in dist'
  const reasons = via.map((one) => (typeof one === 'string' ? `by ${one}` : `${one.title}, ${one.url}`))
  console.log(`${where}: ${name} (${severity}): ${reasons.join('; ')}`)
}
console.log(
  `Known vulnerabilities: ${inDist.length} packages in dist, ${found.length - inDist.length} others.`,
)
process.exitCode = inDist.length > 0 ? 1 : 0
