import { createServer, request, type ClientRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createClock } from '../../src/core/manual-clock.ts'
import { readNode } from '../../src/server/body-bytes.ts'
import { createBodyRoom } from '../../src/server/body-room.ts'

const megabyte = Buffer.alloc(1_000_000, 'x')
const tooSlow: unknown = expect.objectContaining({
  code: 'invalid_json',
  message: 'The body is incomplete: nothing came for 10 seconds. Send it again.',
})

/** A server that reads bodies with a clock of its own, and what it has read of all of them. */
async function openReader(roomBytes = 100_000_000) {
  const clock = createClock()
  const room = createBodyRoom(roomBytes, clock)
  const bodies: Promise<number>[] = []
  let received = 0
  const server = createServer((incoming, response) => {
    const share = room.enter()
    const announced = Number(incoming.headers['content-length'] ?? 0)
    const body = readNode(incoming, 50_000_000, share, announced, undefined, clock)
    incoming.on('data', (piece: Buffer) => (received += piece.length))
    bodies.push(
      body
        .then(({ length }) => length)
        .finally(() => {
          share.leave()
          response.end()
        }),
    )
    body.catch(() => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const begin = (headers: Record<string, string | number>): ClientRequest => {
    const client = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false })
    client.on('error', () => undefined)
    client.flushHeaders()
    return client
  }
  return { clock, bodies, begin, received: () => received }
}

it.each([
  ['with its length', { 'content-length': 4_000_000 }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a long body may come slowly, but not pause for 10 seconds: %s', async (_, headers) => {
  const { clock, bodies, begin, received } = await openReader()
  const client = begin(headers)
  for (let sent = 2; sent <= 4; sent++) {
    client.write(sent === 2 ? Buffer.concat([megabyte, megabyte]) : megabyte.subarray(0, 500_000))
    await expect.poll(received).toBe(sent === 2 ? 2_000_000 : 2_000_000 + (sent - 2) * 500_000)
    await clock.advance(9_900)
  }
  const [body] = bodies
  const refused = expect(body).rejects.toEqual(tooSlow)
  await clock.advance(200)
  await refused
})

it('a long body that ends within the time is read, and nothing is watched after it', async () => {
  const { clock, bodies, begin, received } = await openReader()
  const client = begin({ 'content-length': 2_000_000 })
  client.write(megabyte)
  await expect.poll(received).toBe(1_000_000)
  await clock.advance(9_900)
  client.end(megabyte)
  await expect.poll(() => bodies.length).toBe(1)
  expect(await bodies[0]).toBe(2_000_000)
  await clock.advance(60_000)
})

it('the time in which a body waits for others is no pause of its client', async () => {
  const { clock, bodies, begin, received } = await openReader(3_000_000)
  const first = begin({ 'content-length': 2_000_000 })
  first.write(megabyte)
  await expect.poll(received).toBe(1_000_000)
  const second = begin({ 'content-length': 2_000_000 })
  second.end(Buffer.concat([megabyte, megabyte]))
  await expect.poll(() => bodies.length).toBe(2)
  await clock.advance(9_000)
  first.write(megabyte.subarray(0, 500_000))
  await expect.poll(received).toBeGreaterThanOrEqual(1_500_000)
  await clock.advance(9_000)
  first.end(megabyte.subarray(0, 500_000))
  expect(await bodies[0]).toBe(2_000_000)
  expect(await bodies[1]).toBe(2_000_000)
})
