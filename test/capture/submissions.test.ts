import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { isErrorOf, LocalpostError } from '../../src/core/errors.ts'
import { message, rawClient, testServer } from './_server.ts'

describe('submissions', () => {
  it('accepts a message of nodemailer with its envelope, and answers with the given text', async () => {
    await using server = await testServer()
    const transport = createTransport({
      host: server.host,
      port: server.port,
      name: 'app.test',
      auth: { user: 'me', pass: 'anything' },
    })
    const info = await transport.sendMail({
      from: 'a@acme.com',
      to: 'b@example.com',
      cc: 'C@example.com',
      bcc: 'd@example.com',
      subject: 'Hi',
      text: 'Hello',
    })
    expect(info.response).toBe('250 2.6.0 OK: captured as em_1')
    expect(server.taken[0]).toMatchObject({
      envelope: { mail_from: 'a@acme.com', rcpt_to: ['b@example.com', 'C@example.com', 'd@example.com'] },
      outcome: 'finished',
    })
    expect(server.begun[0]?.state()).toMatchObject({
      client_name: 'app.test',
      user: 'me',
      secure: false,
      remote_address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    })
    expect(server.taken[0]?.bytes.toString()).not.toContain('d@example.com')
    expect(server.errors).toEqual([])
  })

  it('waits for a slow store and loses nothing', async () => {
    let pending = 0
    const pieces: Buffer[] = []
    await using server = await testServer({
      receive: () => ({
        async write(piece) {
          expect(++pending).toBe(1)
          await delay(2)
          pieces.push(Buffer.from(piece))
          pending--
        },
        finish: async () => `OK: ${pending} pending`,
        discard: async () => {},
      }),
    })
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const body = `${'0123456789'.repeat(8)}\r\n`.repeat(20_000)
    client.socket.write(body)
    expect(await client.say('.')).toBe('250 2.6.0 OK: 0 pending')
    expect(Buffer.concat(pieces).toString()).toBe(body)
  })

  it('discards the message of a client that disconnects', async () => {
    await using server = await testServer()
    for (const end of ['destroy', 'end', 'resetAndDestroy'] as const) {
      const client = await rawClient(server)
      client.socket.write(`MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}`)
      await client.reply()
      await client.reply()
      await client.reply()
      await delay(10)
      client.socket[end]()
      await client.closed()
      await expect.poll(() => server.taken.at(-1)?.outcome).toBe('discarded')
    }
    expect(server.taken).toHaveLength(3)
    expect(server.errors).toEqual([])
  })

  const faults = {
    'a full disk': [
      new LocalpostError('store_full', 'full'),
      '452 4.3.1 The disk is full, nothing was stored',
    ],
    'a failed store': [
      new LocalpostError('store_failed', 'no'),
      '451 4.3.0 The message could not be stored, try again',
    ],
    'an outcome that is not known': [
      new LocalpostError('store_unknown', 'unknown'),
      '451 4.3.0 It is not known whether the message was stored, try again',
    ],
    'a fault': [new Error('secret detail'), '451 4.3.0 The message could not be stored, try again'],
    'a closed instance': [new LocalpostError('closed', 'closed'), '421 4.3.2 Localpost is closing'],
    'a message that the store finds too large': [
      new LocalpostError('message_too_large', 'large'),
      '552 5.3.4 The message is too large',
    ],
  } as const
  it.each(Object.entries(faults))('answers for %s, wherever it occurs', async (_, [fault, reply]) => {
    for (const place of ['begin', 'write', 'write later', 'finish']) {
      let discarded = 0
      await using server = await testServer({
        receive() {
          if (place === 'begin') throw fault
          return {
            write() {
              if (place === 'write') throw fault
              return place === 'write later' ? delay(1).then(() => Promise.reject(fault)) : undefined
            },
            finish: async () => {
              throw fault
            },
            discard: async () => {
              discarded++
            },
          }
        },
      })
      const client = await rawClient(server)
      await client.say('MAIL FROM:<a@acme.com>')
      await client.say('RCPT TO:<b@example.com>')
      await client.say('DATA')
      client.socket.write(message)
      await delay(10)
      expect(await client.say('.'), place).toBe(reply)
      const mayBeStored = place === 'finish' && isErrorOf(fault, 'store_unknown')
      expect(discarded, place).toBe(place === 'begin' || mayBeStored ? 0 : 1)
      expect(server.errors).toEqual([fault])
      if (!reply.startsWith('421')) expect(await client.say('NOOP')).toMatch(/^250/)
    }
  })

  it('refuses a message over the size limit, at MAIL and during DATA, and the session continues', async () => {
    await using server = await testServer({ maxSizeBytes: 10_000 })
    const client = await rawClient(server)
    expect(await client.say('MAIL FROM:<a@acme.com> SIZE=10001')).toMatch(/^552 5\.3\.4 /)
    expect(await client.say('MAIL FROM:<a@acme.com> SIZE=10000')).toMatch(/^250 /)
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const line = `${'x'.repeat(78)}\r\n`
    for (let i = 0; i < 20; i++) {
      client.socket.write(line.repeat(100))
      await delay(1)
    }
    await expect.poll(() => server.taken[0]?.outcome).toBe('discarded')
    expect(await client.say('.')).toMatch(/^552 5\.3\.4 /)
    // Exactly the maximum size is accepted, one octet more is not.
    for (const [size, code] of [
      [10_000, '250'],
      [10_001, '552'],
    ] as const) {
      await client.say('MAIL FROM:<a@acme.com>')
      await client.say('RCPT TO:<b@example.com>')
      await client.say('DATA')
      client.socket.write(`${'x'.repeat(size - 2)}\r\n.\r\n`)
      expect((await client.reply()).slice(0, 3)).toBe(code)
    }
    expect(server.taken.map(({ outcome }) => outcome)).toEqual(['discarded', 'finished', 'discarded'])
  })

  it('accepts 1,000 recipients and refuses the next; a repeat in other case is the same one', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<>')
    client.socket.write(Array.from({ length: 1000 }, (_, i) => `RCPT TO:<user${i}@example.com>\r\n`).join(''))
    for (let i = 0; i < 1000; i++) expect(await client.reply()).toBe('250 2.1.5 Accepted')
    expect(await client.say('RCPT TO:<more@example.com>')).toMatch(/^452 4\.5\.3 /)
    expect(await client.say('RCPT TO:<USER1@EXAMPLE.COM>')).toMatch(/^250 /)
    await client.say('DATA')
    expect(await client.say(`${message}.`)).toMatch(/^250 /)
    expect(server.taken[0]?.envelope.rcpt_to).toHaveLength(1000)
  })
})
