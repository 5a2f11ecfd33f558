import { describe, expect, it } from 'vitest'
import { RawClient, rawClient, testServer } from './_server.ts'

describe('rude clients', () => {
  it('are answered or disconnected, and do not disturb others', async () => {
    await using server = await testServer()
    const rude = [
      Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
      Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) & 0xff)),
      Buffer.alloc(100_000, 'x'),
      Buffer.from('\r\n'.repeat(100)),
      Buffer.from('EHLO\0\r\nMAIL FROM:<\0@\0>\r\n'),
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
    ]
    for (const bytes of rude) {
      const client = new RawClient(server)
      client.socket.write(bytes)
      expect(await client.reply()).toMatch(/^220 /)
      // A TLS hello has no line end to answer to.
      if (bytes[0] !== 0x16) expect(await client.reply()).toMatch(/^[45]\d\d /)
      client.socket.destroy()
    }
    const client = await rawClient(server)
    expect(await client.say('DATA')).toMatch(/^503 /)
    expect(await client.say('RCPT TO:<a@b>')).toMatch(/^503 /)
    expect(await client.say('AUTH PLAIN !!!')).toMatch(/^501 /)
    expect(await client.say('MAIL FROM:<a@b> SIZE=x')).toMatch(/^501 /)
    expect(await client.say('MAIL FROM:<a@b> REQUIRETLS')).toMatch(/^555 /)
    expect(server.taken).toEqual([])
  })
})
