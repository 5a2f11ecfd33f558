import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { begin, consume, importMessage, submitMessage } from './clients.ts'
import { hostileMessages, ordinaryMessage } from './messages.ts'
import { readRequests } from './routes.ts'
import { createTally, startWatched, type Tally, type Watched } from './watch.ts'

/**
 * `LOCALPOST_HOSTILE=1 npm test -- test/hostile` runs it: it takes minutes. Another value is part of the names of the
 * messages to send.
 */
const asked = process.env['LOCALPOST_HOSTILE']
const messages = Object.entries(hostileMessages).filter(
  ([name]) => asked === undefined || asked === '1' || name.includes(asked),
)

// Measured in the server's own process, in ticks of 5 ms; see `monitor.mjs`.
const maxPeakMib = 400
const maxStallMs = 50
const readers = 60

/** What was acknowledged, with the size that it must still have. */
type Kept = Map<string, { name: string; bytes: number }>

it.runIf(asked !== undefined)(
  'hostile messages cost little memory, hold nothing up for long, and all that was acknowledged is kept',
  { timeout: 1_800_000 },
  async () => {
    const command = await startWatched()
    const kept: Kept = new Map()
    // What is loaded when it is first needed is no cost of a hostile message.
    await sendAndRead(
      command,
      { name: 'an ordinary mail', bytes: ordinaryMessage, send: importMessage },
      new Map(),
    )
    for (const [name, make] of messages) {
      const bytes = make()
      await sendAndRead(command, { name: `${name}, imported`, bytes, send: importMessage }, kept)
      await sendAndRead(command, { name: `${name}, over SMTP`, bytes, send: submitMessage }, kept)
    }
    await stall(command, [...kept.keys()])
    for (const [id, { name, bytes }] of kept)
      expect(await consume(`${command.url}/dev/inbox/${id}/raw`), name).toBe(bytes)
    command.signal('SIGTERM')
    await command.ended
  },
)

async function sendAndRead(
  command: Watched,
  { name, bytes, send }: { name: string; bytes: Buffer; send: typeof importMessage },
  kept: Kept,
): Promise<void> {
  const { step, result } = createTally(command)
  const id = await step('sent', () => send(command, bytes))
  // Over SMTP the last line has an end.
  const isWhole = send === importMessage || bytes.subarray(-2).toString() === '\r\n'
  kept.set(id, { name, bytes: isWhole ? bytes.length : bytes.length + 2 })
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

/** Many clients that ask for what is large, and read nothing of it. */
async function stall(command: Watched, ids: readonly string[]): Promise<void> {
  const { step, result } = createTally(command)
  await step('60 readers', async () => {
    const requests = ids.flatMap(readRequests).filter(({ path }) => !/999$|\/(?:wait|export)|\?/.test(path))
    // Evenly from all of them, so that each shape and each route is there.
    const chosen = Array.from(
      { length: readers },
      (_, i) => requests[Math.floor((i * requests.length) / readers)],
    )
    const stalled = await Promise.all(
      chosen.map((request) => begin(command.url + (request?.path ?? ''), command.apiKey)),
    )
    // Or told to come again, where others take the room.
    for (const { statusCode } of stalled) expect([200, 404, 503]).toContain(statusCode)
    await pause(2000)
    for (const response of stalled) response.destroy()
  })
  judge(`${readers} stalled readers`, result())
}

function judge(name: string, { slowest, ...measured }: ReturnType<Tally['result']>): void {
  console.log(`${name}: ${JSON.stringify(measured)}\n  ${slowest}`)
  expect.soft(measured.p99_ms, `${name}: ${slowest}`).toBeLessThanOrEqual(maxStallMs)
  expect.soft(measured.peak_mib, name).toBeLessThanOrEqual(maxPeakMib)
}
