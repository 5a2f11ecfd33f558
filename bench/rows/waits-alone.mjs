/** What a person waits for right after a start, a flood or a restart, and what an idle server costs. */
import { readdirSync, readFileSync } from 'node:fs'
import net from 'node:net'
import { apiKey } from '../lib/contenders.mjs'
import { cpuEach, cpuOf, rssOf } from '../lib/cpu.mjs'
import { median } from '../lib/samples.mjs'
import { submit } from '../lib/stores.mjs'
import { request, timeOf, untilRead } from './waits-of.mjs'

/** Searches right after many mails came in, and how long until the texts of all are read. */
export async function afterFlood(start, count, bytes) {
  const server = await start()
  const { search, leftOut } = server.ask
  try {
    const flood = await submit(server, count, bytes)
    const values = {}
    for (const [name, query] of Object.entries({
      'subject:': 'subject:"message 42 "',
      'from:': 'from:sender42@acme.test',
      'tag:': 'tag:nowhere',
    }))
      values[`${name}, ms`] = await timeOf(() => request(server, search(query)))
    const word = await searchOnce(server)
    const readMs = await untilRead(server)
    const readPerSecond = word.leftOut > 0 && { 'texts read per second': word.leftOut / (readMs / 1000) }
    return {
      'captured per second': flood.perSecond,
      ...values,
      'a word, ms': word.ms,
      'left out': word.leftOut,
      ...readPerSecond,
      'all read after, s': readMs / 1000,
      'a word then, ms': await timeOf(() => request(server, search('"message 42 "'))),
      'left out then': leftOut(await request(server, search('"message 42 "'))),
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

async function searchOnce(server) {
  const began = performance.now()
  const answer = await request(server, server.ask.search('"message 42 "'))
  return { ms: performance.now() - began, leftOut: server.ask.leftOut(answer) }
}

/** From the start of the process to its first 250, and how long the first mails take, each on its own connection. */
export async function atOnce(start) {
  const server = await start()
  try {
    const first = await sendOne(server.smtpPort)
    const next = []
    for (let n = 0; n < 20; n++) next.push(await sendOne(server.smtpPort))
    return {
      'greeting, ms': server.greetedMs,
      'first 250, ms': server.greetedMs + first,
      'first mail, ms': first,
      'one of the next 20, ms': median(next),
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

/** Sends a short mail, every reply waited for. @returns Milliseconds from `connect` to the 250. */
function sendOne(port) {
  const lines = [
    'EHLO bench.test',
    'MAIL FROM:<a@acme.test>',
    'RCPT TO:<ada@example.com>',
    'DATA',
    'Subject: Hi\r\n\r\nHello\r\n.',
  ]
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    let rest = ''
    socket.setEncoding('latin1').on('error', reject)
    socket.on('data', (chunk) => {
      rest += chunk
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const reply = rest.slice(0, end)
        rest = rest.slice(end + 1)
        if (reply[3] === '-') continue
        const line = lines.shift()
        if (line !== undefined) socket.write(`${line}\r\n`)
        else {
          resolve(performance.now() - began)
          socket.end('QUIT\r\n')
        }
      }
    })
  })
}

/** Sends over HTTP, one after the other over one connection. */
export async function sequentialPosts(start, count) {
  const server = await start()
  const isOwn = server.ask.firstHits !== null
  const html = `<p>Hello</p>${'<p>The quick brown fox jumps over the lazy dog, quietly.</p>'.repeat(29)}`
  const body = isOwn
    ? { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello', html }
    : {
        From: { Email: 'hi@acme.test' },
        To: [{ Email: 'ada@example.com' }],
        Subject: 'Hi',
        Text: 'Hello',
        HTML: html,
      }
  const send = async () => {
    const answer = await fetch(
      `http://127.0.0.1:${server.httpPort}${isOwn ? '/v1/emails' : '/api/v1/send'}`,
      {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      },
    )
    const text = await answer.text()
    if (!answer.ok) throw new Error(`the send is answered ${answer.status}: ${text}`)
  }
  try {
    const first = await timeOf(send)
    const times = []
    const before = cpuOf(server.pid)
    for (let n = 0; n < count; n++) times.push(await timeOf(send))
    const isDelivered = async () =>
      (await request(server, server.ask.search('-status:delivered'))).count === 0
    while (isOwn && !(await isDelivered())) await wait(200)
    const { mainUs, allUs } = cpuEach(before, cpuOf(server.pid), count)
    times.sort((a, b) => a - b)
    return {
      'first, ms': first,
      'median, ms': median(times),
      'p99, ms': times[Math.ceil(count * 0.99) - 1],
      'CPU of each, delivered, µs': allUs,
      // One thread of a Go program has no meaning of its own.
      ...(isOwn && { 'main thread of each, µs': mainUs }),
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

/** What an idle server costs: memory at once, and half a minute later how often its threads wake and what CPU time they take. */
export async function idle(start, ms) {
  const server = await start()
  try {
    const resident = rssOf(server.pid) / 1024 / 1024
    await wait(30_000)
    const before = { wakeups: wakeupsOf(server.pid), cpu: cpuOf(server.pid).allUs }
    await wait(ms)
    const perMinute = 60_000 / ms
    return {
      'resident at once, MiB': resident,
      'wakeups a minute': (wakeupsOf(server.pid) - before.wakeups) * perMinute,
      'CPU a minute, ms': ((cpuOf(server.pid).allUs - before.cpu) / 1000) * perMinute,
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

/** How often the threads of a process began to wait. */
function wakeupsOf(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'latin1')
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0)
  }, 0)
}

/** A restart while most texts are not read, and one after that. */
export async function restarted(start, count, bytes) {
  const flooded = await start()
  await submit(flooded, count, bytes)
  await flooded.stop('SIGTERM')
  let server = await start()
  try {
    const soon = await searchOnce(server)
    const readMs = await untilRead(server)
    const cpuMs = cpuOf(server.pid).allUs / 1000
    const greetedMs = server.greetedMs
    await server.stop('SIGTERM')
    server = await start()
    const later = await searchOnce(server)
    return {
      'greeting, ms': greetedMs,
      'a word at once, ms': soon.ms,
      'left out': soon.leftOut,
      'all read after, s': readMs / 1000,
      'CPU until then, s': cpuMs / 1000,
      'greeting of the next start, ms': server.greetedMs,
      'a word then, ms': later.ms,
      'left out then': later.leftOut,
    }
  } finally {
    await server.stop('SIGKILL')
  }
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
