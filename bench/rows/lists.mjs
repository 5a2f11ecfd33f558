/** `GET /v1/emails` and the detail, by the number of emails stored. */
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { apiKey } from '../lib/contenders.mjs'
import { cpuOf } from '../lib/cpu.mjs'
import { runJson } from '../lib/processes.mjs'

const generator = fileURLToPath(new URL('../load/http.mjs', import.meta.url))

/** Asks a server of the store of this size, which is stopped behind: the next row may want its folder. */
async function withServer(size, { start, stores }, ask) {
  const server = await start.process({ dir: stores.get(Number(size)) })
  try {
    return await ask(server)
  } finally {
    await server.stop('SIGTERM')
  }
}

/** Requests a path again and again. @returns What the load generator measured. */
export function get(server, path, quick, key = apiKey) {
  const load = {
    connections: 1,
    path,
    key,
    warmUpMs: 100,
    warmUpCount: 300,
    measureMs: 100,
    leastCount: quick ? 300 : 1000,
    count: 1e6,
  }
  return runJson([generator, JSON.stringify({ ...load, port: server.httpPort, pid: server.pid })])
}

/** The first request of a path, which finds code and counts cold. It begins when the server has nothing left to do. */
async function first(server, path) {
  for (let before = null, now = cpuOf(server.pid); !before || now.mainUs - before.mainUs > 3000;) {
    await wait(300)
    before = now
    now = cpuOf(server.pid)
    // Only Linux tells.
    if (now === null) break
  }
  const before = cpuOf(server.pid)
  const began = performance.now()
  await (await fetch(`http://127.0.0.1:${server.httpPort}${path}`)).arrayBuffer()
  const ms = performance.now() - began
  return { ms, ...(before && { mainUs: cpuOf(server.pid).mainUs - before.mainUs }) }
}

/** The id of the newest email. */
export async function newestId(server) {
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}/v1/emails`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { emails } = await answer.json()
  return emails[0].id
}

/** @type {(sizes: number[]) => import('../run.mjs').Group[]} */
export const listGroups = (sizes) => [
  {
    row: 'list of 50, ms',
    contenders: sizes.map(String),
    needsStores: true,
    measure: (size, context) =>
      withServer(size, context, (server) => get(server, '/v1/emails', context.quick)),
  },
  {
    row: 'detail, ms',
    contenders: sizes.map(String),
    needsStores: true,
    measure: (size, context) =>
      withServer(size, context, async (server) =>
        get(server, `/v1/emails/${await newestId(server)}`, context.quick),
      ),
  },
  {
    row: 'first list of the inbox, ms',
    contenders: ['own', 'of Mailpit'],
    needsStores: true,
    measure: (whose, context) =>
      withServer(sizes.at(-1), context, (server) =>
        first(server, whose === 'own' ? '/dev/inbox?limit=50' : '/api/v1/messages?limit=50'),
      ),
  },
  {
    row: 'page of the inbox, ms',
    contenders: ['first', 'middle'],
    needsStores: true,
    measure: (place, context) => {
      const size = sizes.at(-1)
      const offset = place === 'first' ? 0 : Math.floor(size / 2)
      return withServer(size, context, (server) =>
        get(server, `/dev/inbox?limit=50&offset=${offset}`, context.quick),
      )
    },
  },
]
