import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { sampleOf } from '../support/long.ts'
import { runCommand, startCommand, type Started } from '../cli/command.ts'
import { inboxOf } from './inbox-of.ts'
import { load } from './load.ts'

/** Changes of the lock of a running server, and whether a second one can start then. */
const losses: readonly [what: string, happen: (lock: string, older: string) => void, takesOver: boolean][] = [
  ['removed', (lock) => rmSync(lock), true],
  ['emptied', (lock) => truncateSync(lock), true],
  ['filled with NUL bytes', (lock) => writeFileSync(lock, Buffer.alloc(readFileSync(lock).byteLength)), true],
  ['truncated', (lock) => truncateSync(lock, 40), true],
  ['filled with garbage', (lock) => writeFileSync(lock, '\u{1f512} {"pid": no'), true],
  ['replaced by an older one, of a process that has ended', (lock, older) => renameSync(older, lock), true],
  ['replaced by a link to nothing', (lock) => (rmSync(lock), symlinkSync('nothing', lock)), true],
  ['replaced by a folder', (lock) => (rmSync(lock), mkdirSync(lock)), false],
]

test.each(sampleOf(losses, 2))(
  'when the lock of a running server is %s under load, nothing acknowledged is lost',
  { timeout: 120_000 },
  async (what, happen, takesOver) => {
    const cwd = temporaryFolder()
    const lock = join(cwd, 'data', 'lock')
    const older = join(cwd, 'older-lock')
    const before = await startCommand(['--dir=data'], { cwd })
    copyFileSync(lock, older)
    await kill(before)
    const first = await startCommand(['--dir=data'], { cwd })
    const early = load(first)
    await expect.poll(() => early.times.size, { timeout: 20_000 }).toBeGreaterThan(50)
    happen(lock, older)
    const subjects: Iterable<string>[] = [early.times.keys()]
    if (takesOver) {
      const second = await startCommand(['--dir=data'], { cwd })
      expect(second.stderr()).toMatch(
        what.includes('older') ? /^/ : /lock .*(?:missing|damaged)[^]*taken over/,
      )
      const late = load(second)
      await expect.poll(() => late.times.size, { timeout: 20_000 }).toBeGreaterThan(50)
      await kill(second)
      await late.ended
      subjects.push(late.times.keys())
    } else {
      const second = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd })
      expect(await second.ended).toMatchObject({ code: 1 })
      expect(second.stderr() + second.stdout()).toMatch(/lock is a folder/)
      rmSync(lock, { recursive: true })
    }
    expect(first.stderr()).toContain('This process writes nothing more into it.')
    // Every sender of the first server was refused in the end.
    expect(await early.ended).toHaveLength(8)
    await kill(first)
    const last = await startCommand(['--dir=data'], { cwd })
    const inbox = await inboxOf(last)
    const acknowledged = subjects.flatMap((names) => [...names])
    expect(acknowledged.filter((subject) => inbox.get(subject) !== 1)).toEqual([])
    console.log(`lock ${what}: ${acknowledged.length} acknowledged, none lost`)
    await kill(last)
  },
)

test('a server that lost its lock says so in its health and when it stops', async () => {
  const cwd = temporaryFolder()
  const server = await startCommand(['--dir=data'], { cwd })
  const { times, ended } = load(server)
  await expect.poll(() => times.size, { timeout: 20_000 }).toBeGreaterThan(5)
  expect(await healthOf(server)).toMatchObject({ status: 200, body: { status: 'ok', warnings: [] } })
  rmSync(join(cwd, 'data', 'lock'))
  await ended
  expect(await healthOf(server)).toMatchObject({
    status: 503,
    body: { status: 'refusing', warnings: [expect.stringMatching(/^New mail is refused\. The lock file /)] },
  })
  server.signal('SIGTERM')
  expect((await server.ended).code).toBe(0)
  expect(server.stdout()).toMatch(
    /Stopped\. Nothing more could be written to the data folder: The lock file /,
  )
  expect(server.stdout()).not.toContain('All acknowledged mail is saved')
  expect(server.stderr()).not.toContain('internal error')
})

async function healthOf({ url }: Started): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/dev/health`)
  return { status: answer.status, body: await answer.json() }
}

async function kill(command: Started): Promise<void> {
  process.kill(command.pid, 'SIGKILL')
  await command.ended
}
