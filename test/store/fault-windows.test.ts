import { expect, test } from 'vitest'
import { nextTurn } from '../../src/core/machine.ts'
import { blobOf, type Change, insert, put, remove, type Blob, type Store } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { progressOf } from '../support/progress.ts'
import { randomOf } from '../support/random.ts'
import { PowerFiles } from './_power.ts'
import { manualClock, openAfterKill } from './_setup.ts'
import { type WindowedFiles, windowedFiles } from './_windows.ts'

/**
 * The disk fails for 1 to 60 operations in a row and then works again, while commits run: during a checkpoint with its
 * clean-up, or during the close. `LOCALPOST_FAULTS=all` breaks at every operation, for every length that ends before the
 * phase does, and one that does not; else a sample.
 */
const isAll = process.env['LOCALPOST_FAULTS'] === 'all'
const sampled = Number(process.env['LOCALPOST_FAULTS'] ?? 25)
const longest = 60
const firstSeed = Number(process.env['LOCALPOST_SEED'] ?? Date.now() % 1e6)

/** By id, the record and its message; null if there is none. */
type States = Map<string, string>

async function statesOf(store: Store): Promise<States> {
  const states: States = new Map()
  for (const record of (await store.page(notes, { limit: 1e6 })).records) {
    const message = await store.readBlob(`${record.id}/message`)
    states.set(record.id, JSON.stringify([{ ...record, version: 0 }, message && digest(message)]))
  }
  for (const record of (await store.page(labels, { limit: 1e6 })).records)
    states.set(record.id, JSON.stringify([{ ...record, version: 0 }, null]))
  return states
}

const digest = (bytes: Uint8Array): string =>
  `${bytes.byteLength}:${Buffer.from(bytes.buffer, bytes.byteOffset, 40).toString('latin1')}`

interface Step {
  readonly id: string
  readonly change: Change
  readonly blob?: Blob
  readonly after: string | null
}

const refusals = new Set(['store_full', 'store_failed', 'store_read_only'])

/** The results of commits, compared with the stored data. */
class Account {
  readonly states: States = new Map()
  /** Records that may also exist: those of commits with an unknown outcome. */
  readonly unknown: Map<string, (string | null)[]> = new Map()
  readonly codes: string[] = []

  async take(store: Store, step: Step): Promise<void> {
    try {
      await store.commit([step.change], step.blob ? [step.blob] : [])
      this.#set(step)
    } catch (error) {
      const { code } = error as { code: string }
      this.codes.push(code)
      if (code === 'store_unknown')
        this.unknown.set(step.id, [...(this.unknown.get(step.id) ?? []), step.after])
      else expect(refusals).toContain(code)
    }
  }

  #set({ id, after }: Step): void {
    if (after === null) this.states.delete(id)
    else this.states.set(id, after)
  }

  /** Whether these are the acknowledged states, except where the outcome was reported as unknown. */
  expectIn(found: States, where: string): void {
    for (const id of new Set([...found.keys(), ...this.states.keys()])) {
      const allowed = [this.states.get(id) ?? null, ...(this.unknown.get(id) ?? [])]
      expect(allowed, `${where}: ${id}`).toContain(found.get(id) ?? null)
    }
  }
}

function noteStep(n: number, size: number | null, seen = false): Step {
  const record = note(n, { seen })
  const bytes = size === null ? null : messageOf(size, n)
  const after = JSON.stringify([{ ...record, version: 0 }, bytes && digest(bytes)])
  const blob = bytes ? blobOf(`${record.id}/message`, bytes) : undefined
  return { id: record.id, change: insert(notes, record), after, ...(blob && { blob }) }
}

/** The same bytes in each run, since creating them takes longer than storing them. */
function messageOf(size: number, n: number): Buffer {
  const key = `${size} ${n}`
  const bytes = messages.get(key) ?? pattern(size, n)
  messages.set(key, bytes)
  return bytes
}

const messages = new Map<string, Buffer>()

const removal = (n: number): Step => ({ id: note(n).id, change: remove(notes, note(n).id), after: null })

function label(n: number): Step {
  const record = { id: `l${n}`, title: `label ${n}` }
  return {
    id: record.id,
    change: put(labels, record),
    after: JSON.stringify([{ ...record, version: 0 }, null]),
  }
}

const large = 300_000

/** Prepares every kind of work for a checkpoint: dead logs, a large message to delete, an empty segment. */
async function begin(
  account: Account,
  store: Store,
  fire: () => void,
  quiet: () => Promise<void>,
): Promise<void> {
  for (let n = 0; n < 6; n++) await account.take(store, noteStep(n, n === 2 ? large : 3000))
  await account.take(store, label(0))
  fire()
  await quiet()
  for (let n = 0; n < 5; n++) await account.take(store, removal(n))
}

/** Commits that run while the disk fails: small and large messages, changes and removals. */
function* running(): Generator<Step> {
  for (let n = 10; n < 22; n++) {
    yield noteStep(n, n % 4 === 1 ? large : 2500)
    if (n % 3 === 0) yield label(n)
    if (n % 5 === 0) yield removal(n - 1)
  }
}

