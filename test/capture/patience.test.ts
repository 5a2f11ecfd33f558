import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { message, rawClient, RawClient, testServer } from './_server.ts'
import { idleMs } from '../../src/capture/slots.ts'

/** Sends a text at a constant rate, however late timers are, until it is sent or the connection ends. */
function trickle(client: RawClient, text: string, octetMs: number): void {
  const from = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - from) / octetMs)
    if (client.isClosed || sent >= text.length) clearInterval(timer)
    else client.socket.write(text.slice(sent, due))
    sent = Math.max(sent, due)
  }, octetMs)
}

const begin = ['MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.com>', 'DATA']
const patience = { commandMs: 1500, dataMs: 1500, minDataBytes: 1024 }

// These tests wait most of the time, so that they wait together.
describe.concurrent('a client that takes too long', () => {
  it('gets 421 where a command comes octet by octet', async () => {
    await using server = await testServer({ patience: { ...patience, dataMs: 60_000 } })
    const client = await rawClient(server)
    trickle(client, 'NOOP '.padEnd(1000, 'x'), 20)
    expect(await client.reply()).toBe('421 4.4.2 No command came within 1.5 seconds, closing the connection')
    await client.closed()
  })

  it('gets 421 where it sends nothing after the greeting', async () => {
    await using server = await testServer({ patience })
    const client = new RawClient(server)
    expect(await client.reply()).toMatch(/^220 /)
    expect(await client.reply()).toMatch(/^421 4\.4\.2 No command/)
  })

  it('gets 421 where a message comes octet by octet, and the message is discarded', async () => {
    await using server = await testServer({ patience: { ...patience, commandMs: 60_000 } })
    const client = await rawClient(server)
    for (const line of begin) await client.say(line)
    trickle(client, 'Subject: '.padEnd(1000, 'x'), 20)
    expect(await client.reply()).toMatch(/^421 4\.4\.2 Too little came within 1\.5 seconds/)
    await client.closed()
    await expect.poll(() => server.taken[0]?.outcome).toBe('discarded')
  })

  it('is disconnected where it does not continue its TLS handshake', async () => {
    await using server = await testServer({ tls: true, patience: { ...patience, commandMs: 60_000 } })
    const client = await rawClient(server)
    expect(await client.say('STARTTLS')).toMatch(/^220 /)
    await client.closed()
  })

  it('does not include one that is slow but makes progress', { timeout: 20_000 }, async () => {
    await using server = await testServer({ patience: { commandMs: 1500, dataMs: 1500, minDataBytes: 64 } })
    const client = await rawClient(server)
    for (const line of begin) {
      await sleep(800)
      expect(await client.say(line)).toMatch(/^[23]/)
    }
    trickle(client, `${message}${'slow '.repeat(40)}\r\n.\r\n`, 12)
    expect(await client.reply()).toMatch(/^250 /)
  })

  it('does not include one that waits for the server', async () => {
    await using server = await testServer({
      patience: { commandMs: 600, dataMs: 600, minDataBytes: 64 },
      faultAt: (stage) => (stage === 'end' || stage === 'rcpt' ? { stage, delay_ms: 2000 } : null),
    })
    const client = await rawClient(server)
    for (const line of begin) expect(await client.say(line)).toMatch(/^[23]/)
    expect(await client.say(`${message}.`)).toMatch(/^250 /)
  })
})

/** Rounds of commands that are all accepted and send no message. */
const rounds = [
  'NOOP',
  'RSET',
  'HELP',
  'VRFY ada',
  'EHLO x.test',
  'MAIL FROM:<a@acme.test>, RSET',
  'MAIL FROM:<a@acme.test>, RCPT TO:<b@example.com>, RSET',
  'MAIL FROM:<a@acme.test>, RCPT TO:<b@example.com>, NOOP, EHLO x.test',
]

