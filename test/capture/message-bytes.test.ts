import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { message, rawClient, testServer } from './_server.ts'

describe('the bytes of a message', () => {
  const bodies: Record<string, Buffer> = {
    'dots at the beginning of lines': Buffer.from('.\r\n..\r\n.a\r\n...\r\n'),
    'octets beyond ASCII': Buffer.from([0xff, 0xfe, 0x80, 0xe9, 0x0d, 0x0a]),
    'NUL octets': Buffer.from('a\0b\0\0\r\n'),
    'bare LF and bare CR': Buffer.from('a\nb\rc\n\rd\r\r\ne\n\r\n'),
    'a line of a megabyte': Buffer.from(`${'x'.repeat(1_000_000)}\r\n`),
    'an empty body': Buffer.from(''),
    'a dot between bare line feeds': Buffer.from('a\n.\nb\r\n'),
    'dots after bare line feeds': Buffer.from('\n..a\n.b\n...\n\r\n..\n..'),
    'a dot between other line ends': Buffer.from('a\n.\r\nb\r.\r\nc\r\n'),
    '300 KB of random octets in lines': Buffer.from(
      Array.from({ length: 300_000 }, (_, i) => (i % 70 === 69 ? 10 : (i * 7919 + (i >> 5)) & 0xff)),
    ).subarray(0, 299_999),
  }
  it.each(Object.entries(bodies))('are kept unchanged: %s', async (_, body) => {
    await using server = await testServer()
    const bytes = Buffer.concat([Buffer.from(message), body, Buffer.from('\r\n')])
    // A client stuffs the dot of every line that begins after CRLF.
    const stuffed = Buffer.from(bytes.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1')
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    for (let at = 0; at < stuffed.length; at += 10_007) {
      client.socket.write(stuffed.subarray(at, at + 10_007))
      if (stuffed.length < 1_000_000) await delay(1)
    }
    expect(await client.say('.')).toBe('250 2.6.0 OK: captured as em_1')
    expect(server.taken[0]?.bytes.equals(bytes)).toBe(true)
  })

  it('may arrive one at a time', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    client.socket.setNoDelay(true)
    for (const octet of `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}..\r\n.\r\n`) {
      client.socket.write(octet)
      await delay(0)
    }
    for (const code of ['250', '250', '354', '250']) expect((await client.reply()).slice(0, 3)).toBe(code)
    expect(server.taken[0]?.bytes.toString()).toBe(`${message}.\r\n`)
  })

  it('may hold pipelined transactions in one write', async () => {
    await using server = await testServer()
    const client = await rawClient(server)
    const transaction = `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}.\r\n`
    client.socket.write(`${transaction.repeat(20)}QUIT\r\n`)
    for (let i = 0; i < 20; i++) {
      for (const code of ['250 2.1.0', '250 2.1.5', '354 ', '250 2.6.0'])
        expect(await client.reply()).toContain(code)
    }
    expect(await client.reply()).toMatch(/^221 /)
    expect(server.taken.map(({ bytes }) => bytes.toString())).toEqual(
      Array.from({ length: 20 }, () => message),
    )
  })

  it('end at CRLF . CRLF only, so that no command can be smuggled', async () => {
    for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\r.\r\n']) {
      await using server = await testServer()
      const client = await rawClient(server)
      client.socket.write(
        `MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}${end}MAIL FROM:<eve@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nsmuggled\r\n.\r\nQUIT\r\n`,
      )
      await client.closed()
      expect(server.taken, JSON.stringify(end)).toHaveLength(1)
      expect(server.taken[0]?.bytes.toString()).toContain('eve@acme.com')
    }
  })
})
