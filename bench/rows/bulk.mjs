/** Changes of many mails: how long they take, how long other requests wait meanwhile, and how many events a page gets. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiKey } from '../lib/contenders.mjs'
import { cpuOf } from '../lib/cpu.mjs'
import { runJson } from '../lib/processes.mjs'
import { submit } from '../lib/stores.mjs'

const floor = fileURLToPath(new URL('../lib/bulk-floor.mjs', import.meta.url))

/** @type {(stored: number) => import('../run.mjs').Group[]} */
export const bulkGroups = (stored) => [
  {
    row: `changes of ${stored} mails, ms`,
    contenders: ['floor', 'process', 'disk', 'mailpit'],
    needsStores: true,
    async measure(contender, { start, stores, scratch }) {
      if (contender === 'mailpit') return measureMailpit(await start.mailpit(), stored)
      const dir = mkdtempSync(join(scratch, 'bulk-'))
      cpSync(stores.get(stored), dir, { recursive: true })
      try {
        if (contender === 'floor') return await runJson([floor, dir])
        const server = await start[contender]({ dir, probed: true })
        try {
          return await measureServer(server)
        } finally {
          await server.stop('SIGKILL')
        }
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    },
  },
]

async function measureServer(server) {
  const base = `http://127.0.0.1:${server.httpPort}`
  // The texts of the seeded mails are indexed first, because indexing changes mails too, each with an event.
  for (let left = 1; left > 0;) {
    const answer = await fetch(`${base}/dev/inbox?limit=1&query=wizards`)
    left = (await answer.json()).unread_texts ?? 0
  }
  const events = readEvents(`${base}/dev/events`)
  const others = askOn(`${base}/v1/emails`)
  try {
    const mark = await change(server, others, 'PATCH', { unread: false })
    const drop = await change(server, others, 'DELETE')
    return {
      ms: mark.ms,
      'mark, CPU ms': mark.cpuMs,
      'mark, others p99 ms': mark.p99Ms,
      'mark, stall ms': mark.stallMs,
      'delete ms': drop.ms,
      'delete, CPU ms': drop.cpuMs,
      'delete, others p99 ms': drop.p99Ms,
      'delete, stall ms': drop.stallMs,
      'events, each': (await events.end()) / 2,
    }
  } finally {
    others.end()
  }
}

/** The same two changes by Mailpit's API. */
async function measureMailpit(server, stored) {
  try {
    await submit(server, stored, 2048)
    const messages = `http://127.0.0.1:${server.httpPort}/api/v1/messages`
    const timed = async (request) => {
      const [from, begunAt] = [cpuOf(server.pid), performance.now()]
      const answer = await fetch(messages, request)
      if (!answer.ok) throw new Error(`${request.method} is answered ${answer.status}`)
      await answer.text()
      const to = cpuOf(server.pid)
      return { ms: performance.now() - begunAt, cpuMs: from && to ? (to.allUs - from.allUs) / 1000 : null }
    }
    const mark = await timed({ method: 'PUT', body: JSON.stringify({ Read: true }) })
    const drop = await timed({ method: 'DELETE' })
    return {
      ms: mark.ms,
      'mark, CPU ms': mark.cpuMs,
      'delete ms': drop.ms,
      'delete, CPU ms': drop.cpuMs,
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

async function change(server, others, method, body) {
  others.reset()
  const before = await server.ask('reset')
  const begunAt = performance.now()
  const answer = await fetch(`http://127.0.0.1:${server.httpPort}/dev/inbox?all=true`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  if (!answer.ok) throw new Error(`${method} is answered ${answer.status}`)
  await answer.text()
  const ms = performance.now() - begunAt
  const { cpuMs, maxMs } = await server.ask('report')
  return { ms, cpuMs: cpuMs - before.cpuMs, stallMs: maxMs, p99Ms: others.p99() }
}

/** Requests one page after the other, with pauses, as an app would. */
export function askOn(url, key = apiKey) {
  let times = []
  let isOver = false
  void (async () => {
    while (!isOver) {
      const begunAt = performance.now()
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch(() => null)
      await answer?.text()
      times.push(performance.now() - begunAt)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    reset: () => void (times = []),
    p99: () => times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0,
    times: () => times,
    end: () => void (isOver = true),
  }
}

/** Counts the events about emails at a client of `/dev/events`. */
function readEvents(url) {
  const abort = new AbortController()
  let count = 0
  const reading = (async () => {
    const { body } = await fetch(url, { signal: abort.signal })
    const decoder = new TextDecoder()
    for await (const bytes of body)
      count += decoder.decode(bytes, { stream: true }).split(/event: emails?\./).length - 1
  })().catch(() => {})
  return {
    async end() {
      await new Promise((resolve) => setTimeout(resolve, 200))
      abort.abort()
      await reading
      return count
    },
  }
}
