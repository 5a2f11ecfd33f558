import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import type { CaptureOptions } from '../../src/capture/options.ts'
import type { SmtpFault } from '../../src/faults/types.ts'
import type { SmtpProblemKind } from '../../src/inbox/smtp-session-types.ts'
import { message, RawClient, rawClient, type TestServer } from './_server.ts'

/** How a client meets a kind of problem. */
export interface Failing {
  options?: Partial<CaptureOptions>
  fails(server: TestServer): Promise<void>
  command?: string | null
  reply?: RegExp
}

/** Says lines to a client that sent EHLO, then leaves. */
const saying =
  (...lines: string[]) =>
  async (server: TestServer): Promise<void> => {
    const client = await rawClient(server)
    for (const line of lines) await client.say(line)
    client.socket.end()
    await client.closed()
  }
const plain = (password: string): string =>
  `AUTH PLAIN ${Buffer.from(`\0me\0${password}`).toString('base64')}`
const fault = (given: SmtpFault) => (stage: SmtpFault['stage']) => (stage === given.stage ? given : null)
const refusing = {
  rejectSubmissions: true,
  verdictOf: (recipient: string) =>
    recipient === 'drop@example.com'
      ? ({ action: 'drop' } as const)
      : ({ action: 'reject', reply_code: 550, enhanced_code: '5.1.1', text: 'No such user' } as const),
}

/** One way to each kind of problem, over real sockets. */
export const failing: Readonly<Record<SmtpProblemKind, Failing>> = {
  http: {
    async fails(server) {
      const client = new RawClient(server)
      await client.reply()
      await client.say('POST /v1/emails HTTP/1.1')
    },
  },
  implicit_tls: {
    async fails(server) {
      const socket = connectTls({ host: server.host, port: server.port, rejectUnauthorized: false })
      await once(socket, 'error')
    },
  },
  plain_text: {
    options: { securePort: 0 },
    async fails({ host, securePort }) {
      const client = new RawClient({ host, port: securePort ?? 0 })
      await client.say('EHLO client.test')
      await client.closed()
    },
  },
  certificate: {
    options: { tls: true },
    async fails(server) {
      const client = await rawClient(server)
      await client.say('STARTTLS')
      client.socket.removeAllListeners('data')
      const secure = connectTls({ socket: client.socket })
      await once(secure, 'error')
    },
  },
  handshake: {
    options: { tls: true },
    async fails(server) {
      const client = await rawClient(server)
      await client.say('STARTTLS')
      client.socket.write('EHLO again\r\nthis is no TLS\r\n')
      await client.closed()
    },
  },
  no_handshake: { options: { tls: true }, fails: saying('STARTTLS') },
  too_many_connections: {
    options: { maxClients: { perAddress: 1 } },
    async fails(server) {
      const busy = await rawClient(server)
      await busy.say('MAIL FROM:<a@acme.com>')
      const refused = new RawClient(server)
      await refused.reply()
      refused.socket.end()
      busy.socket.end()
    },
    command: null,
    reply: /^421 4\.7\.0 /,
  },
  too_slow: {
    options: { patience: { commandMs: 10 } },
    async fails(server) {
      await (await rawClient(server)).closed()
    },
    reply: /^421 4\.4\.2 /,
  },
  too_many_commands: {
    async fails(server) {
      const client = await rawClient(server)
      client.socket.write('XX\r\n'.repeat(1100))
      await client.closed()
    },
    reply: /^421 .*too many/,
  },
  closing: {
    async fails(server) {
      await rawClient(server)
      await server.close()
    },
    reply: /^421 4\.3\.2 /,
  },
  fault: {
    options: { faultAt: fault({ stage: 'rcpt', code: 451 }) },
    fails: saying('MAIL FROM:<a@acme.com>', 'RCPT TO:<b@example.com>'),
    command: 'RCPT TO:<b@example.com>',
    reply: /^451 /,
  },
  rule: {
    options: refusing,
    fails: saying('MAIL FROM:<a@acme.com>', 'RCPT TO:<drop@example.com>'),
    command: 'RCPT TO:<drop@example.com>',
  },
  auth_required: {
    options: { auth: 'required' },
    fails: saying('MAIL FROM:<a@acme.com>'),
    command: 'MAIL FROM:<a@acme.com>',
    reply: /^530 /,
  },
  auth_failed: {
    options: { auth: 'required' },
    fails: saying(plain('wrong-password')),
    command: 'AUTH PLAIN ***',
    reply: /^535 5\.7\.8 /,
  },
  auth_unsupported: {
    fails: saying('AUTH CRAM-MD5'),
    command: 'AUTH CRAM-MD5',
    reply: /^504 5\.5\.4 AUTH CRAM-MD5 is not offered/,
  },
  starttls_refused: { fails: saying('STARTTLS'), command: 'STARTTLS', reply: /^5/ },
  sender_refused: { fails: saying('MAIL FROM:<@@>'), command: 'MAIL FROM:<@@>', reply: /^5/ },
  recipient_refused: {
    options: refusing,
    fails: saying('MAIL FROM:<a@acme.com>', 'RCPT TO:<gone@example.com>'),
    command: 'RCPT TO:<gone@example.com>',
    reply: /^550 5\.1\.1 No such user$/,
  },
  too_large: {
    options: { maxSizeBytes: 1000 },
    fails: saying('MAIL FROM:<a@acme.com>', 'RCPT TO:<b@x.test>', 'DATA', `${'x'.repeat(3000)}\r\n.`),
    command: 'DATA',
    reply: /^552 5\.3\.4 /,
  },
  message_refused: {
    options: {
      receive: () => ({
        write: () => undefined,
        finish: () => Promise.reject(new Error('no room')),
        discard: () => Promise.resolve(),
      }),
    },
    fails: saying('MAIL FROM:<a@acme.com>', 'RCPT TO:<b@example.com>', 'DATA', `${message}.`),
    command: 'DATA',
    reply: /^451 /,
  },
  command_refused: { fails: saying('VOTE FOR ME'), command: 'VOTE FOR ME', reply: /^5/ },
  no_message: { fails: saying('QUIT'), command: 'QUIT' },
  disconnected: {
    async fails(server) {
      const client = await rawClient(server)
      for (const line of ['MAIL FROM:<a@acme.com>', 'RCPT TO:<b@example.com>', 'DATA']) await client.say(line)
      client.socket.write('Subject: half')
      client.socket.destroy()
    },
    command: 'DATA',
  },
  silent: {
    async fails(server) {
      const client = new RawClient(server)
      await client.reply()
      client.socket.end()
    },
    command: null,
  },
}
