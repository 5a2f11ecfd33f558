/** What accounts cost each other: many of them, a large one beside a small one, the removal of a large one. */
import { fileURLToPath } from 'node:url'
import { apiKey } from '../lib/contenders.mjs'
import { rssOf } from '../lib/cpu.mjs'
import { runJson } from '../lib/processes.mjs'
import { submit } from '../lib/stores.mjs'
import { median } from '../lib/samples.mjs'
import { askOn } from './bulk.mjs'
import { get } from './lists.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))
const few = 100

/** The sizes that the targets refer to, and smaller ones to try the rows. */
export const accountSizes = (quick) =>
  quick ? { accounts: 50, large: 1000, removed: 1000 } : { accounts: 1000, large: 100_000, removed: 50_000 }

/**
 * @param {{ accounts: number, large: number, removed: number }} sizes  How many accounts there are, and how many emails the
 *   large and the removed one have.
 * @returns {import('../run.mjs').Group[]}
 */
export const accountGroups = ({ accounts, large, removed }) => [
  {
    row: 'capture of 2 KB in an account',
    contenders: ['1', String(accounts)],
    measure: (count, { start }) =>
      withServer(start, async (server) => {
        const [first] = await make(server, Number(count))
        const load = {
          connections: 16,
          bytes: 2048,
          oneEach: false,
          measureMs: 2000,
          leastCount: 6000,
          count: 1e6,
        }
        const own = { port: server.smtpPort, pid: server.pid, auth: credentialsOf(first) }
        return runJson([generator, JSON.stringify({ ...load, warmUpMs: 500, warmUpCount: 2000, ...own })])
      }),
  },
  {
    row: `reads of an account of ${few}`,
    contenders: ['process'],
    measure: (_, { start, quick }) =>
      withServer(start, (alone) =>
        withServer(start, async (beside) => {
          const accounts = []
          for (const server of [alone, beside]) {
            const [small, other] = await make(server, 2)
            if (server === beside) await submit(server, large, 2048, { auth: credentialsOf(other) })
            await submit(server, few, 2048, { auth: credentialsOf(small) })
            await indexed(server, [small, other])
            accounts.push({ server, key: small.api_key, who: server === beside ? 'beside' : 'alone' })
          }
          await sleep(settleMs)
          const values = {}
          for (const [what, path] of Object.entries(reads)) {
            const taken = { alone: [], beside: [] }
            for (let n = 0; n < 5; n++)
              for (const { server, key, who } of n % 2 === 0 ? accounts : accounts.toReversed())
                taken[who].push(await get(server, path, quick, key))
            for (const [who, all] of Object.entries(taken)) {
              values[`${what} ${who}`] = median(all.map(({ p50Ms }) => p50Ms))
              values[`${what} ${who}, CPU µs`] = median(all.map(({ mainUs }) => mainUs))
            }
          }
          return values
        }),
      ),
  },
  {
    // The same load without a removal and with one, in turns: the checkpoint after it and the deletion of files belong to it.
    row: `removal of an account of ${removed}, ms`,
    contenders: ['process'],
    measure: (_, { start }) =>
      withServer(start, async (server) => {
        const [other] = await make(server, 1)
        await submit(server, few, 2048, { auth: credentialsOf(other) })
        const taken = { ms: [], without: [], during: [], requests: [] }
        for (let n = 0; n < removals; n++) {
          const [gone] = await make(server, 1)
          await submit(server, removed, 2048, { auth: credentialsOf(gone) })
          await indexed(server, [other, gone])
          await sleep(settleMs)
          taken.without.push((await askedFor(windowMs, server, other)).p99)
          const asking = askedFor(windowMs, server, other)
          const begunAt = performance.now()
          await request(server, 'DELETE', `/dev/accounts/${gone.name}`)
          taken.ms.push(performance.now() - begunAt)
          const { p99, count } = await asking
          taken.during.push(p99)
          taken.requests.push(count)
        }
        return {
          ms: median(taken.ms),
          'others p99 without, ms': median(taken.without),
          'others p99, ms': median(taken.during),
          'others p99, worst of all, ms': Math.max(...taken.during),
          requests: median(taken.requests),
        }
      }),
  },
  {
    row: 'an account for a moment, ms',
    contenders: ['process', 'disk'],
    measure: (contender, { start, quick }) =>
      withServer(
        start,
        async (server) => {
          const times = []
          for (let n = 0; n < (quick ? 30 : 200); n++) {
            const begunAt = performance.now()
            const { name } = await request(server, 'POST', '/dev/accounts', { ttl_ms: 60_000 })
            await request(server, 'DELETE', `/dev/accounts/${name}`)
            times.push(performance.now() - begunAt)
          }
          times.sort((one, other) => one - other)
          return { p50Ms: times[times.length >> 1], p99Ms: times[Math.ceil(times.length * 0.99) - 1] }
        },
        contender,
      ),
  },
  {
    row: `memory of ${accounts} accounts, each used once, MiB`,
    contenders: ['process'],
    measure: (contender, { start }) =>
      withServer(start, async (server) => {
        await make(server, 1)
        const before = rssOf(server.pid)
        const made = await make(server, accounts)
        for (const { api_key } of made) await request(server, 'GET', '/v1/emails', undefined, api_key)
        await new Promise((resolve) => setTimeout(resolve, 5000))
        const mebibyte = 1024 * 1024
        return { ms: Number.NaN, MiB: (rssOf(server.pid) - before) / mebibyte }
      }),
  },
]

const reads = {
  list: '/v1/emails',
  count: '/v1/emails?limit=1',
  search: '/dev/inbox?limit=50&query=wizards',
}

const removals = 3
/** A checkpoint follows five seconds after the last change. */
const settleMs = 8000
const windowMs = 10_000
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Lists the mail of an account for this many milliseconds, from four clients. */
async function askedFor(ms, server, { api_key }) {
  const url = `http://127.0.0.1:${server.httpPort}/v1/emails`
  const clients = Array.from({ length: 4 }, () => askOn(url, api_key))
  await sleep(ms)
  for (const client of clients) client.end()
  const times = clients.flatMap((client) => client.times()).sort((one, other) => one - other)
  return { p99: times[Math.ceil(times.length * 0.99) - 1], count: times.length }
}

async function withServer(start, work, contender = 'process') {
  const server = await start[contender]()
  try {
    return await work(server)
  } finally {
    await server.stop('SIGKILL')
  }
}

/** Creates this many accounts. */
async function make(server, count) {
  const made = []
  for (let n = 0; n < count; n++) made.push(await request(server, 'POST', '/dev/accounts', {}))
  return made
}

/** Waits until all mail of these accounts is searchable. */
async function indexed(server, accounts) {
  for (const { api_key } of accounts)
    for (let left = 1; left > 0;) {
      const { unread_texts } = await request(
        server,
        'GET',
        '/dev/inbox?limit=1&query=wizards',
        undefined,
        api_key,
      )
      left = unread_texts ?? 0
    }
}

const credentialsOf = ({ smtp }) => ({ user: smtp.username, pass: smtp.password })

async function request(server, method, path, body, key = apiKey) {
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
