import { fork } from 'node:child_process'
import { appendFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { isLong, roundsOf } from '../support/long.ts'
import { progressOf } from '../support/progress.ts'
import { compileStore } from './_compile.ts'
import { contents, copyOf, mortal, openIn, tempFolder } from './_setup.ts'

/** The number of calls between two kills; `LOCALPOST_KILLS=200` kills at each call. */
const stride = roundsOf('LOCALPOST_KILLS', { short: 10, long: 20 }) >= 200 ? 1 : isLong ? 9 : 18

/**
 * Opens the folder, makes a checkpoint with its clean-up, and closes; a real SIGKILL comes just before the n-th call
 * of the file system, or in the middle of it where it is a write.
 */
const child = `
import { openLogStore } from './store/disk/open.js'
import { nodeFiles } from './core/node-files.js'
import { put } from './store/store.js'
const [dir, at] = process.argv.slice(2)
let calls = 0
const files = {}
for (const [name, run] of Object.entries(nodeFiles)) {
  files[name] = (...args) => {
    if (++calls < Number(at)) return run(...args)
    const die = () => process.kill(process.pid, 'SIGKILL')
    if (name !== 'write') return die()
    const [fd, bytes, offset] = args
    return run(fd, bytes.subarray(0, bytes.byteLength >> 1), offset).then(die)
  }
}
const notes = { name: 'notes', large: true, indexes: { name: { on: ['group', 'name'], unique: true }, due: { on: ['due', 'id'] }, seen: { on: ['group', 'seen', 'name'] } } }
const labels = { name: 'labels', indexes: { title: { on: ['title'], unique: true } } }
const due = new Set()
const clock = { now: () => Date.now(), after: (ms, run) => { due.add(run); return () => due.delete(run) } }
const store = await openLogStore({ dir, collections: [notes, labels], clock, durability: 'disk', files, logFileBytes: 8000 })
for (const run of due) run()
await new Promise((resolve) => setTimeout(resolve, 100))
await store.close()
process.send(calls)
`

/** The folder of a store that was killed before its next checkpoint: segments, dead and half dead log files, and a torn end. */
async function mortalFolder(): Promise<{ dir: string; state: unknown }> {
  const dir = await tempFolder()
  const first = await openIn(dir, { ...mortal, logFileBytes: 8000 })
  await first.commit(Array.from({ length: 1010 }, (_, n) => insert(notes, note(1000 + n))))
  for (let n = 0; n < 40; n++)
    await first.commit(
      [insert(notes, note(n))],
      [blobOf(`${note(n).id}/message`, pattern(n === 5 ? 300_000 : 1500, n))],
    )
  await first.commit(
    Array.from({ length: 30 }, (_, n) => remove(notes, note(n * (n % 3 === 0 ? 1000 : 1)).id)),
  )
  await first.commit([put(labels, { id: 'l', title: 'kept' }), put(notes, note(39, { seen: true }))])
  const state = await contents(first)
  const copy = await copyOf(dir)
  await rename(join(copy, 'lock'), join(copy, 'lock.closed'))
  const last = (await readdir(join(copy, 'log'))).sort().at(-1) ?? ''
  await appendFile(join(copy, 'log', last), '{"seq":99999,"len":5000,"crc":"0000')
  await writeFile(join(copy, 'large', 'nobody-message-00.eml'), 'swept')
  await writeFile(join(copy, 'db.json.tmp'), 'half')
  return { dir: copy, state }
}

/** @returns The number of calls it made, or null if it was killed. */
async function run(script: string, dir: string, at: number): Promise<number | null> {
  const process = fork(script, [dir, String(at)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let calls: number | null = null
  process.once('message', (message) => (calls = Number(message)))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    process.once('close', (...ending) => resolve(ending))
  })
  expect({ at, end: calls === null ? signal : code }).toEqual({ at, end: calls === null ? 'SIGKILL' : 0 })
  return calls
}

async function expectWhole(dir: string, state: unknown, at: number): Promise<void> {
  const store = await openIn(dir)
  expect(await contents(store), `killed at call ${at}`).toEqual(state)
  await store.commit([put(notes, note(7777))])
  await store.close()
  const again = await openIn(dir)
  expect(await again.get(notes, note(7777).id)).not.toBeNull()
  await again.close()
}

test(
  'SIGKILL at any step of a start, a checkpoint or its clean-up loses nothing',
  { timeout: 300_000 },
  async () => {
    const script = await compileStore(child)
    const { dir, state } = await mortalFolder()
    const whole = await run(script, await copyOf(dir), Number.POSITIVE_INFINITY)
    expect(whole).toBeGreaterThan(60)
    let kills = 0
    const progress = progressOf('kills', Math.ceil(Number(whole) / stride))
    for (let at = 1; at <= Number(whole); at += stride) {
      progress()
      const copy = await copyOf(dir)
      if ((await run(script, copy, at)) === null) kills++
      // A second kill in the start that repairs the first.
      if (kills % 3 === 0) await run(script, copy, 12 + at)
      await expectWhole(copy, state, at)
    }
    expect(kills).toBeGreaterThan(3)
    console.log(`SIGKILL at one of ${whole} steps: ${kills} kills, 0 lost`)
  },
)
