import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { isLong, sampleOf } from '../support/long.ts'
import { runCommand, startCommand, type Command } from '../cli/command.ts'
import { inboxOf } from './inbox-of.ts'
import { load } from './load.ts'

/** Ways to copy a folder in use; each gives it the lock of the running server. */
const copies: readonly [how: string, program: string, args: readonly string[]][] = [
  ['cp -a', 'cp', ['-a', 'data', 'copy']],
  ['cp -r', 'cp', ['-r', 'data', 'copy']],
  ['tar', 'sh', ['-c', 'mkdir -m 700 copy && tar -C data -cf - . | tar -C copy -xf -']],
  ['hard links', 'cp', ['-al', 'data', 'copy']],
]

test.skipIf(process.platform === 'win32').each(sampleOf(copies, 2))(
  'a copy of the folder of a running server, made with %s, starts or says what to do, and the original loses nothing',
  { timeout: 120_000 },
  async (how, program, args) => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd })
    const early = load(first)
    await expect.poll(() => early.times.size, { timeout: 20_000 }).toBeGreaterThan(30)
    const before = [...early.times.keys()]
    try {
      execFileSync(program, args, { cwd, stdio: 'ignore' })
    } catch {
      // Files that are removed while they are copied are an error of the program.
    }
    const copy = runCommand(['--port=0', '--smtp-port=0', '--dir=copy'], { cwd })
    const started = await Promise.race([copy.until(/^curl /m).catch(() => null), copy.ended.then(() => null)])
    if (started) {
      expect(copy.stderr()).toMatch(
        /in another folder, so \S+ seems to be a copy.*\n.*not renewed for 5 seconds/,
      )
      await kill(copy)
      const again = await startCommand(['--dir=copy'], { cwd })
      const inbox = await inboxOf(again)
      console.log(
        `${how}: ${before.filter((name) => !inbox.has(name)).length} of ${before.length} not in the copy`,
      )
      await kill(again)
    } else {
      // Files of one moment may not fit to those of another; hard links are the same files.
      expect(copy.stderr()).toMatch(how === 'hard links' ? /which renewed its lock/ : /Restore|salvage/)
      console.log(`${how}: ${copy.stderr()}`)
    }
    if (how === 'hard links') expect(started).toBeNull()
    // The original is still in use, and accepts mail.
    const other = runCommand(['--port=0', '--smtp-port=0', '--dir=data'], { cwd })
    expect(await other.ended).toMatchObject({ code: 1 })
    expect(other.stderr()).toMatch(new RegExp(`in use by process ${first.pid}\\.`))
    const count = early.times.size
    await expect.poll(() => early.times.size, { timeout: 20_000 }).toBeGreaterThan(count + 20)
    await kill(first)
    await early.ended
    const last = await startCommand(['--dir=data'], { cwd })
    const inbox = await inboxOf(last)
    expect([...early.times.keys()].filter((subject) => inbox.get(subject) !== 1)).toEqual([])
    await kill(last)
  },
)

test.runIf(isLong && process.platform !== 'win32')(
  'two servers on linked copies of a stopped folder lose nothing under load, with kills and restarts',
  { timeout: 120_000 },
  async () => {
    const cwd = temporaryFolder()
    const first = await startCommand(['--dir=data'], { cwd })
    const early = load(first)
    await expect.poll(() => early.times.size, { timeout: 20_000 }).toBeGreaterThan(30)
    await kill(first)
    await early.ended
    execFileSync('cp', ['-al', 'data', 'copy'], { cwd })
    const kept = { data: new Set(early.times.keys()), copy: new Set(early.times.keys()) }
    for (let round = 0; round < 3; round++) {
      const loads = await Promise.all(
        (['data', 'copy'] as const).map(async (dir) => {
          const command = await startCommand([`--dir=${dir}`], { cwd })
          return { dir, command, sent: load(command) }
        }),
      )
      for (const { sent } of loads)
        await expect.poll(() => sent.times.size, { timeout: 20_000 }).toBeGreaterThan(50)
      for (const { dir, command, sent } of loads) {
        await kill(command)
        await sent.ended
        for (const subject of sent.times.keys()) kept[dir].add(subject)
      }
    }
    for (const dir of ['data', 'copy'] as const) {
      const last = await startCommand([`--dir=${dir}`], { cwd })
      const inbox = await inboxOf(last)
      const lost = [...kept[dir]].filter((subject) => inbox.get(subject) !== 1)
      console.log(`hard links, both running, ${dir}: ${kept[dir].size} acknowledged, ${lost.length} lost`)
      expect(lost).toEqual([])
      await kill(last)
    }
  },
)

async function kill(command: Command): Promise<void> {
  process.kill(command.pid, 'SIGKILL')
  await command.ended
}
