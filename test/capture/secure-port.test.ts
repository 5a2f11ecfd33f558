import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { RawClient, testServer, type TestServer } from './_server.ts'

const to = (server: TestServer): { host: string; port: number } => ({
  host: server.host,
  port: server.securePort ?? 0,
})
const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) =>
    socket
      .on('error', () => undefined)
      .resume()
      .once('close', () => resolve()),
  )

describe('the port that begins with TLS', () => {
  it('takes mail, with a certificate of its own where none is given', async () => {
    await using server = await testServer({ securePort: 0 })
    const transport = createTransport({ ...to(server), secure: true, tls: { rejectUnauthorized: false } })
    await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    expect(server.begun[0]?.state().secure).toBe(true)
    expect(server.taken[0]?.outcome).toBe('finished')
  })

  it('offers no STARTTLS within TLS, and checks credentials as the other port does', async () => {
    await using server = await testServer({ securePort: 0, tls: true, auth: 'required' })
    const options = { ...to(server), secure: true, tls: { rejectUnauthorized: false } }
    const socket = connect({ ...to(server), rejectUnauthorized: false })
    let text = ''
    socket.on('data', (piece) => (text += String(piece)))
    await expect.poll(() => text).toMatch(/^220 /)
    socket.write('EHLO x\r\n')
    await expect.poll(() => text).toMatch(/\r\n250 /)
    expect(text).not.toContain('STARTTLS')
    socket.destroy()
    const verify = (pass: string): Promise<unknown> =>
      createTransport({ ...options, auth: { user: 'ada', pass } }).verify()
    await expect(verify('wrong')).rejects.toThrow(/535/)
    expect(await verify('lp_send')).toBe(true)
  })

  it('counts connections before their handshake, and ends those that never finish it', async () => {
    await using server = await testServer({
      securePort: 0,
      maxClients: { total: 2 },
      patience: { dataMs: 300, helloMs: 300 },
    })
    const held = [0, 1].map(() => connectPlain(to(server)))
    const ends = held.map(gone)
    // One that waits for a greeting, and one that begins TLS.
    held[1]?.write('\x16\x03\x01')
    const further = connectPlain(to(server))
    await gone(further)
    await Promise.all(ends)
    expect(server.errors).toEqual([])
  })

  it('tells a client that waits for a greeting in plain text where to go', async () => {
    const reports: string[] = []
    await using server = await testServer({
      securePort: 0,
      patience: { helloMs: 300 },
      onClientFault: (message) => reports.push(message),
    })
    const client = new RawClient(to(server))
    expect(await client.reply()).toBe(
      `554 5.7.1 TLS begins at once on this port; plain SMTP is at 127.0.0.1:${server.port}`,
    )
    await client.closed()
    expect(reports).toEqual([expect.stringMatching(/sent or awaited plain text at the SMTPS port/)])
  })

  it.each([1, 2, 5, 100])('takes a hello whose first piece has %i bytes', async (size) => {
    await using server = await testServer({ securePort: 0 })
    // In front of the server, so that a real client's hello comes in pieces.
    const front = createServer((given) => {
      const on = connectPlain({ ...to(server), noDelay: true })
      given.once('data', (hello: Buffer) => {
        on.write(hello.subarray(0, size))
        setTimeout(() => on.write(hello.subarray(size)), 20)
        given.pipe(on)
      })
      on.pipe(given)
    })
    await once(front.listen(0, '127.0.0.1'), 'listening')
    const { port } = front.address() as AddressInfo
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      secure: true,
      tls: { rejectUnauthorized: false },
    })
    await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    expect(server.taken[0]?.outcome).toBe('finished')
    front.close()
  })

  it('is closed with the server', async () => {
    const server = await testServer({ securePort: 0 })
    const socket = connectPlain(to(server))
    const end = gone(socket)
    await new Promise((resolve) => socket.once('connect', resolve))
    await server.close()
    await end
  })

  it('refuses a port that is taken', async () => {
    await using server = await testServer()
    await expect(testServer({ securePort: server.port })).rejects.toMatchObject({ code: 'port_in_use' })
  })
})
