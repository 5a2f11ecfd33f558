/** After many mails came in at once: memory, and after a restart on their folder memory, start, lists and details. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { apiKey } from '../lib/contenders.mjs'
import { rssOf } from '../lib/cpu.mjs'
import { submit } from '../lib/stores.mjs'
import { get, newestId } from './lists.mjs'
import { until } from './search.mjs'

const mebibyte = 1024 * 1024
/** Paths of a list and of the newest mail, by contender. */
const paths = {
  process: { list: () => '/v1/emails', detail: async (server) => `/v1/emails/${await newestId(server)}` },
  mailpit: { list: () => '/api/v1/messages?limit=50', detail: async () => '/api/v1/message/latest' },
}

/**
 * @param {{ count: number, bytes: number, isListed?: boolean }[]} floods  `isListed`: also measures lists and details, once
 *   the text of all mail is indexed, which takes minutes.
 * @returns {import('../run.mjs').Group[]}
 */
export const floodGroups = (floods) =>
  floods.map(({ count, bytes, isListed = false }) => ({
    row: `flood of ${count} mails of ${bytes / 1024} KB`,
    contenders: ['process', 'mailpit'],
    rounds: { process: 1, mailpit: 1 },
    async measure(contender, { start, scratch, quick }) {
      const dir = mkdtempSync(join(scratch, 'flood-'))
      let running = null
      try {
        running = await start[contender]({ dir })
        const { perSecond } = await submit(running, count, bytes)
        const flooded = await memoryOf(running, 'the flood')
        await running.stop()
        running = await start[contender]({ dir })
        const ms = await untilListed(contender, running)
        const restarted = await memoryOf(running, 'a restart')
        const values = { 'per second': perSecond, ...flooded, 'start, ms': ms, ...restarted }
        if (isListed) Object.assign(values, await measureReads(contender, running, count, quick))
        return values
      } finally {
        await running?.stop('SIGKILL')
        rmSync(dir, { recursive: true, force: true })
      }
    },
  }))

/** Resident memory 10 and 30 seconds from now. The text of new mail is indexed meanwhile. */
async function memoryOf({ pid }, what) {
  await sleep(10_000)
  const soon = rssOf(pid) / mebibyte
  await sleep(20_000)
  return { [`MiB 10 s after ${what}`]: soon, [`MiB 30 s after ${what}`]: rssOf(pid) / mebibyte }
}

/** From the start of the process to the SMTP greeting, an HTTP connection and a list. */
async function untilListed(contender, server) {
  const begunAt = performance.now()
  await request(server, paths[contender].list())
  return Math.max(server.greetedMs, server.httpMs) + performance.now() - begunAt
}

async function measureReads(contender, server, count, quick) {
  const begunAt = performance.now()
  if (contender === 'process') await until(server, 'wizards', (found) => found >= count)
  const indexed = performance.now() - begunAt
  const list = await get(server, paths[contender].list(), quick)
  const detail = await get(server, await paths[contender].detail(server), quick)
  return {
    'rest of the index, s': indexed / 1000,
    'MiB with all indexed': rssOf(server.pid) / mebibyte,
    'list, ms': list.p50Ms,
    'detail, ms': detail.p50Ms,
  }
}

async function request(server, path) {
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (!answer.ok) throw new Error(`${path} is answered ${answer.status}`)
  await answer.text()
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
