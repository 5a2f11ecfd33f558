/** Memory by number of emails of 20 KB, and how long the event loop stands still meanwhile. */
import { rssOf } from '../lib/cpu.mjs'
import { submit } from '../lib/stores.mjs'

const mebibyte = 1024 * 1024
/** Longer than the store waits for quiet before it writes a checkpoint. */
const settleMs = 6000

/** @type {(few: number, many: number) => import('../run.mjs').Group[]} */
export const memoryGroups = (few, many) => [
  {
    row: 'memory, MiB, and stalls, ms',
    contenders: ['process'],
    rounds: { process: 1 },
    async measure(contender, { start }) {
      const server = await start[contender]({ probed: true })
      try {
        await submit(server, Math.min(few, 2000), 20 * 1024)
        await server.ask('reset')
        await submit(server, few - Math.min(few, 2000), 20 * 1024)
        const atFew = await settled(server)
        await submit(server, many - few, 20 * 1024)
        const loaded = await server.ask('report')
        const atMany = await settled(server)
        return {
          [`rss at ${few}`]: atFew.rss / mebibyte,
          [`rss at ${many}`]: atMany.rss / mebibyte,
          [`heap at ${few}`]: atFew.heapUsed / mebibyte,
          [`heap at ${many}`]: atMany.heapUsed / mebibyte,
          [`rss per email at ${many}, bytes`]: (atMany.rss - atFew.rss) / (many - few),
          [`heap per email at ${many}, bytes`]: (atMany.heapUsed - atFew.heapUsed) / (many - few),
          'stall p50': loaded.p50Ms,
          'stall p99': loaded.p99Ms,
          'stall max': loaded.maxMs,
        }
      } finally {
        await server.stop('SIGKILL')
      }
    },
  },
]

/** After the checkpoint and a collection: `heapUsed` is what is held; `rss` is what was taken before the collection. */
async function settled(server) {
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const rss = rssOf(server.pid)
  const { heapUsed, ...rest } = await server.ask('collect')
  return { heapUsed, rss: rss ?? rest.rss }
}
