import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import { rawClient, testServer } from './_server.ts'

describe('STARTTLS', () => {
  it('works with a certificate created at the start', async () => {
    await using server = await testServer({ tls: true })
    expect(await (await rawClient(server)).say('EHLO again')).toContain('250-STARTTLS')
    const transport = createTransport({
      host: server.host,
      port: server.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    })
    await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    expect(server.begun.at(-1)?.state().secure).toBe(true)
  })

  it('works with a given certificate, which a client can verify by name and by address', async () => {
    const { makeCertificate } = await import('../../src/capture/certificate.ts')
    const own = await makeCertificate('post.test')
    await using server = await testServer({ tls: own })
    for (const servername of ['localhost', 'post.test', undefined]) {
      const transport = createTransport({
        host: '127.0.0.1',
        port: server.port,
        requireTLS: true,
        tls: { ca: own.ca, servername },
      })
      await transport.sendMail({ from: 'a@acme.com', to: 'b@example.com', subject: 'Hi', text: 'x' })
    }
    expect(server.taken).toHaveLength(3)
  })

  it('has a certificate of a CA that can sign nothing else, because its key is dropped', async () => {
    const { makeCertificate } = await import('../../src/capture/certificate.ts')
    const [own, other] = await Promise.all([makeCertificate('post.test'), makeCertificate('post.test')])
    const [ca, cert] = [new X509Certificate(own.ca), new X509Certificate(own.cert)]
    expect([ca.ca, cert.ca]).toEqual([true, false])
    expect(cert.verify(ca.publicKey)).toBe(true)
    expect(cert.verify(new X509Certificate(other.ca).publicKey)).toBe(false)
    expect(ca.checkPrivateKey(createPrivateKey(own.key))).toBe(false)
  })
})
