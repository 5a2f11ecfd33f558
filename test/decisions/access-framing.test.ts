import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { certificateFor } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { runCommand } from '../cli/command.ts'

let tls: { key: string; cert: string }
beforeAll(() => {
  tls = certificateFor('framing')
})

const key = 're_framing'

/** Opens the port of the library or the command, with TLS or without. */
const faces: [name: string, open: () => Promise<number>, isSecure: boolean][] = [
  ['the library over HTTP', async () => (await (await start({ apiKeys: [key] })).listen()).port, false],
  ['the library over HTTPS', async () => (await (await start({ apiKeys: [key], tls })).listen()).port, true],
  ['the command over HTTP', () => run([]), false],
  [
    'the command over HTTPS',
    () => {
      const folder = temporaryFolder()
      const [cert, secret] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
      writeFileSync(cert, tls.cert)
      writeFileSync(secret, tls.key)
      return run(['--tls-cert', cert, '--tls-key', secret])
    },
    true,
  ],
]

async function run(args: readonly string[]): Promise<number> {
  const command = runCommand(['--memory', '--port', '0', '--smtp-port', '0', '--api-key', key, ...args])
  const [, port] = await command.until(/https?:\/\/[\w.]+:(\d+)/)
  return Number(port)
}

const mail = JSON.stringify({ from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'x' })
const length = `Content-Length: ${mail.length}`
const chunks = `${mail.length.toString(16)}\r\n${mail}\r\n0\r\n\r\n`
const send = (version: string, headers: readonly string[], body: string): string =>
  [
    `POST /v1/emails HTTP/${version}`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n')
const next = send('1.1', [length, 'Connection: close'], mail)

interface Framing {
  headers: readonly string[]
  body: string
  /** The statuses of all answers, by version. The second request is sent with the first. */
  statuses: { '1.0': number[]; '1.1': number[] }
}
const coded = (coding: string, body = chunks, ...more: string[]): Framing => ({
  headers: [`Transfer-Encoding:${coding === '' ? '' : ` ${coding}`}`, ...more],
  body,
  statuses: { '1.0': [400], '1.1': [400] },
})
const both = [200, 200]
const good = { '1.0': [200], '1.1': both }
const framings: Record<string, Framing> = {
  'a length': { headers: [length], body: mail, statuses: { '1.0': both, '1.1': both } },
  chunks: { ...coded('chunked'), statuses: good },
  'chunks in capitals': { ...coded('CHUNKED'), statuses: good },
  'chunks and a length': coded('chunked', chunks, length),
  'a length and chunks': { ...coded('chunked'), headers: [length, 'Transfer-Encoding: chunked'] },
  'gzip and a length': coded('gzip', mail, length),
  'an empty coding and a length': coded('', mail, length),
  gzip: coded('gzip', mail),
  'gzip in chunks': coded('gzip, chunked'),
  'an unknown coding in chunks': coded('x, chunked'),
  'chunks in gzip': coded('chunked, gzip'),
  'chunks in chunks': coded('chunked, chunked'),
  'chunks twice': coded('chunked', chunks, 'Transfer-Encoding: chunked'),
  'gzip and chunks in two headers': coded('gzip', chunks, 'Transfer-Encoding: chunked'),
  identity: coded('identity', mail),
  'identity and a length': coded('identity', mail, length),
  'a word with chunked in it': coded('xchunked'),
  'chunks in quotes': coded('"chunked"'),
  'chunks with a parameter': coded('chunked;a=b'),
  'chunks after a vertical tab': coded('\x0bchunked'),
}

describe.each(faces)('%s', (_, open, isSecure) => {
  /** The statuses of the answers, until the server closes the connection. */
  async function exchange(port: number, bytes: string): Promise<{ statuses: number[]; answer: string }> {
    const socket: Socket = isSecure
      ? connectTls({ port, host: '127.0.0.1', ca: tls.cert })
      : connect(port, '127.0.0.1')
    await once(socket, isSecure ? 'secureConnect' : 'connect')
    socket.write(bytes)
    const answer = await text(socket)
    return {
      answer,
      statuses: [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    }
  }

  it.each(['1.0', '1.1'] as const)(
    'access.framing: handles no request whose body may end elsewhere, in HTTP/%s',
    async (version) => {
      const port = await open()
      let sent = 0
      for (const [name, { headers, body, statuses }] of Object.entries(framings)) {
        const first = send(version, [...headers, 'Connection: keep-alive'], body)
        const { statuses: answered } = await exchange(port, first + next)
        expect([name, answered]).toEqual([name, statuses[version]])
        sent += answered.filter((status) => status === 200).length
      }
      const list = `GET /v1/emails?limit=100 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`
      const { answer } = await exchange(port, list)
      expect(answer.match(/"id":/g)).toHaveLength(sent)
    },
  )

  it('access.framing: closes the connection after the answer to HTTP/1.0 with Transfer-Encoding', async () => {
    const port = await open()
    for (const headers of [
      ['Transfer-Encoding: chunked'],
      ['Transfer-Encoding: chunked', 'Connection: keep-alive'],
    ]) {
      const { answer, statuses } = await exchange(port, send('1.0', headers, chunks))
      expect(statuses).toEqual([200])
      expect(answer).toMatch(/^connection: close\r$/im)
    }
  })
})
