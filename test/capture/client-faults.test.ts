import { connect as connectTls } from 'node:tls'
import { once } from 'node:events'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { makeCertificate } from '../../src/capture/certificate.ts'
import { createOncePerMinute } from '../../src/net/once-per-minute.ts'
import { RawClient, rawClient, testServer } from './_server.ts'

async function reporting(tls: boolean) {
  const reports: string[] = []
  const server = await testServer({ tls, onClientFault: (message) => reports.push(message) })
  return Object.assign(server, { reports })
}

describe('a client that fails the TLS handshake', () => {
  it('is reported as one that rejects the certificate, not as a fault of the listener', async () => {
    await using server = await reporting(true)
    for (let i = 0; i < 3; i++) {
      const transport = createTransport({ host: server.host, port: server.port, requireTLS: true })
      await expect(
        transport.sendMail({ from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'x' }),
      ).rejects.toThrow(/self-signed/)
    }
    await expect.poll(() => server.reports.length).toBeGreaterThan(0)
    // Once a minute per address.
    expect(server.reports).toHaveLength(1)
    expect(server.reports[0]).toMatch(
      /^An SMTP client at 127\.0\.0\.1 left at the TLS handshake: most likely it does not accept the certificate.*smtpTls/,
    )
    expect(server.errors).toEqual([])
  })

  it('is reported as a failed handshake where it sends garbage after STARTTLS', async () => {
    await using server = await reporting(true)
    const client = await rawClient(server)
    expect(await client.say('STARTTLS')).toMatch(/^220 /)
    client.socket.write('EHLO again\r\nthis is no TLS\r\n')
    await client.closed()
    await expect.poll(() => server.reports).toHaveLength(1)
    expect(server.reports[0]).toMatch(
      /127\.0\.0\.1 failed its TLS handshake \(what came is not TLS\)\. Check/,
    )
    expect(server.reports[0]).not.toMatch(/SSL routines|error:0|\.c:\d/)
    expect(server.errors).toEqual([])
  })

  it('is reported as one that began no TLS where it ends the connection right after STARTTLS', async () => {
    await using server = await reporting(true)
    const client = await rawClient(server)
    expect(await client.say('STARTTLS')).toMatch(/^220 /)
    client.socket.end()
    await client.closed()
    await expect.poll(() => server.reports).toHaveLength(1)
    expect(server.reports[0]).toMatch(
      /^An SMTP client at 127\.0\.0\.1 was about to use TLS, and then ended the connection before its TLS handshake\./,
    )
    expect(server.errors).toEqual([])
  })

  it.each([true, false])('is reported where it begins with TLS, with STARTTLS offered: %s', async (tls) => {
    await using server = await reporting(tls)
    const socket = connectTls({ host: server.host, port: server.port, rejectUnauthorized: false })
    await once(socket, 'error')
    await expect.poll(() => server.reports).toHaveLength(1)
    expect(server.reports[0]).toMatch(/began with TLS, but the SMTP port expects plain text first/)
    expect(server.reports[0]).toMatch(tls ? /for TLS use STARTTLS\.$/ : /for TLS turn `smtpTls` on/)
    expect(server.errors).toEqual([])
  })

  it('is not reported where it completes the handshake and disconnects', async () => {
    await using server = await reporting(true)
    const transport = createTransport({
      host: server.host,
      port: server.port,
      requireTLS: true,
      tls: { ca: (await makeCertificate('x.test')).cert, rejectUnauthorized: false },
    })
    await transport.sendMail({ from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', text: 'x' })
    const client = await rawClient(server)
    client.socket.destroy()
    await client.closed()
    await server.close()
    expect(server.reports).toEqual([])
  })
})

describe('an HTTP request at the SMTP port', () => {
  it('is refused and reported', async () => {
    await using server = await reporting(false)
    for (const line of ['GET / HTTP/1.1', 'POST /v1/emails HTTP/1.1', 'PATCH http://localhost/ HTTP/1.1']) {
      const client = new RawClient(server)
      await client.reply()
      expect(await client.say(line)).toMatch(/^421 4\.7\.0 This is the SMTP port/)
    }
    expect(server.reports).toEqual([
      expect.stringMatching(/^An HTTP request came from 127\.0\.0\.1 to the SMTP port/),
    ])
  })
})

describe('a notice once a minute', () => {
  it('is given again for each minute in which clients fail the TLS handshake', async () => {
    let now = 0
    const reports: string[] = []
    const onClientFault = (message: string): void => void reports.push(message)
    await using server = await testServer({ tls: true, onClientFault, now: () => now })
    const failed = async (): Promise<void> => {
      const client = await rawClient(server)
      expect(await client.say('STARTTLS')).toMatch(/^220 /)
      client.socket.write('this is no TLS\r\n')
      await client.closed()
    }
    const counts: number[] = []
    for (now of [0, 30_000, 59_999, 60_000, 90_000, 119_999, 120_000, 3_600_000, 3_600_001]) {
      await failed()
      // The HTTP request is reported when it comes, and after the handshake that failed before it.
      const client = new RawClient(server)
      await client.reply()
      await client.say('GET / HTTP/1.1')
      counts.push(reports.filter((report) => report.includes('TLS handshake')).length)
    }
    expect(counts).toEqual([1, 1, 1, 2, 2, 2, 3, 4, 4])
    expect(reports.filter((report) => report.includes('HTTP request'))).toHaveLength(4)
  })

  it('is repeated after a minute, once per key, for a limited number of keys', () => {
    let now = 0
    const isNews = createOncePerMinute(() => now)
    expect([isNews('a'), isNews('a'), isNews('b')]).toEqual([true, false, true])
    now = 59_999
    expect(isNews('a')).toBe(false)
    now = 60_000
    expect(isNews('a')).toBe(true)
    for (let i = 0; i < 1000; i++) isNews(`key ${i}`)
    expect(isNews('a')).toBe(true)
  })
})
