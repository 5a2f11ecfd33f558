import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { CaptureServer } from '../../src/capture/server.ts'
import { message, outboxClient, RawClient, rawClient, testServer } from './_server.ts'

describe('listening and closing', () => {
  it('ignores a client that resets its connection', async () => {
    const real = CaptureServer.prototype.connect
    const broken = new Error('The listener met a fault')
    CaptureServer.prototype.connect = function (...given) {
      // As smtp-server reports it.
      this.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      this.emit('error', broken)
      real.apply(this, given)
    }
    const errors: unknown[] = []
    try {
      await using server = await testServer({ onError: (error) => errors.push(error) })
      await rawClient(server)
      expect(server.accepting()).toBe(true)
    } finally {
      CaptureServer.prototype.connect = real
    }
    expect(errors).toEqual([broken])
  })

  it('ends while a client connects that never leaves', async () => {
    const server = await testServer()
    const client = connect(server.port, '127.0.0.1').on('error', () => {})
    await once(client, 'connect')
    await server.close()
    client.destroy()
  })

  it('names the port that is in use', async () => {
    await using server = await testServer()
    await expect(testServer({ port: server.port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(String(server.port)),
    })
  })

  it('says why an address cannot be listened on', async () => {
    await expect(testServer({ host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'listen_failed',
      message: expect.stringContaining('203.0.113.1'),
    })
    await expect(testServer({ host: 'no-such-host.invalid' })).rejects.toMatchObject({
      code: 'listen_failed',
    })
  })

  it('frees the port and accepts no more clients', async () => {
    const server = await testServer()
    expect(server.accepting()).toBe(true)
    await Promise.all([server.close(), server.close()])
    expect(server.accepting()).toBe(false)
    const other = createServer()
    await new Promise<void>((resolve) => {
      other.listen(server.port, server.host, resolve)
    })
    await new Promise((resolve) => {
      other.close(resolve)
    })
  })

  it('answers idle clients with 421 before it closes their connections', async () => {
    const server = await testServer()
    const clients = [new RawClient(server), await rawClient(server), await outboxClient(server)]
    await clients[0]?.reply()
    await server.close()
    for (const client of clients) {
      expect(await client.reply()).toBe('421 4.3.2 Localpost is closing')
      await client.closed()
    }
  })

  it('lets a message in progress finish, then closes the connection', async () => {
    const server = await testServer()
    const client = await rawClient(server)
    await client.say('MAIL FROM:<a@acme.com>')
    await client.say('RCPT TO:<b@example.com>')
    await client.say('DATA')
    const closing = server.close()
    client.socket.write(message)
    await delay(50)
    expect(await client.say('.')).toMatch(/^250 2\.6\.0 /)
    expect(await client.reply()).toMatch(/^421 /)
    await closing
    expect(server.taken[0]?.outcome).toBe('finished')
  })

  it('closes connections under TLS, and in the middle of a handshake', async () => {
    const server = await testServer({ tls: true })
    const stuck = await rawClient(server)
    await stuck.say('STARTTLS')
    stuck.socket.write(Buffer.from([0x16, 0x03, 0x01]))
    const pool = createTransport({
      host: server.host,
      port: server.port,
      pool: true,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await pool.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    const gone = createTransport({
      host: server.host,
      port: server.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await gone.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    await server.close()
    await stuck.closed()
    pool.close()
    expect(server.errors).toEqual([])
  })

  it('disconnects a client that does not finish in time, and discards its message', async () => {
    const server = await testServer()
    const client = await rawClient(server)
    client.socket.write(`MAIL FROM:<a@acme.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n${message}`)
    await delay(20)
    await server.close()
    await client.closed()
    await expect.poll(() => server.taken[0]?.outcome).toBe('discarded')
  })
})
