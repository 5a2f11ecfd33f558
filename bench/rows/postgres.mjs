/** The store in PostgreSQL: beside the folder, by the number of emails stored, and with two instances. */
import { fileURLToPath } from 'node:url'
import { rssOf } from '../lib/cpu.mjs'
import { runJson } from '../lib/processes.mjs'
import { submit } from '../lib/stores.mjs'
import { get, newestId } from './lists.mjs'
import { medianToEvent } from './live.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))

/**
 * @param {string} url  Of an empty database on this machine, with the rights to make schemas.
 * @param {boolean} quick
 * @returns {import('../run.mjs').Group[]}
 */
export function postgresGroups(url, quick) {
  const most = quick ? 2000 : 100_000
  let schemas = 0
  const fresh = () => `${url}?schema=bench_${process.pid}_${++schemas}`
  /** Runs with as many instances over one schema. */
  async function withInstances(count, context, work, store = fresh()) {
    const servers = []
    try {
      while (servers.length < count) servers.push(await context.start.inDatabase({ store }))
      return await work(servers)
    } finally {
      for (const server of servers) await server.stop('SIGTERM')
    }
  }
  async function capture(server) {
    const extent = quick ? { measureMs: 500, leastCount: 500 } : { measureMs: 4000, leastCount: 4000 }
    const load = {
      bytes: 2048,
      oneEach: false,
      connections: 16,
      warmUpMs: 700,
      warmUpCount: 1000,
      count: 400_000,
    }
    return await runJson([
      generator,
      JSON.stringify({ ...load, ...extent, port: server.smtpPort, pid: server.pid }),
    ])
  }
  const filled = new Map()
  /** A schema with so many emails, filled once. */
  async function storeOf(size, context) {
    const store = filled.get(size) ?? fresh()
    if (!filled.has(size)) await withInstances(1, context, ([server]) => submit(server, size, 2048), store)
    filled.set(size, store)
    return store
  }
  const bySize = (row, measure) => ({
    row,
    contenders: ['100', String(most)],
    rounds: { 100: 1, [most]: 1 },
    async measure(size, context) {
      const store = await storeOf(Number(size), context)
      return await withInstances(1, context, ([server]) => measure(server), store)
    },
  })
  return [
    {
      row: 'smtp 2 KB, PostgreSQL',
      contenders: ['disk', 'one instance', 'two instances'],
      async measure(contender, context) {
        if (contender === 'disk') {
          const server = await context.start.disk()
          return await capture(server).finally(() => server.stop('SIGKILL'))
        }
        return await withInstances(contender === 'one instance' ? 1 : 2, context, async (servers) => {
          const all = await Promise.all(servers.map(capture))
          return { perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0) }
        })
      },
    },
    {
      row: 'live events, PostgreSQL',
      contenders: ['from 250 to the event at another instance, ms'],
      measure: (_, context) =>
        withInstances(2, context, ([one, other]) => medianToEvent(one, other, quick ? 20 : 200)),
    },
    bySize('list of 50, PostgreSQL, ms', (server) => get(server, '/v1/emails', quick)),
    bySize('detail, PostgreSQL, ms', async (server) =>
      get(server, `/v1/emails/${await newestId(server)}`, quick),
    ),
    {
      row: 'start, PostgreSQL',
      contenders: [String(most)],
      rounds: { [most]: 1 },
      async measure(size, context) {
        const store = await storeOf(Number(size), context)
        const began = performance.now()
        return await withInstances(
          1,
          context,
          async ([server]) => {
            await newestId(server)
            const ms = performance.now() - began
            return { ms, 'resident MiB': rssOf(server.pid) / 1024 / 1024 }
          },
          store,
        )
      },
    },
  ]
}
