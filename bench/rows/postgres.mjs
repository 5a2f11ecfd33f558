/** The store in PostgreSQL: beside the folder, by the number of emails stored, and with two instances. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rssOf } from '../lib/cpu.mjs'
import { runJson, runToEnd } from '../lib/processes.mjs'
import { createSchemas } from '../lib/database.mjs'
import { submit } from '../lib/stores.mjs'
import { get, newestId } from './lists.mjs'
import { medianToEvent } from './live.mjs'
import { searchTimes } from './search.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))

/**
 * @param {string} url  Of an empty database on this machine, with the rights to make schemas.
 * @param {boolean} quick
 * @returns {import('../run.mjs').Group[]}
 */
export function postgresGroups(url, quick) {
  const most = quick ? 4000 : 100_000
  const largest = quick ? 20_000 : 1_000_000
  const schemas = createSchemas(url)
  /** Runs with as many instances over one schema. */
  async function withInstances(count, context, work, store = schemas.fresh()) {
    const servers = []
    try {
      while (servers.length < count) servers.push(await context.start.inDatabase({ store }))
      return await work(servers)
    } finally {
      for (const server of servers) await server.stop('SIGTERM')
    }
  }
  async function capture(server) {
    // The first ten seconds are not counted: V8 compiles what an instance runs, and a server of a team runs for weeks.
    const extent = quick
      ? { warmUpMs: 700, measureMs: 500, leastCount: 500 }
      : { warmUpMs: 10_000, measureMs: 4000, leastCount: 4000 }
    const load = { bytes: 2048, oneEach: false, connections: 16, warmUpCount: 1000, count: 1_000_000 }
    return await runJson([
      generator,
      JSON.stringify({ ...load, ...extent, port: server.smtpPort, pid: server.pid }),
    ])
  }
  const bySize = (row, measure) => ({
    row,
    contenders: ['100', String(most)],
    rounds: { 100: 1, [most]: 1 },
    async measure(size, context) {
      const store = await schemas.of(Number(size), context)
      return await withInstances(1, context, ([server]) => measure(server), store)
    },
  })
  return [
    {
      row: 'smtp 2 KB, PostgreSQL',
      contenders: ['disk', 'one instance', 'two instances', 'mailpit', 'maildev 2.2.1'],
      async measure(contender, context) {
        const count = { 'one instance': 1, 'two instances': 2 }[contender]
        if (count === undefined) {
          const server = await context.start[contender]()
          return await capture(server).finally(() => server.stop('SIGKILL'))
        }
        return await withInstances(count, context, async (servers) => {
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
      row: `search of the text, ${most} stored, PostgreSQL`,
      contenders: ['trigrams'],
      rounds: { trigrams: 1 },
      async measure(_, context) {
        const store = await schemas.of(most, context)
        return await withInstances(1, context, ([server]) => searchTimes(server), store)
      },
    },
    {
      row: 'start, PostgreSQL',
      contenders: ['100', String(largest)],
      rounds: { 100: 3, [largest]: 3 },
      async measure(size, context) {
        const store = await schemas.of(Number(size), context)
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
    {
      row: `copies of ${most} emails`,
      contenders: ['there and back'],
      rounds: { 'there and back': 1 },
      measure: (_, context) => copyThereAndBack(most, schemas.fresh(), context),
    },
  ]
}

/** Copies a data folder to a database, and that to another folder. All three must have the same checksum. */
async function copyThereAndBack(size, store, { start, scratch, packageDir }) {
  const [folder, back] = ['copied', 'copied-back'].map((name) => join(scratch, name))
  const server = await start.process({ dir: folder })
  await submit(server, size, 2048)
  await server.stop('SIGTERM')
  const copy = async (from, to) => {
    const { stdout, ms } = await runToEnd([
      join(packageDir, 'dist/cli/main.js'),
      'copy',
      '--from',
      from,
      '--to',
      to,
    ])
    const [, checksum] = /checksum (\w+)/.exec(stdout) ?? []
    if (!checksum) throw new Error(`the copy says ${stdout}`)
    return { checksum, seconds: ms / 1000 }
  }
  const there = await copy(folder, store)
  const andBack = await copy(store, back)
  if (there.checksum !== andBack.checksum) throw new Error(`${there.checksum} is not ${andBack.checksum}`)
  return { 'to the database, s': there.seconds, 'back, s': andBack.seconds, 'checksums equal': 1 }
}
