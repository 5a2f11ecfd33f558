import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { begin, consume, importMessage, submitMessage } from './clients.ts'
import { hostileMessages, ordinaryMessage } from './messages.ts'
import { readRequests } from './routes.ts'
import { brokenBodies, largeSends, sendBroken, sendOverApi } from './sends.ts'
import { createTally, startWatched, type Tally, type Watched } from './watch.ts'

/**
 * `LOCALPOST_HOSTILE=1 npm test -- test/hostile` runs it: it takes minutes. Another value is part of the names of the
 * messages and requests to send.
 */
const asked = process.env['LOCALPOST_HOSTILE']
const chosen = <Value>(all: Readonly<Record<string, Value>>, prefix = ''): [string, Value][] =>
  Object.entries(all)
    .map(([name, value]): [string, Value] => [prefix + name, value])
    .filter(([name]) => asked === undefined || asked === '1' || name.includes(asked))
const messages = chosen(hostileMessages)

// Measured in the server's own process, in ticks of 5 ms; see `stalls.mjs`.
const maxPeakMib = 400
const maxStallMs = 50
const readers = 60

/** The acknowledged messages, with their expected sizes. */
type Kept = Map<string, { name: string; bytes: number }>

it.runIf(asked !== undefined)(
  'hostile messages use little memory, block nothing for long, and everything acknowledged is kept',
  { timeout: 1_800_000 },
  async () => {
    const command = await startWatched()
    const kept: Kept = new Map()
    // Modules that are loaded on first use are no cost of a hostile message.
    await sendAndRead(
      command,
      { name: 'an ordinary mail', send: whole(ordinaryMessage, importMessage) },
      new Map(),
    )
    for (const [name, make] of messages) {
      const bytes = make()
      await sendAndRead(command, { name: `${name}, imported`, send: whole(bytes, importMessage) }, kept)
      await sendAndRead(command, { name: `${name}, over SMTP`, send: whole(bytes, submitMessage) }, kept)
    }
    if (kept.size > 0) await stall(command, [...kept.keys()])
    for (const [id, { name, bytes }] of kept)
      expect(await consume(`${command.url}/dev/inbox/${id}/raw`), name).toBe(bytes)
    command.signal('SIGTERM')
    await command.ended
  },
)

it.runIf(asked !== undefined)(
  'large API sends in a row use little memory, block nothing for long, and can be read and are kept',
  { timeout: 1_800_000 },
  async () => {
    const command = await startWatched()
    const kept: Kept = new Map()
    const small = { from: 'eve@x.test', to: 'ada@example.com', subject: 'x', text: 'x' }
    await sendAndRead(command, { name: 'an ordinary API send', send: overApi(small) }, new Map())
    for (const [name, make] of chosen(largeSends, 'API send of '))
      await sendAndRead(command, { name, send: overApi(make()) }, kept)
    if (kept.size > 0) await stall(command, [...kept.keys()])
    for (const [id, { name, bytes }] of kept)
      expect(await consume(`${command.url}/dev/inbox/${id}/raw`), name).toBe(bytes)
    for (const [name, make] of chosen(brokenBodies, 'API send of ')) {
      const body = make()
      const { step, result } = createTally(command)
      await step('sent', async () => expect([400, 413], name).toContain(await sendBroken(command, body)))
      // For as long as 300 ticks take, at least.
      await step('after it', () => pause(2000))
      judge(name, result())
    }
    command.signal('SIGTERM')
    await command.ended
  },
)

/** Sends a mail. @returns Its id, and the size that it must keep. */
type Send = (command: Watched) => Promise<{ id: string; bytes: number }>

const overApi =
  (request: object): Send =>
  (command) =>
    sendOverApi(command, request)

function whole(bytes: Buffer, send: typeof importMessage): Send {
  // Over SMTP the last line has an end.
  const isWhole = send === importMessage || bytes.subarray(-2).toString() === '\r\n'
  return async (command) => ({
    id: await send(command, bytes),
    bytes: isWhole ? bytes.length : bytes.length + 2,
  })
}

async function sendAndRead(
  command: Watched,
  { name, send }: { name: string; send: Send },
  kept: Kept,
): Promise<void> {
  const { step, result } = createTally(command)
  const { id, bytes } = await step('sent', () => send(command))
  kept.set(id, { name, bytes })
  // For as long as 300 ticks take, at least.
  const until = performance.now() + 2000
  do {
    for (const { path, needsKey } of readRequests(id)) {
      const key = needsKey ? command.apiKey : undefined
      await step(path.replace(id, '…'), () => consume(command.url + path, key))
    }
  } while (performance.now() < until)
  judge(name, result())
}

/** Many clients that request large answers and read none of them. */
async function stall(command: Watched, ids: readonly string[]): Promise<void> {
  const { step, result } = createTally(command)
  await step('60 readers', async () => {
    const requests = ids.flatMap(readRequests).filter(({ path }) => !/999$|\/(?:wait|export)|\?/.test(path))
    // Evenly from all of them, so that each shape and each route is there.
    const picked = Array.from(
      { length: readers },
      (_, i) => requests[Math.floor((i * requests.length) / readers)],
    )
    const stalled = await Promise.all(
      picked.map((request) => begin(command.url + (request?.path ?? ''), command.apiKey)),
    )
    // Or a temporary error, where others use the memory.
    for (const { statusCode } of stalled) expect([200, 404, 503]).toContain(statusCode)
    await pause(2000)
    for (const response of stalled) response.destroy()
  })
  judge(`${readers} stalled readers`, result())
}

function judge(name: string, { slowest, largest, ...measured }: ReturnType<Tally['result']>): void {
  console.log(`${name}: ${JSON.stringify(measured)}\n  ${slowest}\n  ${largest}`)
  expect.soft(measured.p99_ms, `${name}: ${slowest}`).toBeLessThanOrEqual(maxStallMs)
  expect.soft(measured.peak_mib, `${name}: ${largest}`).toBeLessThanOrEqual(maxPeakMib)
}
