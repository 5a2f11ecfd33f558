import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { temporaryFolder } from '../support/folder.ts'
import { clientInData, residentMiB, watchMemory } from './_flood.ts'
import { startListening } from '../support/instance.ts'

async function send(post: Localpost, subject: string, text: string): Promise<Response> {
  return fetch(`${post.url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'hi@acme.test', to: 'ada@example.com', subject, text }),
  })
}

/** Begins a POST and sends a part of its body. */
function beginPost(post: Localpost, bytes: number, announced: number) {
  const { hostname, port, host } = new URL(post.url ?? '')
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.on('data', (piece: Buffer) => (heard += piece.toString()))
  socket.on('error', () => {})
  socket.write(
    `POST /v1/emails HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${post.apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n${' '.repeat(bytes)}`,
  )
  return { socket, heard: () => heard }
}

test(
  '1,000 POSTs at once are all answered, and every email answered with 200 is kept',
  { timeout: 60_000 },
  async () => {
    const dir = temporaryFolder()
    const post = await startListening({ dir })
    const before = residentMiB()
    const highest = watchMemory()
    const ids = await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const response = await send(post, `mail ${n}`, 'text '.repeat(1000))
        expect(response.status).toBe(200)
        return ((await response.json()) as { id: string }).id
      }),
    )
    expect(highest() - before).toBeLessThan(400)
    await post.close()
    const again = await startListening({ dir })
    for (const id of ids) expect((await again.emails.get(id)).id).toBe(id)
  },
)

test('short bodies above the memory limit are answered 503 with Retry-After, until others end', async () => {
  const post = await startListening({ limits: { requestBytes: 1_000_000 } })
  const slow = beginPost(post, 950_000, 1_040_000)
  // There is no sign that it has been read; a request before that would take its memory.
  await sleep(2000)
  expect(slow.heard()).toBe('')
  const refused = await send(post, 'refused', 'x'.repeat(100_000))
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ statusCode: 503, name: 'service_unavailable' })
  expect((await send(post, 'small', 'x')).status).toBe(200)
  // The slow one reaches the limit itself when it continues.
  slow.socket.write(' '.repeat(60_000))
  await expect.poll(slow.heard, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 503/)
  expect((await send(post, 'later', 'x'.repeat(100_000))).status).toBe(200)
  const gone = beginPost(post, 900_000, 1_040_000)
  await sleep(500)
  gone.socket.destroy()
  await expect
    .poll(async () => (await send(post, 'freed', 'x'.repeat(500_000))).status, { timeout: 10_000 })
    .toBe(200)
})

test('sends above the limit of the store are answered 503, and nothing of them is kept', async () => {
  const post = await startListening({ dir: temporaryFolder(), limits: { pendingBytes: 100_000 } })
  await send(post, 'first', 'x')
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => send(post, `mail ${n}`, 'x'.repeat(60_000))),
  )
  const taken = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ status }) => status === 503)
  expect(taken + refused.length).toBe(60)
  expect(taken).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
  expect((await post.emails.list()).count).toBe(1 + taken)
})

test.each([
  ['a folder', true],
  ['memory', false],
])(
  'a client that never reads a large message costs little (%s)',
  { timeout: 60_000 },
  async (_, inFolder) => {
    const post = await startListening(inFolder ? { dir: temporaryFolder() } : {})
    const smtp = await clientInData(post.smtp)
    const line = `${'y'.repeat(998)}\r\n`
    expect(await smtp.say(`Subject: large\r\n\r\n${line.repeat(20_000)}.`)).toMatch(/^250 /)
    const { id } = await post.inbox.waitFor('subject:large')
    const before = residentMiB()
    const { hostname, port, host } = new URL(post.url ?? '')
    const readers = Array.from({ length: 10 }, () => {
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {})
      socket.pause()
      socket.write(`GET /dev/inbox/${id}/raw HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      return socket
    })
    await sleep(1500)
    // 10 times 20 MB, of which none is read.
    expect(residentMiB() - before).toBeLessThan(100)
    expect((await send(post, 'meanwhile', 'x')).status).toBe(200)
    for (const socket of readers) socket.destroy()
    const whole = await fetch(`${post.url}/dev/inbox/${id}/raw`)
    expect((await whole.arrayBuffer()).byteLength).toBe(18 + 20_000 * 1000)
  },
)
