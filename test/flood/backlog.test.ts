import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startCommand } from '../cli/command.ts'

const clients = 1000

/** How many connections Linux lets wait at most; 0 on other systems. */
function systemLimit(): number {
  return process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0
}

/** Opens many connections at once. */
function openMany(port: number): { sockets: Socket[]; opened(): number } {
  let opened = 0
  const sockets = Array.from({ length: clients }, () => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    return socket.once('connect', () => opened++).on('error', () => {})
  })
  return { sockets, opened: () => opened }
}

async function firstLine(socket: Socket): Promise<string> {
  const [data] = (await socket.take(1).toArray()) as Buffer[]
  return String(data).split('\r\n', 1)[0] ?? ''
}

test.skipIf(systemLimit() <= clients)(
  'a thousand connections at once wait for a busy server; none is dropped',
  { timeout: 60_000 },
  async () => {
    const localpost = await startCommand()
    const { port } = new URL(localpost.url)
    // A stopped process accepts none, like one that is busy for a moment.
    process.kill(localpost.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(localpost.pid, 'SIGCONT'))
    const http = openMany(Number(port))
    const smtp = openMany(localpost.smtpPort)
    for (const each of [http, smtp]) await expect.poll(each.opened, { timeout: 20_000 }).toBe(clients)
    for (const socket of http.sockets) socket.write('GET /dev/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await sleep(100)
    process.kill(localpost.pid, 'SIGCONT')
    const answers = await Promise.all(http.sockets.map(firstLine))
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200 ']))
    // A greeting, or a refusal where one address has too many.
    const greetings = await Promise.all(smtp.sockets.map(firstLine))
    expect(greetings.filter((line) => !/^(?:220|421) /.test(line))).toEqual([])
    expect(greetings.filter((line) => line.startsWith('220')).length).toBeGreaterThan(0)
  },
)
