import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { goodMail } from '../support/mail.ts'
import { startRetrying } from '../support/instance.ts'

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

/** A real mail server that keeps the received messages; `refuse` answers a recipient. */
async function startRelay(refuse: (address: string) => Error | null = () => null) {
  const got: { from: string; to: string[]; raw: string; envid: string | null }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    hideDSN: false,
    logger: false,
    onRcptTo: ({ address }, _session, done) => done(refuse(address)),
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const { mailFrom, rcptTo, dsn } = session.envelope
        const from = mailFrom ? mailFrom.address : ''
        const to = rcptTo.map(({ address }) => address)
        got.push({ from, to, raw: Buffer.concat(pieces).toString(), envid: dsn?.envid ?? null })
        done(null, 'taken by the relay')
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)))
  return { got, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}

async function settled(post: Localpost, id: string) {
  const mail = await post.inbox.waitFor(`id:${id}`)
  for (let tries = 0; tries < 200; tries++) {
    const { recipients } = await post.inbox.get(id)
    if (
      recipients.every(({ events }) => events.some(({ status }) => /delivered|bounced|failed/.test(status)))
    )
      break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return post.inbox.get(mail.id)
}

describe('a delivery', () => {
  it('gives every recipient the outcome of the real SMTP reply', async () => {
    const post = await startRetrying()
    const to = 'ada@example.com, bounce+x@simulator.localpost, mailboxfull@simulator.localpost'
    const { id } = await post.emails.send({ ...hello, to, bcc: 'suppressionlist@simulator.localpost' })
    const mail = await settled(post, id)
    const outcomes = mail.recipients.map(({ recipient, events }) => [recipient, events.at(-1)])
    expect(outcomes).toEqual([
      [
        'ada@example.com',
        expect.objectContaining({ status: 'delivered', smtp_response: expect.stringMatching(/^250 2\./) }),
      ],
      [
        'bounce+x@simulator.localpost',
        expect.objectContaining({ status: 'bounced', type: 'Permanent', subtype: 'General' }),
      ],
      [
        'mailboxfull@simulator.localpost',
        expect.objectContaining({ status: 'bounced', type: 'Transient', subtype: 'MailboxFull' }),
      ],
      [
        'suppressionlist@simulator.localpost',
        expect.objectContaining({
          status: 'bounced',
          type: 'Permanent',
          subtype: 'OnAccountSuppressionList',
        }),
      ],
    ])
  })

  it('is tried again after each wait, without events, and then bounces', async () => {
    const post = await startRetrying({ retryDelaysMs: [30, 60] })
    const { id } = await post.emails.send({ ...hello, to: 'softbounce@simulator.localpost' })
    const { events } = (await settled(post, id)).recipients[0] ?? { events: [] }
    expect(events.map(({ status }) => status)).toEqual(['sent', 'bounced'])
    expect(events[1]).toMatchObject({
      type: 'Transient',
      subtype: 'General',
      smtp_response: expect.stringMatching(/^451 4\.3\.0/),
    })
    expect((events[1]?.timestamp ?? 0) - (events[0]?.timestamp ?? 0)).toBeGreaterThanOrEqual(90)
  })

  it('never shows Bcc recipients in the message', async () => {
    const post = await startRetrying()
    const { id } = await post.emails.send({ ...hello, bcc: 'secret@example.com', cc: 'Cc <cc@example.com>' })
    const mail = await settled(post, id)
    const { stream } = await post.inbox.raw(id)
    const raw = Buffer.concat(await stream.toArray()).toString()
    expect(raw).not.toContain('secret@')
    expect(raw).toContain('Cc: Cc <cc@example.com>')
    expect(mail.envelope.rcpt_to).toEqual(['ada@example.com', 'cc@example.com', 'secret@example.com'])
  })

  it('of a burst reaches every recipient once', async () => {
    const post = await startRetrying()
    const ids = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, i) => (await post.emails.send({ ...hello, subject: `n ${i}` })).id,
      ),
    )
    for (const id of ids) {
      const mail = await settled(post, id)
      expect(mail.recipients[0]?.events.map(({ status }) => status)).toEqual(['sent', 'delivered'])
    }
    expect((await post.emails.list()).count).toBe(60)
  })
})

