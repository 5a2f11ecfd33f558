import { fork, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { notes } from '../contracts/notes.ts'
import { compileStore } from './_compile.ts'
import { openIn, tempFolder } from './_setup.ts'

/** Commits as fast as it can, and reports the begin and the end of each commit. */
const child = `
import { createHash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openLogStore } from './store/disk/open.js'
import { blobOf, insert, put, remove } from './store/store.js'
import { systemClock } from './core/clock.js'
const [dir, round, durability] = process.argv.slice(2)
const notes = { name: 'notes', large: true, indexes: { name: { on: ['group', 'name'], unique: true }, due: { on: ['due', 'id'] } } }
const store = await openLogStore({ dir, collections: [notes], clock: systemClock, durability, checkpointBytes: 300000, logFileBytes: 500000 })
const say = (line) => writeSync(1, line + '\\n')
let n = 0
async function worker() {
  const mine = []
  for (;;) {
    const id = 'r' + round + '_' + String(n++).padStart(6, '0')
    const size = n % 50 === 0 ? 300000 : 100 + (n * 37) % 4000
    const bytes = Buffer.alloc(size, id)
    const record = { id, group: 'g', name: id, due: n, seen: false, tags: [] }
    const sum = createHash('sha1').update(bytes).digest('hex')
    await store.commit([insert(notes, record)], [blobOf(id + '/message', bytes)])
    await store.commit([put(notes, { ...record, seen: true })])
    say('has ' + id + ' ' + sum)
    mine.push(id)
    if (mine.length > 12) {
      const old = mine.shift()
      say('removing ' + old)
      await store.commit([remove(notes, old)])
      say('gone ' + old)
    }
  }
}
say('ready')
for (let i = 0; i < 16; i++) void worker()
`

/** Lets the child run for a while after it is ready, kills it, and returns what it reported. */
async function killed(script: string, args: string[], afterMs: number): Promise<string[]> {
  const process: ChildProcess = fork(script, args, {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let said = ''
  const ended = new Promise((done) => process.once('close', done))
  const ready = new Promise<void>((done) => {
    process.stdout?.on('data', (bytes: Buffer) => {
      said += bytes.toString('latin1')
      if (said.includes('ready')) done()
    })
  })
  await Promise.race([ready, ended])
  await sleep(afterMs)
  process.kill('SIGKILL')
  await ended
  return said.slice(0, said.lastIndexOf('\n')).split('\n')
}

test.each(['process', 'disk'] as const)(
  'a process that is killed while it commits has lost nothing that it acknowledged (%s)',
  { timeout: 60_000 },
  async (durability) => {
    const script = await compileStore(child)
    const dir = await tempFolder()
    const has = new Map<string, string>()
    const unsure = new Set<string>()
    let acknowledged = 0
    for (let round = 0; round < 6; round++) {
      for (const line of await killed(script, [dir, String(round), durability], 150 + ((round * 97) % 300))) {
        const [word, id = '', sum = ''] = line.split(' ')
        if (word === 'has') acknowledged++
        if (word === 'has') has.set(id, sum)
        if (word === 'removing') unsure.add(id)
        if (word !== 'gone') continue
        unsure.delete(id)
        has.set(id, 'gone')
      }
      const store = await openIn(dir)
      for (const [id, sum] of has) {
        if (unsure.has(id)) continue
        const record = await store.get(notes, id)
        const bytes = await store.readBlob(`${id}/message`)
        const found = bytes ? createHash('sha1').update(bytes).digest('hex') : 'gone'
        expect({ round, id, found, seen: record?.seen ?? null }).toEqual({
          round,
          id,
          found: sum,
          seen: sum === 'gone' ? null : true,
        })
      }
      await store.close()
    }
    expect(acknowledged).toBeGreaterThan(300)
  },
)