interface Window {
  readonly durability: 'process' | 'disk'
  readonly phase: 'checkpoint' | 'close'
  readonly code: 'EIO' | 'ENOSPC'
  readonly at: number
  readonly length: number
}

/**
 * One run of the store, with a fault in it.
 *
 * @returns The number of operations in the phase, and whether the fault lasted until its end. If so, a longer fault has the
 *   same effect.
 */
async function liveThrough({
  durability,
  phase,
  code,
  at,
  length,
}: Window): Promise<{ operations: number; wasLast: boolean }> {
  const where = `${durability}, ${phase}, ${code} from operation ${at}, ${length} of them, seed ${firstSeed}`
  const power = new PowerFiles()
  const disk = windowedFiles(power.files)
  const { clock, fire } = manualClock()
  const options = {
    clock,
    durability,
    boot: 'same',
    logFileBytes: 16_000,
    checkpointBytes: 1e12,
    reserveBytes: code === 'ENOSPC' ? 20_000 : 0,
  } as const
  const store = await openAfterKill('/folder', { ...options, files: disk.files })
  const account = new Account()
  await begin(account, store, fire, () => quietOf(disk))
  const before = disk.calls
  disk.breakAt(at, length, code)
  if (phase === 'close') {
    // Those that were begun before the close are stored or refused, and say so.
    const all = Promise.all([...running()].slice(0, 6).map((step) => account.take(store, step)))
    await store.close().catch((error: { code: string }) => expect(error.code, where).toMatch(/^store_/))
    await all
  } else {
    fire()
    for (const step of running()) await account.take(store, step)
    await quietOf(disk)
  }
  const operations = disk.calls - before
  const wasLast = disk.repair()
  if (phase === 'checkpoint') {
    await writesAgain(account, store, fire, disk, where)
    // What this run undid is gone: after a restart the store shows the same as now.
    account.unknown.clear()
    account.expectIn(await statesOf(store), where)
    if (at % 2 === 0) await store.close()
  }
  if (phase === 'close' || at % 2 === 0) expect(power.openFiles, `${where}: files left open`).toBe(0)
  const notices: string[] = []
  const second = await openAfterKill('/folder', {
    ...options,
    files: power.files,
    onNotice: (text) => notices.push(text),
  })
  account.expectIn(await statesOf(second), where)
  expect(notices.join('\n'), where).not.toContain('store_corrupt')
  await second.commit([put(labels, { id: 'end', title: 'end' })])
  await second.close()
  return { operations, wasLast }
}

/** As soon as the fault ends, mail is accepted again and a checkpoint works; no restart is needed. */
async function writesAgain(
  account: Account,
  store: Store,
  fire: () => void,
  disk: WindowedFiles,
  where: string,
): Promise<void> {
  const failed = disk.failed
  await account.take(store, noteStep(90, 1000))
  // The reserve was used; the next checkpoint fills it again, or a timer within a second.
  if (!account.states.has(note(90).id) && account.codes.at(-1) === 'store_full') {
    await account.take(store, label(90))
    fire()
    await quietOf(disk)
    await account.take(store, noteStep(90, 1000))
  }
  expect(account.states.has(note(90).id), `${where}: ${account.codes.at(-1)}`).toBe(true)
  fire()
  await quietOf(disk)
  await account.take(store, noteStep(91, large))
  expect(account.states.has(note(91).id), where).toBe(true)
  expect(disk.failed).toBe(failed)
}

/** Waits until the store is idle. */
async function quietOf(disk: WindowedFiles): Promise<void> {
  for (let same = 0, seen = -1; same < 25; same = seen === disk.calls ? same + 1 : 0) {
    seen = disk.calls
    await nextTurn()
  }
}

const kinds = (['process', 'disk'] as const).flatMap((durability) =>
  (['checkpoint', 'close'] as const).flatMap((phase) =>
    (['EIO', 'ENOSPC'] as const).map((code) => ({ durability, phase, code })),
  ),
)

test.each(kinds)(
  'a disk that gives $code for up to 60 operations in a $phase ($durability) loses nothing, and is written to again',
  { timeout: isAll ? 3_600_000 : 120_000 },
  async (kind) => {
    const { operations } = await liveThrough({ ...kind, at: Number.POSITIVE_INFINITY, length: 1 })
    expect(operations).toBeGreaterThan(20)
    const random = randomOf(firstSeed)
    let windows = 0
    const progress = progressOf(
      `${kind.code} in a ${kind.phase} (${kind.durability}), operations`,
      operations,
    )
    for (let at = 1; at <= operations; at++) {
      progress()
      // In a sample, all operations are equally likely.
      if (!isAll && random() > sampled / operations) continue
      const lengths = isAll
        ? Array.from({ length: longest }, (_, i) => i + 1)
        : [1 + Math.floor(random() ** 2 * longest)]
      for (const length of lengths) {
        const { wasLast } = await liveThrough({ ...kind, at, length })
        windows++
        if (wasLast) break
      }
    }
    console.log(
      `${kind.code} in a ${kind.phase} (${kind.durability}): ${operations} operations, ${windows} windows, 0 lost`,
    )
  },
)
