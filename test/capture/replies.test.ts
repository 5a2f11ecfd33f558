import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CaptureConnection } from '../../src/capture/connection.ts'
import { rawClient, testServer, type RawClient } from './_server.ts'

afterEach(() => vi.restoreAllMocks())

/** Starts TLS, and sends a line after it. */
async function sayInTls(client: RawClient, line: string): Promise<string> {
  expect(await client.say('STARTTLS')).toMatch(/^220 /)
  client.socket.removeAllListeners('data')
  const secured = connectTls({ socket: client.socket, rejectUnauthorized: false })
  await once(secured, 'secureConnect')
  secured.write(`${line}\r\n`)
  let said = ''
  for await (const piece of secured) if (/^250 .*\r\n$/m.test((said += String(piece)))) break
  return said.trimEnd()
}

describe('the answer to EHLO', () => {
  const auth = `AUTH PLAIN ${Buffer.from('\0me\0secret').toString('base64')}`

  it('matches that of smtp-server, before and after AUTH and in TLS', async () => {
    await using server = await testServer({ tls: true })
    const all = async (): Promise<string[]> => {
      const client = await rawClient(server)
      const answers = [await client.say('EHLO client.test')]
      expect(await client.say(auth)).toMatch(/^235 /)
      answers.push(await client.say('EHLO client.test'))
      answers.push(await sayInTls(await rawClient(server), 'EHLO client.test'))
      return answers
    }
    const own = await all()
    vi.spyOn(CaptureConnection.prototype, 'handler_EHLO').mockImplementation(
      SMTPConnection.prototype.handler_EHLO,
    )
    expect(own).toEqual(await all())
    expect(new Set(own).size).toBe(3)
  })

  it.each([
    ['EHLO', '501 Error: syntax: EHLO hostname'],
    ['EHLO a b', '501 Error: syntax: EHLO hostname'],
    [`EHLO ${'a'.repeat(2000)}`, '501 Error: Bad hostname syntax'],
    ['EHLO a\x07b', '501 Error: Bad hostname syntax'],
  ])('refuses %j', async (line, reply) => {
    await using server = await testServer()
    expect(await (await rawClient(server)).say(line)).toBe(reply)
  })

  it.each(['[127.0.0.1]', '[IPv6:::1]', 'MY_PC', 'bücher.example', 'who?'])(
    'takes a client called %s',
    async (name) => {
      await using server = await testServer()
      const client = await rawClient(server)
      expect(await client.say(`EHLO ${name}`)).toMatch(/^250-/)
      await client.say('MAIL FROM:<a@acme.test>')
      await client.say('RCPT TO:<b@example.com>')
      await client.say('DATA')
      expect(await client.say('Subject: Hi\r\n\r\nHi\r\n.')).toMatch(/^250 /)
      expect(server.begun[0]?.state().client_name).toBe(name.toLowerCase())
    },
  )
})

describe('a reply', () => {
  it('is UTF-8 without control characters', async () => {
    await using server = await testServer({
      rejectSubmissions: true,
      verdictOf: () => ({
        action: 'reject',
        reply_code: 550,
        enhanced_code: '5.7.1',
        text: 'Nö\r\n250 世界\x07',
      }),
    })
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.test>')
    expect(await client.say('RCPT TO:<b@example.com>')).toBe('550 5.7.1 Nö  250 世界')
  })

  it('is sent for each of many commands in one chunk, in order', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    const message = 'MAIL FROM:<a@acme.test>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n'
    client.socket.write(message)
    const replies = [await client.reply(), await client.reply(), await client.reply()]
    client.socket.write(`Subject: Hi\r\n\r\nHi\r\n.\r\nNOOP\r\n${message}`)
    for (let i = 0; i < 5; i++) replies.push(await client.reply())
    expect(replies.map((reply) => reply.slice(0, 9))).toEqual([
      '250 2.1.0',
      '250 2.1.5',
      '354 End d',
      '250 2.6.0',
      '250 2.0.0',
      '250 2.1.0',
      '250 2.1.5',
      '354 End d',
    ])
  })

  it('is also sent for a command without a line end, where the client closes its side', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    client.socket.end('NOOP\r\nVRFY ada')
    expect([await client.reply(), await client.reply()].map((reply) => reply.slice(0, 3))).toEqual([
      '250',
      '252',
    ])
  })

  it('is sent for each command before the one that ends the connection', async () => {
    await using server = await testServer({
      faultAt: (stage) => (stage === 'mail' && server.taken.length > 0 ? { stage, disconnect: true } : null),
    })
    const client = await rawClient(server)
    const message = 'MAIL FROM:<a@acme.test>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n\r\nHi\r\n.\r\n'
    client.socket.write(message + message)
    const replies = []
    for (let i = 0; i < 5; i++) replies.push((await client.reply()).slice(0, 3))
    expect(replies).toEqual(['250', '250', '354', '250', ''])
    expect(server.taken).toHaveLength(1)
  })

  it('is 451 where Localpost itself fails, with a notice, and the session continues', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    const broken = new Error('broken')
    vi.spyOn(SMTPConnection.prototype, 'handler_MAIL').mockImplementationOnce(() => {
      throw broken
    })
    expect(await client.say('MAIL FROM:<a@acme.test>')).toMatch(/^451 4\.3\.0 /)
    expect(server.errors).toEqual([broken])
    expect(await client.say('MAIL FROM:<a@acme.test>')).toMatch(/^250 /)
  })
})
