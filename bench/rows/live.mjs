/** What the read side costs while mail arrives: reading texts, telling the page, and a page that does not read. */
import { once } from 'node:events'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { makeMessages } from '../load/messages.mjs'
import { runJson } from '../lib/processes.mjs'
import { submit } from '../lib/stores.mjs'

const generator = fileURLToPath(new URL('../load/smtp.mjs', import.meta.url))
const unread = fileURLToPath(new URL('../lib/unread.mjs', import.meta.url))
const mebibyte = 1024 * 1024
const readers = 32
const settleMs = 1000

/** @type {(quick: boolean) => import('../run.mjs').Group[]} */
export const liveGroups = (quick) => [
  {
    row: 'smtp 2 KB, texts read or not',
    contenders: ['read', 'not read'],
    async measure(contender, { start }) {
      const nodeArgs = contender === 'read' ? [] : ['--import', unread]
      const server = await start.process({ nodeArgs })
      try {
        const extent = quick
          ? { warmUpMs: 300, measureMs: 500, warmUpCount: 1000, leastCount: 1000 }
          : { warmUpMs: 700, measureMs: 4000, warmUpCount: 4000, leastCount: 16_000 }
        const load = { bytes: 2048, oneEach: false, connections: 16, count: 400_000, ...extent }
        return await runJson([generator, JSON.stringify({ ...load, port: server.smtpPort, pid: server.pid })])
      } finally {
        await server.stop('SIGKILL')
      }
    },
  },
  {
    row: 'live events',
    contenders: ['from 250 to the event, ms'],
    async measure(_, { start }) {
      const server = await start.process()
      try {
        return await medianToEvent(server, server, quick ? 20 : 200)
      } finally {
        await server.stop('SIGKILL')
      }
    },
  },
  {
    row: 'memory of stalled readers',
    contenders: ['process'],
    rounds: { process: 1 },
    async measure(_, { start }) {
      const server = await start.process({ probed: true })
      const size = quick ? 300 : 1000
      const stalled = []
      try {
        await submit(server, 4 * size, 2048)
        const before = await held(server)
        await submit(server, 4 * size, 2048)
        // What so many further mails cost without any reader.
        const eachMail = ((await held(server)) - before) / (4 * size)
        for (let i = 0; i < readers; i++) stalled.push(await openStalled(server))
        const from = await held(server)
        let most = 0
        for (let done = size; done <= 10 * size; done += size) {
          await submit(server, size, 2048)
          most = Math.max(most, (await held(server)) - from - done * eachMail)
        }
        return { 'MiB each, at most': most / readers / mebibyte }
      } finally {
        for (const socket of stalled) socket.destroy()
        await server.stop('SIGKILL')
      }
    },
  },
]

/** How long after the 250 of one server the event comes from another, or the same. */
export async function medianToEvent(server, listened, count) {
  const events = await openEvents(listened)
  const smtp = await openSmtp(server)
  try {
    const times = []
    for (let i = 0; i < count; i++) {
      const told = events.next()
      const accepted = await smtp.send(i)
      times.push(Math.max(0, (await told) - accepted))
    }
    times.sort((a, b) => a - b)
    return { p50Ms: times[Math.floor(times.length / 2)], worstMs: times.at(-1) }
  } finally {
    smtp.end()
    events.end()
  }
}

/** What the process holds after a collection: heap, and buffers outside of it. */
async function held(server) {
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const { heapUsed, external } = await server.ask('collect')
  return heapUsed + external
}

const request = 'GET /dev/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n'

async function assertOpen(socket) {
  const answer = String((await once(socket, 'data'))[0])
  if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`the stream is answered ${answer}`)
}

async function openStalled({ httpPort }) {
  const socket = net.connect(httpPort, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  await assertOpen(socket)
  return socket.pause()
}

/** A reader that knows when it was told of a new mail. */
async function openEvents({ httpPort }) {
  const socket = net.connect(httpPort, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  await assertOpen(socket)
  let heard = () => {}
  socket.on('data', (chunk) => chunk.includes('event: email.created') && heard(performance.now()))
  return { next: () => new Promise((resolve) => (heard = resolve)), end: () => socket.destroy() }
}

/** One connection that hands in one message after the other, and says when each was accepted. */
async function openSmtp({ smtpPort }) {
  const socket = net.connect(smtpPort, '127.0.0.1').on('error', () => {})
  const messages = makeMessages(2048)
  const answer = async (wanted) => {
    const text = String((await once(socket, 'data'))[0])
    if (!text.startsWith(wanted)) throw new Error(`the server answered ${text}`)
    return performance.now()
  }
  const say = (line, wanted) => {
    socket.write(line)
    return answer(wanted)
  }
  await answer('220')
  await say('EHLO bench.test\r\n', '250')
  return {
    async send(i) {
      await say('MAIL FROM:<sender@acme.test>\r\n', '250')
      await say('RCPT TO:<ada@example.com>\r\n', '250')
      await say('DATA\r\n', '354')
      return say(messages[i % messages.length], '250')
    },
    end: () => socket.destroy(),
  }
}
