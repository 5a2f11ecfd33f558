import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startCommand, type Started } from '../cli/command.ts'
import { certificateFor } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'

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

/** Opens many connections to each port while the process accepts none, like one that is busy for a moment. */
async function openWhileStopped({ pid }: Started, ports: readonly number[]): Promise<Socket[][]> {
  process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(pid, 'SIGCONT'))
  const opening = ports.map(openMany)
  for (const { opened } of opening) await expect.poll(opened, { timeout: 20_000 }).toBe(clients)
  return opening.map(({ sockets }) => sockets)
}

test.skipIf(systemLimit() <= clients)(
  'a thousand connections at once wait for a busy server; none is dropped',
  { timeout: 60_000 },
  async () => {
    const localpost = await startCommand()
    const ports = [Number(new URL(localpost.url).port), localpost.smtpPort]
    const [http = [], smtp = []] = await openWhileStopped(localpost, ports)
    for (const socket of http) socket.write('GET /dev/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await sleep(100)
    process.kill(localpost.pid, 'SIGCONT')
    const answers = await Promise.all(http.map(firstLine))
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200 ']))
    // A greeting, or a refusal where one address has too many.
    const greetings = await Promise.all(smtp.map(firstLine))
    expect(greetings.filter((line) => !/^(?:220|421) /.test(line))).toEqual([])
    expect(greetings.filter((line) => line.startsWith('220')).length).toBeGreaterThan(0)
  },
)

test.skipIf(systemLimit() <= clients)(
  'so do those that begin with TLS, on the ports of HTTPS and SMTPS',
  { timeout: 60_000 },
  async () => {
    const { key, cert } = certificateFor('localhost')
    const folder = temporaryFolder()
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    writeFileSync(keyFile, key)
    writeFileSync(certFile, cert)
    const localpost = await startCommand([`--tls-key=${keyFile}`, `--tls-cert=${certFile}`, '--smtps-port=0'])
    const [, smtps] = await localpost.until(/SMTPS\s+127\.0\.0\.1:(\d+)/)
    await openWhileStopped(localpost, [Number(new URL(localpost.url).port), Number(smtps)])
  },
)
