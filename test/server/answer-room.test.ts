import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { createAnswerRoom, type AnswerRoom } from '../../src/server/answer-room.ts'
import { bytesAnswer, jsonAnswer, type Answer } from '../../src/server/answer.ts'
import { streamBody } from '../../src/server/body-streams.ts'

async function serve(handle: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => handle(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function answered(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  onTestFinished(() => void response.destroy())
  return response
}

const refusal = (room: AnswerRoom, answer: Answer, response: ServerResponse): unknown => {
  try {
    room.admit(answer, response)
    return null
  } catch (error) {
    return error
  }
}

const large = bytesAnswer('x'.repeat(20_000_000), {})

it('counts large answers until they are read, and refuses those above the limit', async () => {
  const room = createAnswerRoom(30_000_000)
  const refusals: unknown[] = []
  const url = await serve((response) => {
    const refused = refusal(room, large, response)
    refusals.push(refused)
    response.end(refused === null ? large.body : '')
  })
  const first = await answered(url)
  await answered(url)
  expect(refusals[0]).toBeNull()
  expect(refusals[1]).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '1' } })
  const small = await serve((response) => {
    refusals.push(refusal(room, jsonAnswer('small'), response))
    response.end()
  })
  await answered(small)
  expect(refusals[2]).toBeNull()
  await once(first.resume(), 'close')
  await expect.poll(() => answered(url).then(() => refusals.at(-1))).toBeNull()
})

it('disconnects a client that does not read, and frees its memory', async () => {
  const room = createAnswerRoom(30_000_000, 100)
  let held: ServerResponse | undefined
  const url = await serve((response) => {
    held = response
    room.admit(large, response)
    response.end(large.body)
  })
  const stalled = await answered(url)
  stalled.on('error', () => undefined)
  if (held && !held.destroyed) await once(held, 'close')
  const refused = await new Promise((resolve) => {
    void serve((response) => {
      resolve(refusal(room, large, response))
      response.end()
    }).then(answered)
  })
  expect(refused).toBeNull()
})

it('does not limit a live stream', async () => {
  const room = createAnswerRoom(1000, 20)
  let isClosed = false
  const url = await serve((response) => {
    response.once('close', () => (isClosed = true))
    room.admit(
      bytesAnswer(streamBody(new Readable({ read() {} })), { 'content-type': 'text/event-stream' }),
      response,
    )
    response.write(':\n')
  })
  await answered(url)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isClosed).toBe(false)
})

it('reads a stream no further than its client does', async () => {
  let pieces = 0
  const source = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      pieces++
      this.push(Buffer.alloc(64 * 1024))
    },
  })
  const reader = streamBody(source).getReader()
  await reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  expect(pieces).toBeLessThan(5)
  await reader.cancel()
  expect(source.destroyed).toBe(true)
})
