import { type ChildProcess, execFile } from 'node:child_process'
import { request } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { createTransport } from 'nodemailer'
import { describe, expect, test } from 'vitest'
import { openLocalpost } from '../../src/instance/open.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { certificateFor, certificateNameAt as nameAt } from '../support/certificate.ts'
import { start } from '../support/instance.ts'
import { countWait } from '../support/own-time.ts'

const tls = certificateFor('first')
const next = certificateFor('second')
const mail = { from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'x' }

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** A real TLS client, which checks the certificate. */
function ask(url: string, ca: string, init: { method?: string; body?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { ca, agent: false, method: init.method ?? 'GET', headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sent.on('error', reject).end(init.body)
  })
}

const weak = 'ALL:@SECLEVEL=0'

function sendTo(port: number, bytes: string, ends: boolean = false): Socket {
  const socket = connectPlain(port, '127.0.0.1')
  socket.write(bytes, 'latin1', () => ends && socket.end())
  return socket
}

const untilEnd = (socket: Socket): Promise<void> =>
  new Promise((resolve) =>
    socket
      .on('error', () => undefined)
      .resume()
      .once('close', () => resolve()),
  )

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => child.once('error', reject).once('close', () => resolve()))

describe('HTTPS', () => {
  test('serves page, API and control API, and marks the session cookie as Secure', async () => {
    const post = await start({ tls, apiKeys: ['a-key'] })
    const { url } = await post.listen()
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(post.url).toBe(url)
    expect((await ask(`${url}/`, tls.cert)).status).toBe(200)
    expect((await ask(`${url}/v1/emails`, tls.cert)).status).toBe(401)
    expect((await ask(`${url}/dev/health`, tls.cert)).status).toBe(200)
    for (const probe of ['/livez', '/readyz'])
      expect((await ask(`${url}${probe}`, tls.cert)).status).toBe(200)
    const opened = await ask(`${url}/dev/session`, tls.cert, { method: 'POST', body: '{"key":"a-key"}' })
    expect(opened.headers['set-cookie']?.[0]).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
    await expect(ask(`${url}/`, next.cert)).rejects.toThrow(/certificate/)
  })

  test('reports a client that speaks plain HTTP to it', async () => {
    const notices: string[] = []
    const post = await start({ tls, onNotice: ({ message }) => notices.push(message) })
    const { port } = await post.listen()
    const socket = connectPlain(port, '127.0.0.1').on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    expect(notices).toEqual([expect.stringMatching(/plain HTTP to the HTTPS port/)])
  })

  test.each<[string, (port: number) => Promise<void>, RegExp]>([
    [
      'rejects the certificate',
      (port) => untilEnd(connect({ port, host: '127.0.0.1', ca: next.cert })),
      /certificate.*Make the client trust the certificate, turn off its certificate check, or give/,
    ],
    ...['1.2', '1.3'].map((version): [string, (port: number) => Promise<void>, RegExp] => [
      `rejects the certificate by an alert of TLS ${version}`,
      (port) => ended(execFile('curl', ['-s', '--tls-max', version, `https://127.0.0.1:${port}/`])),
      /did not accept the certificate of the HTTPS port \(the certificate is from an authority/,
    ]),
    [
      'knows only an older TLS',
      (port) =>
        untilEnd(
          connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: weak }),
        ),
      /failed its TLS handshake at the HTTPS port \(both sides have no version of TLS in common\). Check which/,
    ],
    [
      'sends garbage',
      (port) => untilEnd(sendTo(port, 'SSH-2.0-x\r\n')),
      /\(what came is not TLS\)\. Use https:\/\/ for this port\. SMTP is at 127\.0\.0\.1:\d+\.$/,
    ],
    [
      'leaves within its hello',
      (port) => untilEnd(sendTo(port, '\x16\x03\x01', true)),
      /left at the TLS handsh/,
    ],
  ])('reports a client that %s, once a minute', async (_, come, notice) => {
    const notices: string[] = []
    const post = await start({ tls, onNotice: ({ message }) => notices.push(message) })
    const { port } = await post.listen()
    for (let i = 0; i < 2; i++) await come(port)
    await expect.poll(() => notices).toEqual([expect.stringMatching(notice)])
    expect(notices[0]).toMatch(/^A client at 127\.0\.0\.1 /)
    const { items } = await post.requests.list()
    expect(items).toMatchObject([{ method: 'TLS', status: 400 }])
  })

  test('reports no connection that ends before its first byte, such as that of a health check', async () => {
    const notices: string[] = []
    const post = await start({ tls, onNotice: ({ message }) => notices.push(message) })
    const { port } = await post.listen()
    await untilEnd(sendTo(port, '', true))
    await untilEnd(sendTo(port, 'garbage\r\n'))
    await expect.poll(() => notices).toEqual([expect.stringMatching(/not TLS/)])
  })

  const waysToConnect: [string, string | undefined, string | undefined][] = [['', undefined, undefined]]
  // Other systems have one loopback address.
  if (process.platform === 'linux')
    waysToConnect.push([' whose port is also that of another client', '127.0.0.2', '127.0.0.3'])
  test.each(waysToConnect)(
    'closes at once, also with a client that never begins its handshake%s',
    async (_, from, other) => {
      const post = await start({ tls })
      const { port } = await post.listen()
      const silent = connectPlain({ port, host: '127.0.0.1', localAddress: from })
      await new Promise((resolve) => silent.once('connect', resolve))
      const localPort = other === undefined ? undefined : silent.localPort
      const socket = connectPlain({ port, host: '127.0.0.1', localAddress: other, localPort })
      const idle = connect({ socket, rejectUnauthorized: false })
      const ended = [silent, idle].map(
        (socket) => new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve)),
      )
      // The server sends this at the end of the handshake; the client believes to be connected before.
      await new Promise((resolve) => idle.once('session', resolve))
      const waited = countWait()
      await post.close()
      expect(waited()).toBeLessThan(1500)
      await Promise.all(ended)
    },
  )

  test.each<[string, LocalpostOptions]>([
    ['a key that is not that of the certificate', { tls: { key: next.key, cert: tls.cert } }],
    ['no PEM', { tls: { key: 'hunter2', cert: 'hunter2' } }],
  ])('refuses %s, without quoting it', async (_, options) => {
    await expect(start(options)).rejects.toMatchObject({ code: 'invalid_option' })
    await expect(start(options)).rejects.not.toThrow(/hunter2|PRIVATE/)
  })

  test('offers its certificate over SMTP, and another one replaces it everywhere', async () => {
    let use: (given: { key: string; cert: string }) => void = () => undefined
    const options = { tls, smtpsPort: 0 }
    await using post = await openLocalpost(options, {
      deliversFrom: 'start',
      onCertificate: (given) => (use = given),
    })
    const { port, url } = await post.listen()
    const smtps = post.smtps ?? { host: '', port: 0 }
    const send = (transport: object, ca: string): Promise<unknown> =>
      createTransport({ ...transport, tls: { ca } }).sendMail(mail)
    await send({ ...post.smtp, requireTLS: true }, tls.cert)
    await send(smtps, tls.cert)
    expect(await nameAt(port)).toBe('first')
    use(next)
    expect([await nameAt(port), await nameAt(smtps.port)]).toEqual(['second', 'second'])
    await send({ ...post.smtp, requireTLS: true }, next.cert)
    expect((await ask(`${url}/dev/health`, next.cert)).status).toBe(200)
    expect(JSON.parse((await ask(`${url}/dev/health`, next.cert)).body)).toMatchObject({
      smtps: { host: '127.0.0.1', port: smtps.port },
    })
    expect((await post.inbox.list()).count).toBe(3)
  })

  test('is off by default: plain HTTP, and no port that begins with TLS', async () => {
    const post = await start()
    expect(post.smtps).toBeNull()
    const { url } = await post.listen()
    expect(url).toMatch(/^http:/)
    expect(await (await fetch(`${url}/dev/health`)).json()).not.toHaveProperty('smtps')
  })
})
