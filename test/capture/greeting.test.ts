import { describe, expect, it } from 'vitest'
import { RawClient, testServer } from './_server.ts'

describe('the greeting and EHLO', () => {
  it('is sent within 20 ms, at the median of nine connections', async () => {
    await using server = await testServer()
    const waits = []
    for (let i = 0; i < 9; i++) {
      const client = new RawClient(server)
      const started = performance.now()
      expect(await client.reply()).toBe('220 localhost ESMTP Localpost')
      waits.push(performance.now() - started)
      client.socket.destroy()
    }
    expect(waits.sort((a, b) => a - b)[4]).toBeLessThan(20)
  })

  it('offer exactly the supported extensions', async () => {
    await using server = await testServer()
    const client = new RawClient(server)
    await client.reply()
    expect(await client.say('EHLO client.test')).toBe(
      [
        '250-localhost at your service',
        '250-PIPELINING',
        '250-8BITMIME',
        '250-SMTPUTF8',
        '250-ENHANCEDSTATUSCODES',
        '250-DSN',
        '250-AUTH PLAIN LOGIN',
        '250 SIZE 41943040',
      ].join('\r\n'),
    )
    for (const command of ['WIZ x', 'SHELL', 'KILL']) {
      expect(await client.say(command)).toMatch(/^500 5\.5\.2 /)
    }
  })

  it('accept a client that does not wait for the greeting', async () => {
    await using server = await testServer()
    const client = new RawClient(server)
    client.socket.write('EHLO early\r\n')
    expect(await client.reply()).toMatch(/^220 /)
    expect(await client.reply()).toMatch(/^250-/)
  })
})
