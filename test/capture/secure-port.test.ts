import { connect as connectPlain, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { testServer, type TestServer } from './_server.ts'

const to = (server: TestServer): { host: string; port: number } => ({
  host: server.host,
  port: server.securePort ?? 0,
})
const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))

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
      patience: { dataMs: 300 },
    })
    const held = [0, 1].map(() => connectPlain(to(server)))
    const ends = held.map(gone)
    const further = connectPlain(to(server))
    await gone(further)
    await Promise.all(ends)
    expect(server.errors).toEqual([])
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
