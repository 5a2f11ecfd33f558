import { expect, test } from 'vitest'
import type { LogStoreOptions } from '../../src/store/disk/open.ts'
import {
  blobOf,
  type Collection,
  insert,
  put,
  remove,
  type Store,
  type StoredRecord,
} from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { nextTurn } from '../../src/core/machine.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { sampleOf } from '../support/long.ts'
import { progressOf } from '../support/progress.ts'
import { PowerFiles } from './_power.ts'
import { randomOf } from '../support/random.ts'
import { manualClock, openAfterKill } from './_setup.ts'

/** By id, the record and its message; `lost` for a message that is marked as lost. */
type Known = Record<string, string>

async function known(store: PartitionedStore): Promise<Known> {
  const all: Known = await knownOf(store)
  for (const [id, record] of Object.entries(await knownOf(store.partition('part'))))
    all[`part/${id}`] = record
  return all
}

async function knownOf(store: Store): Promise<Known> {
  const all: Known = {}
  for (const collection of [notes, labels] as readonly Collection<StoredRecord>[]) {
    for (const record of (await store.page(collection, { limit: 1e6 })).records) {
      const message = await store.readBlob(`${record.id}/message`).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'store_corrupt' })
        return null
      })
      const digest = message === null ? 'none' : `${message.byteLength}:${message.toString('latin1', 0, 20)}`
      all[record.id] = JSON.stringify([{ ...record, version: 0 }, digest])
    }
  }
  return all
}

/** A power cut, with what was promised at that time. */
interface Cut {
  readonly after: PowerFiles
  readonly operation: number
  /** The first and the last commit that the folder may end with. */
  readonly floor: number
  readonly ceiling: number
}

/** A recorded run of the store: its state after each commit, and cuts at each of its operations. */
async function liveWithCuts(
  durability: 'process' | 'disk',
  seed: number,
): Promise<{ states: Known[]; cuts: Cut[] }> {
  const random = randomOf(seed)
  const power = new PowerFiles()
  const { clock, fire } = manualClock()
  const states: Known[] = [{}]
  const cuts: Cut[] = []
  let floor = 0
  let begun = 0
  let operation = 0
  power.onChange = () => {
    operation++
    // In some cuts, everything that can be lost is lost.
    const after = power.cut(random() < 0.3 ? () => 0 : random)
    cuts.push({ after, operation, floor, ceiling: begun })
  }
  const options: Partial<LogStoreOptions> = {
    clock,
    durability,
    files: power.files,
    boot: 'first',
    logFileBytes: 24_000,
    checkpointBytes: 1e12,
  }
  const store = await openAfterKill('/folder', options)
  const commit = (...parts: Parameters<Store['commit']>): Promise<void> => commitTo(store, '', parts)
  async function commitTo(to: Store, prefix: string, parts: Parameters<Store['commit']>): Promise<void> {
    const state = { ...states.at(-1) }
    for (const change of parts[0]) {
      if (change.op === 'remove') delete state[prefix + change.id]
      else {
        const [message] = parts[1]?.[0]?.parts ?? []
        const before = state[prefix + change.record.id]
        const kept = before === undefined ? 'none' : (JSON.parse(before) as [unknown, string])[1]
        const digest = message
          ? `${message.byteLength}:${Buffer.from(message).toString('latin1', 0, 20)}`
          : kept
        state[prefix + change.record.id] = JSON.stringify([{ ...change.record, version: 0 }, digest])
      }
    }
    await change(state, () => to.commit(...parts))
  }
  async function change(after: Known, run: () => Promise<void>): Promise<void> {
    states.push(after)
    begun = states.length - 1
    await run()
    if (durability === 'disk') floor = states.length - 1
  }
  /** Runs the timers and waits for their work. Then everything before it is safe. */
  async function settle(): Promise<void> {
    const reached = states.length - 1
    fire()
    for (let same = 0, seen = -1; same < 20; same = seen === operation ? same + 1 : 0) {
      seen = operation
      await nextTurn()
    }
    floor = Math.max(floor, reached)
  }
  for (let n = 0; n < 12; n++) {
    const size = n % 5 === 3 ? 300_000 : 300 + n * 700
    await commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(size, n))])
    if (n % 3 === 0) await commit([put(labels, { id: `l${n}`, title: `label ${n}` })])
    if (n % 4 === 3) await commit([remove(notes, note(n - 2).id), put(notes, note(n, { seen: true }))])
    if (n % 4 === 2) await settle()
    if (n < 3 || n === 10) {
      const own = note(100 + n)
      await commitTo(store.partition('part'), 'part/', [
        [insert(notes, own)],
        [blobOf(`${own.id}/message`, pattern(n === 1 ? 300_000 : 2000, n))],
      ])
    }
    if (n === 8)
      await change(
        Object.fromEntries(Object.entries(states.at(-1) ?? {}).filter(([id]) => !id.startsWith('part/'))),
        () => store.removePartition('part'),
      )
  }
  await commit(Array.from({ length: 11 }, (_, n) => remove(notes, note(n).id)))
  await settle()
  await commit([insert(notes, note(50))])
  await store.close()
  floor = states.length - 1
  power.onChange()
  return { states, cuts }
}

