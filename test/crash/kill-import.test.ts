import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLocalpost } from '../../src/index.ts'
import { runCommand, runToEnd, startCommand, type Started } from '../cli/command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { roundsOf } from '../support/long.ts'
import { progressOf } from '../support/progress.ts'
import { killsDuring } from './kill-moments.ts'

/** `LOCALPOST_KILLS=50` is the long variant. */
const rounds = roundsOf('LOCALPOST_KILLS', { short: 4, long: 10 })
const count = 300

it(
  `after ${rounds} kills of an import, of the command or of the server, --resume adds what is missing, and nothing twice`,
  async () => {
    const mails = temporaryFolder()
    // All of one size but some large ones, and each text twice.
    for (let n = 0; n < count; n++) {
      const number = String(Math.floor(n / 2)).padStart(4, '0')
      const text = number.repeat(n % 50 < 2 ? 100_000 : 20)
      const message = `From: a@shop.test\r\nTo: b@x.test\r\nSubject: ${number}\r\n\r\n${text}\r\n`
      writeFileSync(join(mails, `${String(n).padStart(4, '0')}.eml`), message)
    }
    let dir = join(temporaryFolder(), 'data')
    let running = await startCommand(['--dir', dir])
    const kills = await killsDuring(async () => {
      expect(await runToEnd(argsOf(mails, running))).toMatchObject({ code: 0 })
    })
    await expectWhole(dir, running, mails)
    ;({ dir, running } = await freshServer())
    const progress = progressOf('kills of an import', rounds)
    let completed = 0
    for (let killed = 0; killed < rounds; progress()) {
      const isServer = killed % 3 === 2
      const end = isServer ? await killServer(running, mails) : await kills(argsOf(mails, running))
      if (isServer || end.killed) killed++
      if (isServer) running = await startCommand(['--dir', dir])
      if (isServer || end.killed) continue
      expect(end.code).toBe(0)
      await expectWhole(dir, running, mails)
      completed++
      ;({ dir, running } = await freshServer())
    }
    expect(await runToEnd(argsOf(mails, running))).toMatchObject({ code: 0 })
    await expectWhole(dir, running, mails)
    console.log(
      `${rounds} kills of imports: ${completed + 1} finished with --resume, each file once and complete`,
    )
  },
  60_000 + rounds * 15_000,
)

const argsOf = (mails: string, { url, apiKey }: Started): string[] => [
  'import',
  '--resume',
  mails,
  `--url=${url}`,
  `--api-key=${apiKey}`,
]

async function freshServer(): Promise<{ dir: string; running: Started }> {
  const dir = join(temporaryFolder(), 'data')
  mkdirSync(dir, { mode: 0o700 })
  return { dir, running: await startCommand(['--dir', dir]) }
}

/** Kills the server as soon as some messages of a running import are stored, or the import has ended. */
async function killServer(
  running: Started,
  mails: string,
): Promise<{ killed: boolean; code: number | null }> {
  const importing = runCommand(argsOf(mails, running))
  let isRunning = true
  const ended = importing.ended.then(() => (isRunning = false))
  const before = await countOf(running)
  const wanted = before + 1 + Math.floor(Math.random() * 40)
  while (isRunning && (await countOf(running)) < wanted);
  process.kill(running.pid, 'SIGKILL')
  await running.ended
  await ended
  return { killed: false, code: null }
}

async function countOf({ url, apiKey }: Started): Promise<number> {
  const response = await fetch(`${url}/dev/inbox?limit=1`, { headers: { authorization: `Bearer ${apiKey}` } })
  return ((await response.json()) as { count: number }).count
}

/** Stops the server, and expects each file once and unchanged in its folder. */
async function expectWhole(dir: string, running: Started, mails: string): Promise<void> {
  running.signal('SIGTERM')
  await running.ended
  const post = await createLocalpost({ dir })
  const stored: string[] = []
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const page: Awaited<ReturnType<typeof post.inbox.list>> = await post.inbox.list({
      limit: 500,
      ...(cursor !== null && { cursor }),
    })
    for (const { id } of page.items)
      stored.push(Buffer.concat(await (await post.inbox.raw(id)).stream.toArray()).toString())
    cursor = page.cursor
  }
  await post.close()
  const files = readdirSync(mails).map((name) => readFileSync(join(mails, name), 'utf8'))
  expect(stored.sort()).toEqual(files.sort())
}
