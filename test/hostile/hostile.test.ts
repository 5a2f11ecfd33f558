import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startCommand, type Started } from '../cli/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { hostileMessages } from './messages.ts'

/** `LOCALPOST_HOSTILE=1 npm test -- test/hostile` runs it: it takes minutes. */
const isAsked = process.env['LOCALPOST_HOSTILE'] !== undefined

const maxPeakMib = 400
const maxStallMs = 50
const readers = 60

interface Seen {
  p99: number
  max: number
  count: number
  peak_mib: number
  rss_mib: number
}

describe.runIf(isAsked)('hostile input', () => {
  it('costs little memory, holds nothing up for long, and loses nothing that was acknowledged', async () => {
    const cwd = temporaryFolder()
    const file = join(cwd, 'seen.json')
    const monitor = pathToFileURL(fileURLToPath(new URL('monitor.mjs', import.meta.url))).href
    const env = { NODE_OPTIONS: `--import ${monitor}`, LOCALPOST_MONITOR: file }
    const command = await startCommand([], { cwd, env })
    const seen = async (): Promise<Seen> => {
      await pause(600)
      return JSON.parse(readFileSync(file, 'utf8')) as Seen
    }
    const rows: string[] = []
    const stored = new Map<string, string>()
    for (const [name, make] of Object.entries(hostileMessages)) {
      const id = await imported(command, make())
      stored.set(id, name)
      await seen()
      process.kill(command.pid, 'SIGUSR2')
      // A second of requests at least, as the page would make them.
      const until = performance.now() + 1500
      do {
        for (const path of ['', '/checks', '/html', '/attachments/0', '/parts/0', '/raw'])
          await consumed(`${command.url}/dev/inbox/${id}${path}`)
        await consumed(`${command.url}/dev/inbox?query=code`)
        await consumed(`${command.url}/v1/emails/${id}`, command.apiKey)
      } while (performance.now() < until)
      const { p99, max, peak_mib } = await seen()
      rows.push(
        `${name}: stall p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms, peak ${peak_mib.toFixed(0)} MiB`,
      )
      console.log(rows.at(-1))
      expect.soft(p99, name).toBeLessThanOrEqual(maxStallMs)
      expect.soft(peak_mib, name).toBeLessThanOrEqual(maxPeakMib)
    }

    process.kill(command.pid, 'SIGUSR2')
    const id = [...stored].find(([, name]) => name === 'an attachment')?.[0] ?? ''
    const paths = ['attachments/0', 'raw', 'parts/1', 'html']
    const stalled = await Promise.all(
      Array.from({ length: readers }, (_, i) =>
        begun(`${command.url}/dev/inbox/${id}/${paths[i % paths.length]}`),
      ),
    )
    expect(stalled.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: readers }, () => 200))
    await pause(2000)
    const { p99, peak_mib, rss_mib } = await seen()
    rows.push(
      `${readers} stalled readers: stall p99 ${p99.toFixed(1)} ms, resident ${rss_mib.toFixed(0)} MiB, peak ${peak_mib.toFixed(0)} MiB`,
    )
    console.log(rows.at(-1))
    expect.soft(p99).toBeLessThanOrEqual(maxStallMs)
    expect.soft(peak_mib).toBeLessThanOrEqual(maxPeakMib)
    for (const response of stalled) response.destroy()

    for (const [kept, name] of stored) {
      const bytes = await consumed(`${command.url}/dev/inbox/${kept}/raw`)
      expect(bytes, name).toBe(hostileMessages[name]?.().length)
    }
    command.signal('SIGTERM')
    await command.ended
  }, 1_200_000)
})

async function imported({ url }: Started, bytes: Buffer): Promise<string> {
  const response = await fetch(`${url}/dev/inbox/import`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822' },
    body: new Uint8Array(bytes),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { id: string }).id
}

/** Reads an answer to its end, and gives its size. */
async function consumed(url: string, key?: string): Promise<number> {
  const response = await fetch(url, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
  expect([200, 404], url).toContain(response.status)
  let bytes = 0
  for await (const piece of response.body ?? []) bytes += piece.length
  return bytes
}

/** Reads the head of an answer, and then nothing. */
function begun(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => resolve(response.on('error', () => undefined))).on(
      'error',
      reject,
    )
  })
}
