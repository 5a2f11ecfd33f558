/** A store that keeps its newest 5,000 mails while many more come in: disk and memory must stay the same. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { rssOf } from '../lib/cpu.mjs'
import { submit } from '../lib/stores.mjs'

const mebibyte = 1024 * 1024
const kept = 5000
const bytes = 2048
const steps = 20

/** @type {(count: number) => import('../run.mjs').Group[]} */
export const churnGroups = (count) => [
  {
    row: `churn of ${count} mails, ${kept} kept`,
    contenders: ['process'],
    rounds: { process: 1 },
    async measure(contender, { start, scratch }) {
      const dir = mkdtempSync(join(scratch, 'churn-'))
      try {
        const server = await start[contender]({ dir, flags: [`--max-emails=${kept}`] })
        const seen = []
        for (let step = 0; step < steps; step++) {
          const { perSecond } = await submit(server, count / steps, bytes)
          seen.push({ perSecond, rss: rssOf(server.pid) / mebibyte, disk: sizeOf(dir) / mebibyte })
        }
        // Longer than the store waits for quiet before it writes a checkpoint.
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        const atRest = sizeOf(dir) / mebibyte
        const records = sizeOf(join(dir, 'emails')) / mebibyte
        await server.stop()
        const live = (kept * bytes) / mebibyte + records
        const half = seen.slice(steps / 2)
        return {
          'per second, first': seen[1].perSecond,
          'per second, last': seen.at(-1).perSecond,
          'live, MiB': live,
          'disk at most, of live': Math.max(...half.map(({ disk }) => disk)) / live,
          'disk at rest, of live': atRest / live,
          'MiB at half': half[0].rss,
          'MiB at the end': half.at(-1).rss,
          'growth, MiB': growth(half.map(({ rss }) => rss)),
        }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  },
]

/** The rise of a line fitted to the values: single values vary with the garbage collector. */
function growth(values) {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [above, below] = [0, 0]
  for (const [at, value] of values.entries()) {
    above += (at - middle) * (value - mean)
    below += (at - middle) ** 2
  }
  return (above / below) * (values.length - 1)
}

/** The bytes of all files in a folder. The store removes files meanwhile. */
function sizeOf(dir) {
  let sum = 0
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) sum += sizeOf(path)
    else sum += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return sum
}
