/** `POST /v1/emails`: accepted per second, and delivered per second. */
import { fileURLToPath } from 'node:url'
import { apiKey } from '../lib/contenders.mjs'
import { cpuEach, cpuOf } from '../lib/cpu.mjs'
import { runJson } from '../lib/processes.mjs'

const generator = fileURLToPath(new URL('../load/http.mjs', import.meta.url))

/** Sends until it is measured, at most `count` emails. */
function post(server, quick, more = {}) {
  const extent = quick
    ? { warmUpMs: 300, measureMs: 500, warmUpCount: 500, leastCount: 1000 }
    : { warmUpMs: 700, measureMs: 2000, warmUpCount: 2000, leastCount: 4000 }
  const load = {
    connections: 16,
    path: '/v1/emails',
    method: 'POST',
    key: apiKey,
    count: 400_000,
    ...extent,
    ...more,
  }
  return runJson([generator, JSON.stringify({ ...load, port: server.httpPort, pid: server.pid })])
}

/** @type {import('../run.mjs').Group[]} */
export const sendGroups = [
  {
    row: 'post accepted',
    contenders: ['http sink', 'bare h3', 'outbox waiting', 'outbox running'],
    async measure(contender, context) {
      if (contender === 'outbox waiting') return withWaitingOutbox(context)
      const server = await context.start[contender === 'outbox running' ? 'process' : contender]()
      try {
        return await post(server, context.quick)
      } finally {
        await server.stop('SIGKILL')
      }
    },
  },
  {
    row: 'delivered',
    contenders: ['process', 'disk'],
    async measure(contender, { start, quick }) {
      const server = await start[contender]()
      try {
        // The first ones wait for the domain's key to be made, and for nodemailer to be loaded.
        await deliver(server, 200)
        const count = quick ? 500 : 3000
        const before = cpuOf(server.pid)
        const ms = await deliver(server, count)
        return { perSecond: (count * 1000) / ms, ...cpuEach(before, cpuOf(server.pid), count) }
      } finally {
        await server.stop('SIGKILL')
      }
    },
  },
]

/** There is no switch for the outbox: it is told to relay everything to a server that says nothing. */
async function withWaitingOutbox({ start, quick }) {
  const mute = await start['mute relay']()
  const server = await start.process({
    flags: ['--relay', `smtp://127.0.0.1:${mute.smtpPort}`, '--relay-all'],
  })
  try {
    return await post(server, quick)
  } finally {
    await server.stop('SIGKILL')
    await mute.stop('SIGKILL')
  }
}

/** Sends so many emails. @returns How long it took until the newest fifty were delivered, in milliseconds. */
async function deliver(server, count) {
  const beganAt = performance.now()
  await post(server, true, { count, warmUpMs: 0, warmUpCount: 0, measureMs: 1e6, leastCount: count })
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${server.httpPort}/v1/emails`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { emails } = await answer.json()
    if (emails.every(({ last_event }) => last_event.status === 'delivered'))
      return performance.now() - beganAt
    if (performance.now() - beganAt > 120_000) throw new Error('the outbox did not finish within 120 seconds')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
