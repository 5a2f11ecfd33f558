import { execFile } from 'node:child_process'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { LocalpostOptions } from '../../src/index.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import type { Health } from '../../src/server/schema.ts'
import { RawClient } from '../capture/_server.ts'
import { certificateFor } from '../support/certificate.ts'
import { start } from '../support/instance.ts'
import { ensureProgram, findOnPath } from '../support/programs.ts'
import { submit } from '../support/submit.ts'

const tls = certificateFor('first')
const host = '127.0.0.1'
const run = promisify(execFile)

/** What each port needs, and where it is. */
const ports = {
  SMTP: { options: {}, of: ({ smtp }: Localpost) => smtp.port },
  'SMTP with STARTTLS': { options: { smtpTls: tls }, of: ({ smtp }: Localpost) => smtp.port },
  SMTPS: { options: { smtpsPort: 0, smtpTls: tls }, of: ({ smtps }: Localpost) => smtps?.port ?? 0 },
  HTTP: { options: {}, of: ({ url }: Localpost) => Number(new URL(url ?? '').port) },
  HTTPS: { options: { tls }, of: ({ url }: Localpost) => Number(new URL(url ?? '').port) },
} satisfies Record<string, { options: LocalpostOptions; of(post: Localpost): number }>

/** Each client comes to a port, and gives all that it was told. */
const clients = {
  'plain SMTP that speaks first': (port: number) => said(connect(port, host), 'EHLO app.test\r\n'),
  'plain SMTP that speaks first, by HELO': (port: number) => said(connect(port, host), 'HELO app.test\r\n'),
  TLS: (port: number) => said(connectTls({ port, host, rejectUnauthorized: false })),
  'openssl s_client': async (port: number) => {
    const child = run('openssl', ['s_client', '-quiet', '-connect', `${host}:${port}`])
    child.child.stdout?.once('data', () => child.child.stdin?.end('QUIT\r\n'))
    return child.then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    )
  },
  'plain HTTP': (port: number) =>
    said(connect(port, host), 'POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
  HTTPS: (port: number) =>
    new Promise<string>((resolve) => {
      request({ port, host, rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(String(answer.statusCode)))
      })
        .on('error', (error) => resolve(error.message))
        .end()
    }),
  'nodemailer with secure': (port: number) => sending({ port, secure: true }),
  'nodemailer that requires STARTTLS': (port: number) => sending({ port, requireTLS: true }),
  'swaks with CRAM-MD5': async (port: number) => {
    const args = [
      '--server',
      `${host}:${port}`,
      '--to',
      'b@example.com',
      '--auth',
      'CRAM-MD5',
      '--au',
      'a',
      '--ap',
      'b',
    ]
    return run('swaks', args).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    )
  },
} satisfies Record<string, (port: number) => Promise<string>>

type Told = RegExp | null
/** What the client is told, and what the page tells of it; null: nothing. */
const table: Record<
  keyof typeof clients,
  Partial<Record<keyof typeof ports, readonly [client: Told, page: Told]>>