describe.concurrent('a client that sends commands and no message', () => {
  it.each(rounds)('gets 421 where it sends no message in the allowed time: %s', async (round) => {
    await using server = await testServer({ patience: { ...patience, messageMs: 800 } })
    const client = await rawClient(server)
    const lines = round.split(', ')
    let last = ''
    for (let at = 0; !last.startsWith('421'); at++) {
      last = await client.say(lines[at % lines.length] ?? '')
      // Otherwise the number of commands would end it.
      await sleep(10)
    }
    expect(last).toBe('421 4.4.2 No message came within 0.8 seconds, closing the connection')
    await client.closed()
  })

  it('may stay connected as long as it sends messages', async () => {
    await using server = await testServer({ patience: { ...patience, messageMs: 1500 } })
    const client = await rawClient(server)
    const until = performance.now() + 4000
    while (performance.now() < until) {
      for (const line of begin) expect(await client.say(line)).toMatch(/^[23]/)
      expect(await client.say(`${message}.`)).toMatch(/^250 /)
      await sleep(200)
    }
    expect(await client.say('NOOP')).toMatch(/^250 /)
  })

  it.each([
    ['refused commands', ['MAIL FROM:broken'], 1],
    ['transactions that are given up', ['MAIL FROM:<a@acme.test>', 'RSET'], 101],
    ['greetings', ['EHLO again.test'], 101],
  ])(
    'is disconnected where another client needs its place: %s',
    { timeout: 20_000 },
    async (_, lines, atFirst) => {
      await using server = await testServer({ maxClients: { total: 1, perAddress: 1 } })
      const client = await rawClient(server)
      for (let i = 0; i < atFirst; i++) for (const line of lines) await client.say(line)
      let isOver = false
      const loop = (async (): Promise<void> => {
        while (!isOver && !client.isClosed) {
          for (const line of lines) if (!client.isClosed) client.socket.write(`${line}\r\n`)
          await sleep(100)
        }
      })()
      const greeting = async (): Promise<string> => {
        const other = new RawClient(server)
        const reply = await other.reply()
        other.socket.destroy()
        return reply.slice(0, 3)
      }
      await expect.poll(greeting, { timeout: idleMs * 3, interval: 250 }).toBe('220')
      isOver = true
      await loop
    },
  )
})

describe('a client that makes no progress', () => {
  it.each(rounds)('gets 421 after 10,000 commands without a message: %s', async (round) => {
    await using server = await testServer()
    const client = await rawClient(server)
    const lines = round.split(', ')
    client.socket.write(`${lines.join('\r\n')}\r\n`.repeat(Math.ceil(10_002 / lines.length)))
    let last = ''
    while (!last.startsWith('421')) last = await client.reply()
    expect(last).toBe('421 4.7.0 More than 10000 commands came without a message, closing the connection')
    await client.closed()
  })

  it.each([
    'MAIL FROM:<broken',
    'MAIL FROM:<a@acme.test> X=1',
    'RCPT TO:<b@example.com>',
    'DATA',
    'EXPN all',
  ])('gets 421 where more than 1000 commands in a row are refused: %s', async (line) => {
    await using server = await testServer()
    const client = await rawClient(server)
    client.socket.write(`${line}\r\n`.repeat(1002))
    for (let i = 0; i < 1001; i++) expect(await client.reply()).toMatch(/^5/)
    expect(await client.reply()).toBe(
      '421 4.7.0 More than 1000 commands in a row were refused, closing the connection',
    )
    await client.closed()
  })

  it('may have 1000 recipients refused, and 1000 more after an accepted one', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    for (let i = 0; i < 2; i++) {
      client.socket.write('RCPT TO:broken\r\n'.repeat(1000))
      for (let refused = 0; refused < 1000; refused++) expect(await client.reply()).toMatch(/^50/)
      expect(await client.say('EHLO again.test')).toMatch(/^250-/)
    }
  })

  it('is disconnected where it does not read its replies', { timeout: 30_000 }, async () => {
    await using server = await testServer({ patience })
    const client = await rawClient(server)
    client.socket.pause()
    const helps = 'HELP\r\n'.repeat(10_000)
    // Until the buffers on both ways are full, and then nothing can be written any more.
    const timer = setInterval(() => void (client.socket.writableNeedDrain || client.socket.write(helps)), 5)
    await client.closed()
    clearInterval(timer)
  })
})