describe('an attachment', () => {
  it('from a URL, a data: URI and the allowed folder arrives byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 256))
    const server = createHttp((_, response) => response.end(bytes))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file.bin`
    const post = await startRetrying({ attachments: { root: import.meta.dirname } })
    const { id } = await post.emails.send({
      ...hello,
      attachments: [
        { filename: 'a.bin', path: url },
        { filename: 'b.bin', path: `data:application/octet-stream;base64,${bytes.toString('base64')}` },
        { filename: 'c.ts', path: 'outbox.test.ts' },
      ],
    })
    const mail = await settled(post, id)
    expect(mail.attachments.map(({ filename, size_bytes }) => [filename, size_bytes])).toEqual([
      ['a.bin', 5000],
      ['b.bin', 5000],
      ['c.ts', expect.any(Number)],
    ])
    for (const index of [0, 1])
      expect((await post.inbox.attachment(id, index)).content.equals(bytes)).toBe(true)
  })

  it('that cannot be fetched makes the email fail, for every recipient and with the reason', async () => {
    const post = await startRetrying()
    const { id } = await post.emails.send({
      ...hello,
      cc: 'bob@example.com',
      attachments: [{ filename: 'a', path: 'http://127.0.0.1:1/a' }],
    })
    const mail = await settled(post, id)
    expect(mail.recipients.map(({ events }) => events.at(-1))).toEqual([
      { status: 'failed', timestamp: expect.any(Number), reason: expect.stringContaining('127.0.0.1:1') },
      { status: 'failed', timestamp: expect.any(Number), reason: expect.stringContaining('127.0.0.1:1') },
    ])
    await expect(post.inbox.raw(id)).rejects.toMatchObject({ code: 'message_pending' })
  })
})

describe('a relay', () => {
  it('without relayAll is used by release only, and API sends stay here', async () => {
    const relay = await startRelay()
    const post = await startRetrying({ relay: relay.url })
    const { id } = await post.emails.send(hello)
    await settled(post, id)
    expect(relay.got).toEqual([])
    const released = await post.inbox.release(id, { to: 'real@person.example' })
    expect(released.smtp_response).toMatch(/^250 .*taken by the relay/)
    expect(relay.got).toMatchObject([{ from: 'hi@acme.test', to: ['real@person.example'], envid: id }])
    expect(relay.got[0]?.raw).toMatch(/^DKIM-Signature:/)
  })

  it('with relayAll gets API sends, except for simulator addresses, and its replies count', async () => {
    const relay = await startRelay((address) =>
      address.startsWith('nobody') ? Object.assign(new Error('Unknown user'), { responseCode: 550 }) : null,
    )
    const post = await startRetrying({ relay: relay.url, relayAll: true })
    const to = 'ada@example.com, nobody@example.com, bounce@simulator.localpost'
    const { id } = await post.emails.send({ ...hello, to })
    const mail = await settled(post, id)
    expect(relay.got.map((message) => message.to)).toEqual([['ada@example.com']])
    expect(mail.recipients.map(({ events }) => events.at(-1))).toMatchObject([
      { status: 'delivered', smtp_response: expect.stringContaining('taken by the relay') },
      { status: 'bounced', type: 'Permanent', smtp_response: expect.stringContaining('Unknown user') },
      { status: 'bounced', type: 'Permanent' },
    ])
  })

  it('that cannot be reached is retried, and then the mail bounces as transient', async () => {
    const post = await startRetrying({ relay: 'smtp://127.0.0.1:1', relayAll: true })
    const { id } = await post.emails.send(hello)
    const mail = await settled(post, id)
    expect(mail.recipients[0]?.events.at(-1)).toMatchObject({
      status: 'bounced',
      type: 'Transient',
      subtype: 'General',
    })
  })

  it('that is missing is named in the error of release', async () => {
    const post = await startRetrying()
    const { id } = await post.emails.send(hello)
    await settled(post, id)
    await expect(post.inbox.release(id, { to: 'a@b.test' })).rejects.toMatchObject({
      code: 'relay_not_configured',
    })
  })
})
