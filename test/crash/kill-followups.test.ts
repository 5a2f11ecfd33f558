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
