import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { roundsOf } from '../support/long.ts'
import { progressOf } from '../support/progress.ts'
import { hasPrograms } from '../support/programs.ts'
import { startCommand, type Started } from '../cli/command.ts'
import { inboxOf } from './inbox-of.ts'
import { load } from './load.ts'

/**
 * Real power cuts: a server writes into an ext4 image on a loop device, the file system is shut down at once without
 * writing anything more, and a copy of the image is mounted, which recovers its journal. What only the page cache had
 * is gone. `LOCALPOST_POWER=40 npm test -- test/crash/power-cuts.test.ts` is the long variant: 40 cuts in the default mode,
 * half as many with `--durability disk`.
 */
const cuts = roundsOf('LOCALPOST_POWER', { short: 1, long: 3 })

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()

/** An ext4 file system in a file, mounted until the test ends. */
class Image {
  readonly folder: string
  #file: string

  constructor() {
    const own = temporaryFolder()
    this.#file = join(own, 'image')
    this.folder = join(own, 'mounted')
    writeFileSync(this.#file, '')
    truncateSync(this.#file, 256 * 1024 * 1024)
    mkdirSync(this.folder)
    run('mkfs.ext4', '-q', '-F', this.#file)
    this.mount()
    onTestFinished(() => this.unmount())
  }

  mount(): void {
    run('mount', '-o', 'loop', this.#file, this.folder)
  }

  unmount(): void {
    run('umount', '--lazy', this.folder)
  }

  /** Blocks every later write to the device, also of the journal: EXT4_IOC_SHUTDOWN with NOLOGFLUSH. */
  cut(): void {
    const shutdown =
      'open(my $f, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die $!'
    run('perl', '-e', shutdown, this.folder)
  }

  /** Mounts a copy of the device: another mount namespace may keep the file system that was shut down. */
  recover(): void {
    const copy = `${this.#file}-copy`
    run('cp', '--sparse=always', this.#file, copy)
    this.unmount()
    rmSync(this.#file)
    this.#file = copy
    this.mount()
  }
}

/** Whether this user may mount images on this machine and shut them down. */
function mayCut(): boolean {
  if (!hasPrograms('real power cuts', ['losetup', 'mkfs.ext4', 'mount', 'perl', 'unshare'])) return false
  try {
    run('unshare', '--mount', 'true')
    run('losetup', '--find')
    return true
  } catch (error) {
    process.stderr.write(`SKIPPED: real power cuts need root on Linux and loop devices. ${String(error)}\n`)
    return false
  }
}

/** A command prefix that simulates another boot of the machine. */
function afterBoot(): string[] {
  const file = join(temporaryFolder(), 'boot_id')
  writeFileSync(file, `${randomUUID()}\n`)
  const script = 'mount --bind "$1" /proc/sys/kernel/random/boot_id && shift && exec "$@"'
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', file]
}

test.skipIf(!mayCut()).each([
  // The limit is five seconds; the rest is for a sync on a busy machine.
  { mode: 'process', rounds: cuts, allowedMs: 8000 },
  { mode: 'disk', rounds: Math.ceil(cuts / 2), allowedMs: 0 },
])(
  'after each of $rounds power cuts with --durability $mode it starts, and lost no more than is promised',
  { timeout: 60_000 + cuts * 60_000 },
  async ({ mode, rounds, allowedMs }) => {
    const args = [`--durability=${mode}`]
    let acknowledged = 0
    let lost = 0
    let oldestMs = 0
    let image = new Image()
    let kept = new Set<string>()
    const progress = progressOf(`power cuts, ${mode}`, rounds)
    for (let round = 0; round < rounds; round++) {
      progress()
      // Some folders survive several cuts; most are new.
      if (round % 3 === 0 && round > 0) {
        image = new Image()
        kept = new Set()
      }
      const command = await start(image, args)
      const { times, ended } = load(command)
      await expect.poll(() => times.size, { timeout: 30_000 }).toBeGreaterThan(0)
      await sleep(Math.random() ** 2 * 8000)
      const before = new Map(times)
      const cutAt = performance.now()
      image.cut()
      process.kill(command.pid, 'SIGKILL')
      await command.ended
      await ended
      image.recover()

      const second = await start(image, args)
      const found = await inboxOf(second)
      // Also where nothing is missing: what the log lost without a trace cannot be counted.
      if (mode === 'process')
        expect(said(second)).toMatch(/machine was restarted .* last 5 seconds .* may be lost/)
      else expect(said(second)).not.toMatch(/may be lost/)
      const gone = [...before].filter(([subject]) => !found.has(subject))
      for (const subject of kept) expect(found.get(subject), subject).toBe(1)
      for (const count of found.values()) expect(count).toBe(1)
      for (const [subject, at] of gone) {
        oldestMs = Math.max(oldestMs, cutAt - at)
        expect(cutAt - at, `round ${round}: ${subject}`).toBeLessThan(allowedMs)
      }
      acknowledged += before.size
      lost += gone.length
      kept = new Set(found.keys())
      second.signal('SIGTERM')
      await second.ended
    }
    console.log(
      `${rounds} power cuts, ${mode}: ${rounds} started again, ${acknowledged} acknowledged, ${lost} lost, the oldest ${Math.round(oldestMs)} ms old`,
    )
  },
)

const said = (command: Started): string => command.stdout() + command.stderr()

function start(image: Image, args: readonly string[]): Promise<Started> {
  return startCommand(args, { cwd: image.folder, within: afterBoot() })
}