> = {
  'plain SMTP that speaks first': {
    SMTP: [/^220 .*\r\n250-localhost/, null],
    SMTPS: [
      /^554 5\.7\.1 TLS begins at once on this port; plain SMTP is at 127\.0\.0\.1:SMTP\r\n$/,
      plainAtSmtps(),
    ],
    HTTP: [/^554 5\.7\.1 this is Localpost's HTTP port; SMTP is at 127\.0\.0\.1:SMTP\r\n$/, smtpAtHttp()],
    HTTPS: [null, /what came is not TLS\)\. Use https:\/\/ for this port\. SMTP is at 127\.0\.0\.1:SMTP\.$/],
  },
  'plain SMTP that speaks first, by HELO': {
    SMTPS: [/^554 5\.7\.1 TLS begins at once/, plainAtSmtps()],
    HTTP: [/^554 5\.7\.1 this is Localpost's HTTP port; SMTP is at 127\.0\.0\.1:SMTP\r\n$/, smtpAtHttp()],
  },
  TLS: {
    SMTP: [null, /began with TLS.*Turn implicit TLS off/],
    'SMTP with STARTTLS': [null, /began with TLS.*TLS is there with STARTTLS where `smtpTls` is on/],
    SMTPS: [/^220 .*\r\n221 /, /left before it sent a message/],
    HTTP: [
      null,
      /sent TLS instead of an HTTP request: this port speaks plain HTTP, use http:\/\/.*SMTP is at 127\.0\.0\.1:SMTP\.$/,
    ],
  },
  'openssl s_client': {
    SMTP: [/wrong version number|packet length/, /began with TLS/],
    SMTPS: [/^220 .*\r\n221 /, /left before it sent a message/],
    HTTP: [/wrong version number|packet length/, /sent TLS instead of an HTTP request/],
  },
  'plain HTTP': {
    SMTP: [
      /^220 .*\r\n421 4\.7\.0 This is the SMTP port; HTTP is at http:\/\/127\.0\.0\.1:HTTP\r\n$/,
      /An HTTP request came to the SMTP port/,
    ],
    SMTPS: [
      /^554 5\.7\.1 This is the SMTP port; HTTP is at http:\/\/127\.0\.0\.1:HTTP\r\n$/,
      /An HTTP request came to the SMTP port/,
    ],
    HTTPS: [null, /sent plain HTTP to the HTTPS port\. Use https:\/\/ and not http:\/\/\.$/],
  },
  HTTPS: {
    SMTP: [/./, /began with TLS/],
    SMTPS: [/./, /An HTTP request came to the SMTP port/],
    HTTP: [/./, /sent TLS instead of an HTTP request/],
    HTTPS: [/^200$/, null],
  },
  'nodemailer with secure': {
    SMTP: [/./, /began with TLS/],
    'SMTP with STARTTLS': [/./, /began with TLS/],
    SMTPS: [/^sent$/, null],
    HTTP: [/./, /sent TLS instead of an HTTP request/],
  },
  'nodemailer that requires STARTTLS': {
    SMTP: [/STARTTLS/, /STARTTLS was refused\. Start Localpost with `--smtp-tls`/],
    'SMTP with STARTTLS': [/^sent$/, null],
  },
  'swaks with CRAM-MD5': {
    SMTP: [/requested type|not available/i, /kind of AUTH other than PLAIN and LOGIN/],
  },
}

function plainAtSmtps(): RegExp {
  return /plain text at the SMTPS port, where TLS begins at once\. Turn implicit TLS on in the client/
}
function smtpAtHttp(): RegExp {
  return /sent SMTP instead of an HTTP request: SMTP is at 127\.0\.0\.1:SMTP\.$/
}

/** All that a server says until it ends the connection, or says nothing more. A client that is greeted first says QUIT. */
function said(socket: Socket, sent = ''): Promise<string> {
  let text = ''
  socket.setTimeout(400, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.on('data', (piece) => {
    text += String(piece)
    if (sent === '') socket.write('QUIT\r\n')
  })
  if (sent !== '') socket.write(sent)
  return new Promise((resolve) => socket.once('close', () => resolve(text)))
}

async function sending(options: object): Promise<string> {
  const transport = createTransport({ host, tls: { rejectUnauthorized: false }, ...options })
  const mail = { from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'x' }
  return transport.sendMail(mail).then(
    () => 'sent',
    (error: Error) => error.message,
  )
}

/** What the page tells of sessions and requests: message and advice. */
async function hints(post: Localpost): Promise<string[]> {
  const { items: sessions } = await post.smtpSessions.list({ failed: true })
  const { items: requests } = await post.requests.list()
  return [
    // A client that was answered may leave without a mail.
    ...sessions
      .filter(({ client_name }) => client_name !== 'app.test')
      .flatMap(({ problems }) => problems.map(({ message, advice }) => `${message} ${advice}`)),
    ...requests.flatMap(({ path, warnings }) => (path === '' ? warnings : [])),
  ]
}

const rows = Object.entries(table).flatMap(([client, byPort]) =>
  Object.entries(byPort).map(([port, [toClient, toPage]]) => ({ client, port, toClient, toPage })),
) as { client: keyof typeof clients; port: keyof typeof ports; toClient: Told; toPage: Told }[]

/** A pattern, with the real ports in place of their names. */
function at(pattern: RegExp, post: Localpost): RegExp {
  const source = pattern.source
    .replace(':SMTP', `:${post.smtp.port}`)
    .replace(':HTTP', `:${ports.HTTP.of(post)}`)
  return new RegExp(source, 's')
}

describe('a client and a port', () => {
  beforeAll(() => {
    ensureProgram({ name: 'swaks', tests: 'clients at the wrong port', find: () => findOnPath('swaks') })
  }, 300_000)

  it.each(rows)('$client at $port', async ({ client, port, toClient, toPage }) => {
    const notices: string[] = []
    const post = await start({ ...ports[port].options, onNotice: ({ message }) => notices.push(message) })
    await post.listen()
    const text = await clients[client](ports[port].of(post))
    if (toClient === null) expect(text).not.toMatch(/^[45]\d\d /)
    else expect(text).toMatch(at(toClient, post))
    if (toPage === null) expect(await hints(post)).toEqual([])
    else await expect.poll(() => hints(post)).toEqual([expect.stringMatching(at(toPage, post))])
  })

  it.each([
    'CRAM-MD5',
    'cram-md5',
    'DIGEST-MD5',
    'NTLM',
    'XOAUTH2',
    'OAUTHBEARER',
    'SCRAM-SHA-256',
    'GSSAPI',
  ])('AUTH %s, which is not offered', async (mechanism) => {
    const post = await start()
    const client = new RawClient(post.smtp)
    await client.reply()
    const offered = await client.say('EHLO client.test')
    expect(offered).toMatch(/AUTH PLAIN LOGIN/)
    const reply = `504 5.5.4 AUTH ${mechanism.toUpperCase()} is not offered, use PLAIN or LOGIN`
    expect(await client.say(`AUTH ${mechanism} c2VjcmV0`)).toBe(reply)
    await client.say('QUIT')
    const list = async (): Promise<unknown> =>
      (await post.smtpSessions.list({ failed: true })).items.flatMap(({ problems }) => problems)
    await expect
      .poll(list)
      .toMatchObject([{ kind: 'auth_unsupported', command: `AUTH ${mechanism} ***`, reply }])
  })
})

test('clients that wait for a greeting where none comes are told of, until mail comes', async () => {
  const plain = await start({ smtpsPort: 0 })
  const secure = await start({ tls })
  const health = async (post: Localpost): Promise<Health['silent_connections']> =>
    ((await (await post.fetch(new Request('http://localhost/dev/health'))).json()) as Health)
      .silent_connections
  for (const post of [plain, secure]) await post.listen()
  // Clients that leave soon are port checks, and one that made a request is an HTTP client.
  connect(ports.HTTP.of(plain), host).end()
  connect(ports.SMTPS.of(plain), host).end()
  await (await fetch(`${plain.url}/`)).text()
  expect(await health(plain)).toBeNull()
  const waiting = [plain, plain, secure, secure].map((post) =>
    sending({ port: ports.HTTP.of(post), greetingTimeout: 5000 }),
  )
  const atSmtps = sending({ port: ports.SMTPS.of(plain), greetingTimeout: 5000 })
  await expect.poll(() => health(plain)).toMatchObject({ count: 2 })
  for (const text of await Promise.all([...waiting, atSmtps])) expect(text).toMatch(/[Gg]reeting/)
  expect(await health(plain)).toEqual({ count: 2, last: expect.any(Number) as number })
  expect(await health(secure)).toEqual({ count: 2, last: expect.any(Number) as number })
  await expect
    .poll(async () => (await hints(plain)).sort())
    .toEqual([
      // The port check.
      expect.stringMatching(/connected and sent nothing/),
      expect.stringMatching(plainAtSmtps()),
    ])
  await submit(plain, { subject: 'It arrives', to: 'ada@example.com', text: 'Hi' })
  expect(await health(plain)).toBeNull()
})
