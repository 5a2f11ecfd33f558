import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { startCommand, type Started } from '../cli/command.ts'

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'Kept', text: 'x' }

async function send(command: Started, key: string): Promise<{ status: number; id: string }> {
  const response = await fetch(`${command.url}/v1/emails`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${command.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(mail),
  })
  const { id } = (await response.json()) as { id: string }
  return { status: response.status, id }
}

/** Sends several whole requests in one call. */
async function sendAll(
  command: Started,
  requests: readonly object[],
  key?: string,
): Promise<{ status: number; ids: string[] }> {
  const response = await fetch(`${command.url}/dev/emails`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${command.apiKey}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(requests),
  })
  const { emails } = (await response.json()) as { emails: { id: string }[] }
  return { status: response.status, ids: emails.map(({ id }) => id) }
}

/** A receiver of webhooks that refuses until it is told to take them. */
async function receiver(): Promise<{ url: string; taken: Map<string, string>; accept: () => void }> {
  const taken = new Map<string, string>()
  let accepts = false
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      const id = request.headers['webhook-id']
      if (accepts && typeof id === 'string') taken.set(id, body)
      response.writeHead(accepts ? 200 : 503).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken,
    accept: () => (accepts = true),
  }
}

it(
  'after a kill, keys answer the same email, mail is delivered once, and each event is announced',
  { timeout: 120_000 },
  async () => {
    const cwd = temporaryFolder()
    const hooks = await receiver()
    const ids = new Map<string, string>()
    let command = await startCommand([], { cwd })
    const made = await fetch(`${command.url}/dev/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${command.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: hooks.url, events: ['*'] }),
    })
    expect(made.status).toBe(201)
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 4; n++) {
        const { status, id } = await send(command, `key ${round} ${n}`)
        expect(status).toBe(200)
        ids.set(`key ${round} ${n}`, id)
      }
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      command = await startCommand([], { cwd })
      for (const [key, id] of ids) expect(await send(command, key)).toEqual({ status: 200, id })
    }
    hooks.accept()
    const inbox = async (): Promise<{ count: number }> =>
      (await (await fetch(`${command.url}/dev/inbox`)).json()) as { count: number }
    await expect.poll(async () => (await inbox()).count, { timeout: 30_000 }).toBe(ids.size)
    const announced = (): string[] =>
      [...ids.values()].filter((id) => ![...hooks.taken.values()].join().includes(id))
    await expect.poll(announced, { timeout: 60_000 }).toEqual([])
    expect((await inbox()).count).toBe(ids.size)
    command.signal('SIGTERM')
    await command.ended
    console.log(`5 kills: ${ids.size} keys and emails, ${hooks.taken.size} announcements, 0 lost, 0 twice`)
  },
)

it(
  'after kills, a batch is there as a whole, and a scheduled email is sent once',
  { timeout: 120_000 },
  async () => {
    const cwd = temporaryFolder()
    let command = await startCommand([], { cwd })
    const subjects: string[] = []
    const batches = new Map<string, { requests: object[]; ids: string[] }>()
    const sizes = new Set<number>()
    for (let round = 0; round < 4; round++) {
      const requests = [1, 2, 3].map((n) => ({ ...mail, subject: `batch ${round} ${n}` }))
      const { status, ids } = await sendAll(command, requests, `batch ${round}`)
      expect(status).toBe(200)
      batches.set(`batch ${round}`, { requests, ids })
      const later = [0, 150, 300, 3000].map((delay) => ({
        ...mail,
        subject: `later ${round} ${delay}`,
        send_at: Date.now() + 50 + delay,
        attachments: [
          { name: 'a.bin', content: Buffer.alloc(round % 2 === 0 ? 10 : 300_000).toString('base64') },
        ],
      }))
      expect((await sendAll(command, later)).status).toBe(200)
      for (const { subject } of [...requests, ...later] as { subject: string }[]) subjects.push(subject)
      // A batch that the kill interrupts: all of it or nothing.
      const cut = Array.from({ length: 50 }, () => ({ ...mail, subject: `cut ${round}` }))
      void sendAll(command, cut).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 60 * (round + 1)))
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      command = await startCommand([], { cwd })
      for (const [key, { requests: given, ids: wanted }] of batches)
        expect(await sendAll(command, given, key)).toEqual({ status: 200, ids: wanted })
    }
    const inbox = async (): Promise<string[]> => {
      const response = await fetch(`${command.url}/dev/inbox?limit=500`)
      return ((await response.json()) as { emails: { subject: string }[] }).emails.map(
        ({ subject }) => subject,
      )
    }
    const whole = async (): Promise<string[]> =>
      (await inbox()).filter((subject) => !subject.startsWith('cut')).sort()
    await expect.poll(whole, { timeout: 30_000 }).toEqual(subjects.sort())
    for (let round = 0; round < 4; round++)
      sizes.add((await inbox()).filter((subject) => subject === `cut ${round}`).length)
    expect([0, 50]).toEqual(expect.arrayContaining([...sizes]))
    command.signal('SIGTERM')
    await command.ended
  },
)
