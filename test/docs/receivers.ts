import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, vi } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { freePort } from '../cli/command.ts'
import { blocksFor } from './blocks.ts'
import { makeProject } from './run.ts'

/** The receivers of webhooks in the guide, and how they are run. */
export const receivers = {
  js: { file: 'receiver.mjs', prepare: null, command: [process.execPath, 'receiver.mjs'] },
  python: { file: 'receiver.py', prepare: null, command: ['python3', 'receiver.py'] },
  go: { file: 'main.go', prepare: ['go', 'build', '-o', 'receiver', 'main.go'], command: ['./receiver'] },
  java: { file: 'Receiver.java', prepare: ['javac', 'Receiver.java'], command: ['java', 'Receiver'] },
} as const

/** Runs a receiver of the guide: it prints a genuine event, and refuses a forged one and one without headers. */
export async function expectReceives(language: keyof typeof receivers): Promise<void> {
  const { file, prepare, command } = receivers[language]
  const block = blocksFor('receiver').find((one) => one.language === language)
  const port = await freePort()
  const { dir, remove } = makeProject({ [file]: (block?.code ?? '').replaceAll('3000', String(port)) })
  onTestFinished(remove)
  const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`
  const env = { ...process.env, WEBHOOK_SECRET: secret, GOFLAGS: '-mod=mod', GOPROXY: 'off' }
  if (prepare) execFileSync(prepare[0], prepare.slice(1), { cwd: dir, env, stdio: 'inherit' })
  const [program, ...args] = command
  const child = spawn(program, args, { cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const printed: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => printed.push(line))

  const url = `http://127.0.0.1:${port}/hooks`
  const post = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body: '{"type":"email.sent","data":{}}' })).status
  await vi.waitFor(async () => expect(await post({})).toBe(401), { timeout: 60_000, interval: 100 })
  const forged = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
  }
  expect(await post(forged)).toBe(401)
  expect(printed).toEqual([])

  const localpost = await createLocalpost({ webhooks: [{ url, secret, events: ['email.delivered'] }] })
  onTestFinished(() => localpost.close())
  await localpost.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hello', text: 'Hi' })
  await vi.waitFor(
    async () => {
      const { items } = await localpost.webhooks.deliveries()
      expect(items.map(({ state }) => state)).toEqual(['delivered'])
      expect(printed).toEqual([expect.stringMatching(/email\.delivered.*ada@example\.com/)])
    },
    { timeout: 30_000, interval: 50 },
  )
}
