import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { relayOptions } from '../../src/outbox/relay-options.ts'
import { createTransport as openTransport } from '../../src/outbox/transport.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

/** A relay that records log-ins and received messages. */
async function openRelay(options: SMTPServerOptions = {}): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onConnect: (_, done) => (seen.push('connect'), done()),
    onAuth: ({ username, password }, { secure }, done) => {
      seen.push(`auth ${username}:${password}${secure ? ' over TLS' : ''}`)
      done(null, { user: username ?? '' })
    },
    onData: (stream, _, done) => void stream.resume().once('end', () => (seen.push('data'), done())),
    ...options,
  })
  // A client that leaves in the middle of a handshake.
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())))
  return { port: (server.server.address() as AddressInfo).port, seen }
}

async function release(options: LocalpostOptions): Promise<string> {
  const post = await start(options)
  const id = await submit(post, { subject: 'Hi', text: 'Hello' })
  return post.inbox.release(id, { to: 'grace@example.com' }).then(
    ({ smtp_response }) => smtp_response,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

describe('the relay', () => {
  it('gets user and password without TLS on loopback only', async () => {
    const { port, seen } = await openRelay({ disabledCommands: ['STARTTLS'] })
    expect(await release({ relay: `smtp://ada:secret@127.0.0.1:${port}` })).toMatch(/^250|OK/)
    expect(seen).toContain('auth ada:secret')
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      expect(relayOptions(`smtp://a:b@${host}`, { hostname: 'x' }).requireTls).toBe(false)
    for (const host of ['mail.example.com', '10.0.0.5', '[fd00::1]'])
      expect(relayOptions(`smtp://a:b@${host}`, { hostname: 'x' }).requireTls).toBe(true)
    expect(relayOptions('smtps://a:b@x.test', { hostname: 'x' }).requireTls).toBe(false)
    expect(relayOptions('smtp://x.test', { hostname: 'x' }).requireTls).toBe(false)
    expect(relayOptions('smtp://a:b@x.test', { hostname: 'x', insecureAuth: true }).requireTls).toBe(false)
  })

  it('that offers no TLS receives neither user nor password, and the error says what to do', async () => {
    // A server that answers 502 to STARTTLS, and one between that took STARTTLS out of the greeting.
    const { port, seen } = await openRelay({ disabledCommands: ['STARTTLS'] })
    const given = relayOptions(`smtp://ada:secret@mail.example.com:${port}`, { hostname: 'mx.test' })
    const transport = openTransport({ ...given, host: '127.0.0.1' })
    onTestFinished(() => transport.close())
    const { Readable } = await import('node:stream')
    const message = Readable.from([Buffer.from('Subject: x\r\n\r\nx\r\n')])
    const replies = await transport.deliver({ id: 'em_1', mail_from: '', rcpt_to: ['a@x.test'], message })
    expect(replies.get('a@x.test')).toEqual({
      reply_code: 0,
      enhanced_code: null,
      text: expect.stringMatching(/offers no TLS.*smtps:\/\/.*`relayInsecureAuth` \(--relay-insecure-auth\)/),
    })
    expect(seen).toEqual(['connect'])
  })

  it('is refused where it is in a private network and other machines reach the instance', async () => {
    const { port, seen } = await openRelay({ disabledCommands: ['STARTTLS'] })
    // An address is refused when the instance starts, a name when it is connected to.
    expect(await release({ host: '0.0.0.0', relay: `smtp://localhost:${port}` })).toMatch(
      /localhost.*is this machine, and other machines reach this Localpost; allow it with `allowOutgoing`/,
    )
    expect(seen).toEqual([])
    const allowOutgoing = [`127.0.0.1:${port}`]
    expect(await release({ host: '0.0.0.0', relay: `smtp://127.0.0.1:${port}`, allowOutgoing })).toMatch(
      /^250|OK/,
    )
    expect(seen).toContain('data')
  })
})
