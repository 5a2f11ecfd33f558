import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { connect, createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../../src/capture/certificate.ts'
import { guardedRequest, reasonOf } from '../../src/net/guarded-request.ts'
import { tlsReason } from '../../src/net/tls-words.ts'
import { start } from '../support/instance.ts'

/** The messages of OpenSSL on both sides of a handshake. */
async function messagesOf(server: object, client: object): Promise<string[]> {
  const said: string[] = []
  const listener = createTlsServer({ ...(await makeCertificate('x.test')), ...server })
  listener.on('tlsClientError', (error) => said.push(error.message))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port } = listener.address() as { port: number }
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...client })
  const [error] = (await once(socket, 'error')) as [Error]
  said.push(error.message)
  await new Promise((done) => listener.close(done))
  return said
}

it.each([
  [
    'no version in common',
    { minVersion: 'TLSv1.3' },
    { maxVersion: 'TLSv1.2' },
    /no version of TLS in common/,
  ],
  [
    'no cipher in common',
    { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' },
    { ciphers: 'ECDHE-RSA-AES256-GCM-SHA384', maxVersion: 'TLSv1.2' },
    /no cipher in common/,
  ],
])('a failed handshake is put in words: %s', async (_, server, client, words) => {
  const said = await messagesOf(server, client)
  expect(said.length).toBeGreaterThan(0)
  for (const message of said) expect(tlsReason(message), message).toMatch(words)
})

it.each([
  [
    'C0:error:0A000418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca:../s3.c:1:SSL alert number 48',
    /authority/,
  ],
  [
    'C0:error:0A000412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate:../s3.c:1:',
    /does not accept/,
  ],
  ['C0:error:0A000999:SSL routines:f:some new reason:../s3.c:1:', /^the TLS library says: some new reason$/],
])('its words have neither numbers nor places of the library: %s', (message, words) => {
  expect(tlsReason(message)).toMatch(words)
  expect(tlsReason(message)).not.toMatch(/error:|\.c\b|SSL routines/)
})

it('messages of others stay as they are', () => {
  expect(tlsReason('connect ECONNREFUSED 127.0.0.1:1')).toBeNull()
  expect(tlsReason('self-signed certificate')).toBeNull()
})

it('a server without TLS is named as that in requests and by the relay', async () => {
  const sockets = new Set<Socket>()
  const plain = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    plain.close()
  })
  await once(plain.listen(0, '127.0.0.1'), 'listening')
  const { port } = plain.address() as { port: number }
  const given = {
    method: 'GET',
    headers: {},
    signal: AbortSignal.timeout(5000),
    problemOf: () => null,
  } as const
  const failed = guardedRequest(new URL(`https://127.0.0.1:${port}/`), given)
  expect(await failed.then(() => '', reasonOf)).toMatch(/^what came is not TLS; .* http:\/\//)

  const post = await start({ relay: `smtps://127.0.0.1:${port}` })
  await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 's', text: 't' })
  const { id } = await post.inbox.waitFor()
  const refused = await post.inbox
    .release(id, { to: 'ada@example.com' })
    .catch((error: Error) => error.message)
  expect(refused).toMatch(/No TLS with the relay: what came is not TLS\. smtps:\/\/ is for/)
  expect(refused).not.toContain('SSL routines')
})
