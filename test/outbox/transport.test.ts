import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import Pool from 'nodemailer/lib/smtp-pool'
import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTransport, type Transport } from '../../src/outbox/transport.ts'

interface Taken {
  from: string
  to: string[]
  message: string
}

let server: SMTPServer
let transport: Transport
let taken: Taken[]
let connections: number

beforeEach(async () => {
  taken = []
  connections = 0
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(_, callback) {
      connections++
      callback()
    },
    onRcptTo({ address }, _, callback) {
      const refused = Object.assign(new Error('5.1.1 No such mailbox'), { responseCode: 550 })
      callback(address.startsWith('nobody') ? refused : null)
    },
    onData(stream, session, callback) {
      const { mailFrom, rcptTo } = session.envelope
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.once('error', callback).once('end', () => {
        const to = rcptTo.map(({ address }) => address)
        const message = Buffer.concat(pieces).toString('latin1')
        taken.push({ from: mailFrom ? mailFrom.address : '', to, message })
        callback(null, '2.0.0 Taken')
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  transport = createTransport({
    host: '127.0.0.1',
    port,
    plain: true,
    hostname: 'mx.test',
    maxConnections: 1,
  })
})
afterEach(async () => {
  transport.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})

const deliver = (rcpt_to: string[], message: string | Readable, mail_from = 'hi@acme.test') =>
  transport.deliver({
    id: 'em_1',
    mail_from,
    rcpt_to,
    message: typeof message === 'string' ? Readable.from([Buffer.from(message, 'latin1')]) : message,
  })

describe('a delivery', () => {
  it('sends message and envelope as given, one after the other over one connection', async () => {
    const message = 'Subject: x\r\n\r\n.\r\n..a\r\n\xff\r\n'
    for (const to of [['ada@example.com'], ['o.x+y@example.com', "b'c@sub.example.com"]]) {
      const replies = await deliver(to, message)
      expect([...replies.keys()]).toEqual(to)
      for (const reply of replies.values()) expect(reply).toMatchObject({ reply_code: 250 })
    }
    await deliver(['ada@example.com'], 'Subject: bounce\r\n\r\nwithout a line end', '')
    expect(taken).toEqual([
      { from: 'hi@acme.test', to: ['ada@example.com'], message },
      { from: 'hi@acme.test', to: ['o.x+y@example.com', "b'c@sub.example.com"], message },
      { from: '', to: ['ada@example.com'], message: 'Subject: bounce\r\n\r\nwithout a line end\r\n' },
    ])
    expect(connections).toBe(1)
  })

  it('quotes an address as SMTP requires it', async () => {
    const replies = await deliver(
      ['ada@Example.COM', 'ada@m\xfcller.example', 'ada@[127.0.0.1]'],
      'Subject: x\r\n\r\nx\r\n',
    )
    expect([...replies.values()].map(({ reply_code }) => reply_code)).toEqual([250, 250, 250])
    expect(taken[0]?.to).toEqual([
      'ada@example.com',
      expect.stringMatching(/^ada@(?:xn--mller-kva|müller)\.example$/),
      'ada@[127.0.0.1]',
    ])
  })

  it('to many addresses that need quoting adds no listeners to the pool', async () => {
    const on = vi.spyOn(Pool.prototype, 'on')
    for (let index = 0; index < 3; index++) await deliver(['root@localhost'], 'Subject: x\r\n\r\nx\r\n')
    const events = on.mock.calls.map(([event]) => event)
    on.mockRestore()
    expect(taken).toHaveLength(3)
    expect(events.toSorted()).toEqual(['clear', 'error', 'idle', 'log'])
  })

  it('gives each recipient its own reply, and the connection stays usable', async () => {
    const replies = await deliver(['nobody@example.com', 'ada@example.com'], 'Subject: x\r\n\r\nx\r\n')
    expect(replies.get('nobody@example.com')).toMatchObject({ reply_code: 550, enhanced_code: '5.1.1' })
    expect(replies.get('ada@example.com')).toMatchObject({ reply_code: 250 })
    const refused = await deliver(['nobody@example.com'], 'Subject: x\r\n\r\nx\r\n')
    expect(refused.get('nobody@example.com')).toMatchObject({ reply_code: 550 })
    expect((await deliver(['ada@example.com'], 'Subject: y\r\n\r\ny\r\n')).size).toBe(1)
    expect(taken.map(({ to }) => to)).toEqual([['ada@example.com'], ['ada@example.com']])
    expect(connections).toBe(1)
  })

  it('reports code 0 for a message that breaks off, and never sends half of it', async () => {
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('Subject: x\r\n\r\n')
        throw new Error('The disk is gone')
      })(),
    )
    const replies = await deliver(['ada@example.com'], broken)
    expect(replies.get('ada@example.com')).toMatchObject({ reply_code: 0, text: 'The disk is gone' })
    expect(broken.destroyed).toBe(true)
    expect((await deliver(['ada@example.com'], 'Subject: y\r\n\r\ny\r\n')).size).toBe(1)
    expect(taken.map(({ message }) => message)).toEqual(['Subject: y\r\n\r\ny\r\n'])
  })
})

it('a pool that could not be opened is opened again by the next delivery', async () => {
  const { port } = server.server.address() as AddressInfo
  let isListening = false
  const late = createTransport({
    get host() {
      if (!isListening) throw new Error('The server does not listen yet')
      return '127.0.0.1'
    },
    port,
    plain: true,
    hostname: 'mx.test',
    maxConnections: 1,
  })
  const send = async (): Promise<string | undefined> => {
    const message = Readable.from(['Subject: x\r\n\r\nHi\r\n'])
    const rcpt_to = ['ada@x.test']
    const replies = await late.deliver({ id: 'em_1', mail_from: 'hi@acme.test', rcpt_to, message })
    return replies.get('ada@x.test')?.text
  }
  expect(await send()).toBe('The server does not listen yet')
  isListening = true
  expect(await send()).toBe('250 2.0.0 Taken')
  late.close()
})
