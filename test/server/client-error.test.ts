import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reportForeignClients } from '../../src/server/foreign-clients.ts'
import { closeHttpListener, openHttpListener } from '../../src/server/listener.ts'
import { start } from '../support/instance.ts'

const host = 'Host: localhost'
const json = 'Content-Type: application/json\r\nAuthorization: Bearer key'

// What a client sends, and the status of the answer.
const requests: [string, string, number, string][] = [
  ['a method that does not exist', `FOO /v1/emails HTTP/1.1\r\n${host}\r\n\r\n`, 400, 'invalid_request'],
  ['garbage', 'garbage\r\n\r\n', 400, 'invalid_request'],
  ['a request line without a version', 'GET /v1/emails\r\n\r\n', 400, 'invalid_request'],
  ['a version that does not exist', `GET / HTTP/9.9\r\n${host}\r\n\r\n`, 400, 'invalid_request'],
  ['a header without a colon', `GET / HTTP/1.1\r\n${host}\r\nbroken\r\n\r\n`, 400, 'invalid_request'],
  [
    'a header of 40 KB',
    `GET / HTTP/1.1\r\n${host}\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    431,
    'header_too_large',
  ],
  [
    'a request line of 40 KB',
    `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n\r\n`,
    431,
    'header_too_large',
  ],
  ['no Host', 'GET /v1/emails HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_request'],
  ['no Host in HTTP/1.0, and no key', 'GET /v1/emails HTTP/1.0\r\n\r\n', 401, 'missing_api_key'],
  ...['/v1/emails', '/dev/emails', '/', '/t/o/x', '/nothing'].flatMap((path) =>
    ['localhost', 'other.test', ''].map((second): [string, string, number, string] => [
      `two Hosts at ${path}, the second ${JSON.stringify(second)}`,
      `GET ${path} HTTP/1.1\r\n${host}\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`,
      400,
      'invalid_request',
    ]),
  ),
  [
    'a Host of others',
    'GET /v1/emails HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n',
    403,
    'forbidden_host',
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', 405, 'method_not_allowed'],
  [
    'an unknown Expect',
    `GET /v1/emails HTTP/1.1\r\n${host}\r\nExpect: tea\r\n\r\n`,
    417,
    'expectation_failed',
  ],
  [
    'an upgrade',
    `GET /v1/emails HTTP/1.1\r\n${host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    401,
    'missing_api_key',
  ],
  [
    'an upgrade to h2c',
    `GET /v1/emails HTTP/1.1\r\n${host}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    401,
    'missing_api_key',
  ],
  ['HTTP/2 from the start', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
  [
    'a chunk without a size',
    `POST /v1/emails HTTP/1.1\r\n${host}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'a broken second chunk',
    `POST /v1/emails HTTP/1.1\r\n${host}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`,
    400,
    'invalid_request',
  ],
  [
    'a length beside chunks',
    `POST /v1/emails HTTP/1.1\r\n${host}\r\n${json}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'two lengths',
    `POST /v1/emails HTTP/1.1\r\n${host}\r\n${json}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    400,
    'invalid_request',
  ],
]

async function exchange(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(sent)
  let answer = ''
  for await (const piece of socket) answer += String(piece)
  return answer
}

describe('the listener', () => {
  test.each(requests)('answers %s in the shape of every error', async (_name, sent, status, name) => {
    const post = await start({ acceptAnyKey: true })
    const { port } = await post.listen()
    const answer = await exchange(port, sent)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toMatch(/^content-type: application\/json/im)
    expect(JSON.parse(body)).toEqual({ statusCode: status, name, message: expect.any(String) as string })
    // No second answer follows.
    expect(answer.match(/^HTTP\/1\.1 \d/gm)).toHaveLength(1)
  })
})

test.each(['EHLO', 'HELO', 'LHLO', 'MAIL', 'RCPT', 'NOOP', 'QUIT', 'RSET', 'ehlo'])(
  'a client that says %s gets an SMTP reply',
  async (verb) => {
    const post = await start()
    const { port } = await post.listen()
    expect(await exchange(port, `${verb} client.test\r\n`)).toBe(
      `554 5.7.1 this is Localpost's HTTP port; SMTP is at 127.0.0.1:${post.smtp.port}\r\n`,
    )
  },
)

test.each([
  ['nothing', '', /^554 5\.7\.1 this is Localpost's HTTP port; SMTP is at 127\.0\.0\.1:1025\r\n$/],
  ['half of a request', 'GET / HT', /^HTTP\/1\.1 408 /],
])('a client that says %s until its time is over gets its own answer', async (_, sent, answer) => {
  const address = { host: '127.0.0.1', port: 0, smtp: '127.0.0.1:1025' }
  const listener = await openHttpListener(() => undefined, address)
  onTestFinished(() => closeHttpListener(listener, 0))
  const { server } = listener
  server.once('connection', (socket: Socket) => {
    // What Node does at the end of `headersTimeout`, which is longer than a test.
    const over = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    setTimeout(() => server.emit('clientError', over, socket), 100)
  })
  expect(await exchange(listener.port, sent)).toMatch(answer)
})

test('clients that speak TLS or SMTP to the HTTP port are reported with what to do, once', async () => {
  const notices: string[] = []
  const post = await start({ onNotice: ({ level, message }) => notices.push(`${level}: ${message}`) })
  const { port } = await post.listen()
  const smtp = `127.0.0.1:${post.smtp.port}`
  for (let i = 0; i < 2; i++) {
    const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'error')
    await exchange(port, 'EHLO client.test\r\n')
    await exchange(port, 'garbage\r\n\r\n')
  }
  expect(notices).toEqual([
    `warning: A client at 127.0.0.1 sent TLS instead of an HTTP request: this port speaks plain HTTP, use http:// and not https://. SMTP is at ${smtp}.`,
    `warning: A client at 127.0.0.1 sent SMTP instead of an HTTP request: SMTP is at ${smtp}.`,
  ])
  const { items } = await post.requests.list()
  expect(
    items.map(({ method, path, status, warnings }) => `${method}${path} ${status} ${warnings.join()}`),
  ).toEqual([
    expect.stringMatching(
      /^SMTP 400 A client at 127\.0\.0\.1 sent SMTP instead of an HTTP request: SMTP is at/,
    ),
    expect.stringMatching(/^TLS 400 A client at 127\.0\.0\.1 sent TLS instead of an HTTP request: this port/),
  ])
})

test('a listener for both families shows the IPv4 address of a client', async () => {
  const notices: string[] = []
  const post = await start({
    host: '::',
    smtpAuth: 'required',
    onNotice: ({ message }) => notices.push(message),
  })
  const { port } = await post.listen()
  await exchange(port, 'EHLO client.test\r\n')
  const credentials = Buffer.from('\0me\0wrong').toString('base64')
  await exchange(post.smtp.port, `EHLO client.test\r\nAUTH PLAIN ${credentials}\r\nQUIT\r\n`)
  expect(notices.map((notice) => / at (\S+) /.exec(notice)?.[1])).toEqual(['127.0.0.1', '127.0.0.1'])
  const answer = await post.fetch(new Request('http://localhost/dev/smtp-sessions'))
  expect(await answer.text()).toContain('"remote_address":"127.0.0.1:')
})

test('such clients are reported again for each minute in which they come', async () => {
  let now = 0
  const reports: string[] = []
  const listener = await openHttpListener(() => undefined, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => closeHttpListener(listener, 0))
  reportForeignClients(
    listener.server,
    { smtp: '127.0.0.1:1025', smtps: null },
    (message) => reports.push(message),
    () => now,
  )
  const counts: number[] = []
  for (now of [0, 59_999, 60_000, 119_999, 120_000, 3_600_000]) {
    await exchange(listener.port, 'EHLO client.test\r\n')
    counts.push(reports.length)
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 4])
})