/** Opens the folder that a cut left, in this run of the machine, and returns its content. */
async function recovered(power: PowerFiles, boot: string): Promise<Known> {
  const { clock } = manualClock()
  const store = await openAfterKill('/folder', { clock, files: power.files, boot })
  const found = await known(store)
  await store.close()
  return found
}

/** Opens the folder that a cut left, and returns its last commit. */
async function endOf(cut: Cut, states: readonly Known[]): Promise<number> {
  const found = await recovered(cut.after, 'second')
  const end = states.findLastIndex(
    (state, i) => i <= cut.ceiling && isState(found, state, states[cut.floor] ?? {}),
  )
  expect(end, `after ${Object.keys(found).join()}`).toBeGreaterThanOrEqual(cut.floor)
  return end
}

/** Whether these are the records of a state. Only messages that came after the floor may be marked as lost. */
function isState(found: Known, state: Known, safe: Known): boolean {
  const ids = Object.keys(state)
  if (Object.keys(found).length !== ids.length) return false
  return ids.every((id) => {
    if (found[id] === state[id]) return true
    const [record, message] = JSON.parse(state[id] ?? '[]') as [unknown, string]
    const isLost = found[id] === JSON.stringify([record, 'none']) && message !== 'none'
    return isLost && (JSON.parse(safe[id] ?? '[null,""]') as [unknown, string])[1] !== message
  })
}

/**
 * Cuts the power again at the operations of the start and the close that follow a cut.
 *
 * @param share  The share of these operations, from 0 up to 1.
 * @returns The number of cuts. Each left what the start after the first cut would have found.
 */
async function cutAgain(cut: Cut, random: () => number, share: number): Promise<number> {
  // Everything in it is synced, so that this copies all of it.
  const first = cut.after.cut(() => 0)
  const left: { after: PowerFiles; operation: number }[] = []
  let operation = 0
  first.onChange = () => {
    operation++
    if (random() < share) left.push({ after: first.cut(random() < 0.3 ? () => 0 : random), operation })
  }
  const found = await recovered(first, 'second')
  await Promise.all(
    left.map(async ({ after, operation: at }) =>
      expect(await recovered(after, 'third'), `cut again at operation ${at}`).toEqual(found),
    ),
  )
  return left.length
}

/** Runs for all items, many at a time. */
async function eachOf<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const worker = async (): Promise<void> => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: sideBySide }, worker))
}

// Each keeps the folders of about 30 recoveries in memory.
const sideBySide = 64

test('in the default mode a cut loses only what came in the last 5 seconds, whatever else is lost', async () => {
  const power = new PowerFiles()
  const timers = new Set<{ at: number; run: () => void }>()
  let now = 0
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  async function pass(ms: number): Promise<void> {
    now += ms
    for (const timer of timers) {
      if (timer.at > now) continue
      timers.delete(timer)
      timer.run()
    }
    for (let turn = 0; turn < 200; turn++) await nextTurn()
  }
  const store = await openAfterKill('/folder', { clock, files: power.files, boot: 'first' })
  let oldest = 0
  for (let n = 0; n < 40; n++) {
    const size = n % 7 === 3 ? 300_000 : 500
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(size, n))])
    const found = await recovered(
      power.cut(() => 0),
      'second',
    )
    const lost = Array.from({ length: n + 1 }, (_, at) => at).filter((at) => !(note(at).id in found))
    // Commit n came at second n: only the latest commits may be lost.
    expect(lost).toEqual(Array.from(lost, (_, i) => n - lost.length + 1 + i))
    oldest = Math.max(oldest, lost.length - 1)
    await pass(1000)
  }
  await store.close()
  console.log(`commits a second apart, 40 cuts: the oldest that was lost was ${oldest} seconds old`)
  expect(oldest).toBeGreaterThan(0)
  expect(oldest).toBeLessThan(5)
})

const seeds = Number(process.env['LOCALPOST_POWER_SEEDS'] ?? 1)

const firstSeed = Number(process.env['LOCALPOST_SEED'] ?? Date.now() % 1e6)
const runs = (['process', 'disk'] as const).flatMap((durability) =>
  Array.from({ length: seeds }, (_, n) => ({ durability, run: n + 1, seed: firstSeed + n })),
)

test.each(runs)(
  'with --durability $durability a power cut at any operation loses nothing that was promised (run $run)',
  { timeout: 600_000 },
  async ({ durability, seed }) => {
    const { states, cuts } = await liveWithCuts(durability, seed)
    expect(cuts.length).toBeGreaterThan(100)
    const random = randomOf(seed)
    // In parallel, since a start waits where a cut emptied the lock.
    const tried = sampleOf(cuts, 30)
    const progress = progressOf(`${durability}, seed ${seed}, cuts`, tried.length)
    let again = 0
    await eachOf(tried, async (cut) => {
      const where = `seed ${seed}, operation ${cut.operation}`
      // With several seeds it is cut at each operation of each recovery.
      const cutting = cutAgain(cut, random, seeds === 1 ? 0.1 : 1)
      const more = await cutting.catch((error: unknown) => expect.unreachable(`${where}: ${String(error)}`))
      again += more
      await expect(endOf(cut, states), where).resolves.toBeTypeOf('number')
      progress()
    })
    expect(again).toBeGreaterThan(50)
    console.log(
      `${durability}, seed ${seed}: ${tried.length} of ${cuts.length} cuts, ${again} more in the recovery, 0 lost`,
    )
  },
)
