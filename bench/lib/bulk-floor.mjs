/**
 * The floor for changes of many mails, as a program: `node bulk-floor.mjs <data folder>`. It parses every record of the
 * store's files, writes it as JSON again, and appends the result to one file, in steps of 500. Nothing is checked or
 * indexed, and there are no events.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const dir = process.argv[2] ?? ''
const lines = readdirSync(join(dir, 'emails')).flatMap((name) =>
  readFileSync(join(dir, 'emails', name), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"record":')),
)
const texts = lines.map((line) => line.slice(line.indexOf('"record":') + 9, line.lastIndexOf('}')))
const begunAt = performance.now()
const cpu = process.cpuUsage()
for (let at = 0; at < texts.length; at += 500) {
  const changed = texts
    .slice(at, at + 500)
    .map((text) => JSON.stringify({ ...JSON.parse(text), unread: false }))
  appendFileSync(join(dir, 'floor'), `${changed.join('\n')}\n`)
}
const { user, system } = process.cpuUsage(cpu)
process.stdout.write(
  JSON.stringify({ ms: performance.now() - begunAt, 'mark, CPU ms': (user + system) / 1000 }),
)
