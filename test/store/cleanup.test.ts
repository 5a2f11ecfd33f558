import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Blob, blobOf, insert, put, remove, type Store } from '../../src/store/store.ts'
import { note, notes, pattern } from '../contracts/notes.ts'
import {
  contents,
  copyOf,
  inspect,
  manualClock,
  mortal,
  openAfterKill,
  openIn,
  tempFolder,
} from './_setup.ts'

const small = { logFileBytes: 50_000, checkpointBytes: 20_000 }

async function logBytes(dir: string): Promise<number> {
  let total = 0
  for (const name of await readdir(join(dir, 'log'))) {
    // It may be deleted between the two calls.
    total += await stat(join(dir, 'log', name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return total
}

async function until(test: () => Promise<boolean>): Promise<void> {
  // The test is not repeated once it holds: what it commits may need more room for a moment.
  let holds = await test()
  for (let i = 0; i < 400 && !holds; i++) {
    await sleep(10)
    holds = await test()
  }
  expect(holds).toBe(true)
}

/** Commits small changes, so that maintenance runs. */
async function churn(store: Store, times = 60): Promise<void> {
  for (let i = 0; i < times; i++) {
    await store.commit([put(notes, note(9999))], [blobOf('n_09999/message', pattern(1500, i))])
    await sleep(1)
  }
}

test('the log starts a new file where the old one is full', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, { ...mortal, logFileBytes: 50_000 })
  for (let n = 0; n < 100; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000))])
  const names = (await readdir(join(dir, 'log'))).sort()
  expect(names.length).toBeGreaterThan(3)
  expect(names[0]).toBe('000001.log')
  for (const name of names) expect((await stat(join(dir, 'log', name))).size).toBeLessThanOrEqual(50_000)
  await store.close()
})

test('the log stays small if little is kept, however much is stored and removed', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  const bytes = 100_000
  const kept = 50
  let most = 0
  for (let n = 0; n < 1000; n++) {
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(bytes, n))])
    if (n >= kept) await store.commit([remove(notes, note(n - kept).id)])
    if (n % 10 === 0) most = Math.max(most, await logBytes(dir))
  }
  // What is in use, a file of 4 MiB that is not quite unused, one that is written, and what arrives during a checkpoint.
  expect(most).toBeLessThan(kept * bytes + 4 * 4 * 1024 * 1024)
  for (let n = 1000 - kept; n < 1000; n++)
    expect((await store.readBlob(`${note(n).id}/message`))?.equals(pattern(bytes, n))).toBe(true)
  await store.close()
})

test('log files without live data are deleted, whatever other files hold', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  await store.commit([insert(notes, note(1))], [blobOf('n_00001/message', 'alive')])
  for (let n = 10; n < 200; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000))])
  expect(await logBytes(dir)).toBeGreaterThan(300_000)
  for (let n = 10; n < 200; n++) await store.commit([remove(notes, note(n).id)])
  await until(async () => {
    await churn(store, 10)
    return (await logBytes(dir)) < 150_000
  })
  expect((await store.readBlob('n_00001/message'))?.toString()).toBe('alive')
  await store.close()
})

test('live data in a file that is mostly waste are moved completely, and survive a kill and a restart', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  for (let n = 0; n < 200; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  const heard: string[] = []
  store.changes((change) => heard.push('id' in change ? change.id : change.op))
  for (let n = 0; n < 200; n++) if (n % 5 !== 0) await store.commit([remove(notes, note(n).id)])
  await until(async () => {
    await churn(store, 10)
    return (await logBytes(dir)) < 300_000
  })
  const kept = Array.from({ length: 40 }, (_, i) => note(i * 5))
  for (const { id } of kept) {
    expect((await store.readBlob(`${id}/message`))?.equals(pattern(2000, Number(id.slice(2))))).toBe(true)
    expect((await store.get(notes, id))?.version).toBe(1)
    expect(heard).not.toContain(id)
  }
  const before = await contents(store)
  await store.close()
  const again = await openIn(dir)
  expect(await contents(again)).toEqual(before)
  await again.close()
})

test('all blobs of a record are moved together, and are what they were before and after a restart', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  const names = ['content', 'message', 'attachments']
  const blobsOf = (n: number): Blob[] =>
    names.map((name, i) => blobOf(`${note(n).id}/${name}`, pattern(700, n * 3 + i)))
  for (let n = 0; n < 200; n++) await store.commit([insert(notes, note(n))], blobsOf(n))
  for (let n = 0; n < 200; n++) if (n % 5 !== 0) await store.commit([remove(notes, note(n).id)])
  await until(async () => {
    await churn(store, 10)
    return !(await readdir(join(dir, 'log'))).includes('000001.log')
  })
  const assertWhole = async (of: Store): Promise<void> => {
    for (let n = 0; n < 200; n += 5)
      for (const [i, name] of names.entries()) {
        const bytes = await of.readBlob(`${note(n).id}/${name}`)
        expect(bytes?.equals(pattern(700, n * 3 + i)), `${name} of ${n}`).toBe(true)
      }
  }
  await assertWhole(store)
  await store.close()
  const again = await openIn(dir)
  await assertWhole(again)
  await again.close()
  expect((await inspect(dir)).healthy).toBe(true)
})

test('small blobs with large records are not moved again and again', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  for (let n = 0; n < 300; n++) {
    await store.commit(
      [insert(notes, note(n, { tags: ['x'.repeat(600)] }))],
      [blobOf(`${note(n).id}/message`, pattern(100, n))],
    )
  }
  await churn(store, 30)
  const names = await readdir(join(dir, 'log'))
  await sleep(100)
  expect(await readdir(join(dir, 'log'))).toEqual(names)
  expect(names).toContain('000001.log')
  await store.close()
})

test('blobs can be read while their files are moved and removed', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  for (let n = 0; n < 100; n++)
    await store.commit([insert(notes, note(n))], [blobOf(`${note(n).id}/message`, pattern(2000, n))])
  const reading = { now: true }
  let read = 0
  const readers = [0, 20, 40].map(async (n) => {
    for (; reading.now; read++) {
      const stream = await store.openBlob(`${note(n).id}/message`)
      await sleep(read % 3)
      expect(Buffer.concat(stream ? await stream.toArray() : []).equals(pattern(2000, n))).toBe(true)
    }
  })
  for (let n = 0; n < 100; n++) if (n % 20 !== 0) await store.commit([remove(notes, note(n).id)])
  await churn(store, 100)
  reading.now = false
  await Promise.all(readers)
  expect(read).toBeGreaterThan(50)
  expect(await readdir(join(dir, 'log'))).not.toContain('000001.log')
  await store.close()
})

test('a large blob has a file with a safe name, which is deleted after its record', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir, small)
  const id = '../../etc/pass wd'
  await store.commit([insert(notes, { ...note(1), id })], [blobOf(`${id}/message`, pattern(300_000))])
  const [name] = await readdir(join(dir, 'large'))
  expect(name).toMatch(/^[A-Za-z0-9_-]+\.eml$/)
  expect((await stat(join(dir, 'large', name ?? ''))).size).toBe(300_000)
  await store.commit([remove(notes, id)])
  await until(async () => {
    await churn(store, 20)
    return (await readdir(join(dir, 'large'))).length === 0
  })
  await store.close()
})

test('large files without a record are deleted at a start, those with one are kept', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, mortal)
  await first.commit([insert(notes, note(1))], [blobOf('n_00001/message', pattern(300_000))])
  const writer = first.createBlob('n_00002/message')
  await writer.write(pattern(300_000))
  await writer.finish()
  await first.commit([insert(notes, note(1))], [blobOf('n_00001/message', pattern(300_000))]).catch(() => {})
  await writeFile(join(dir, 'large', 'mine.txt'), 'not of the store')
  const copy = await copyOf(dir)
  const second = await openAfterKill(copy)
  expect((await readdir(join(copy, 'large'))).filter((name) => name.endsWith('.eml'))).toHaveLength(1)
  expect(await readdir(join(copy, 'large'))).toContain('mine.txt')
  expect(await store300(second)).toBe(true)
  await second.close()
})

async function store300(store: Store): Promise<boolean> {
  return (await store.readBlob('n_00001/message'))?.equals(pattern(300_000)) ?? false
}

test('temporary files of a crash are deleted, and nothing else', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(notes, note(1))])
  await first.close()
  for (const name of [
    'db.json.tmp',
    'checkpoint.json.tmp',
    'notes/000001.json.tmp',
    'notes/mine.tmp',
    'mine.tmp',
  ]) {
    await writeFile(join(dir, name), 'half')
  }
  const second = await openIn(dir)
  expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual(['mine.tmp'])
  expect((await readdir(join(dir, 'notes'))).sort()).toEqual(['000001.json', 'mine.tmp'])
  await second.close()
})

test('a segment whose records were all removed is deleted', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit(Array.from({ length: 1500 }, (_, n) => insert(notes, note(n))))
  await first.close()
  const second = await openIn(dir)
  await second.commit(Array.from({ length: 1000 }, (_, n) => remove(notes, note(n).id)))
  await second.close()
  expect(await readdir(join(dir, 'notes'))).toEqual(['000002.json'])
  const third = await openIn(dir)
  expect(await third.count(notes)).toBe(500)
  await third.close()
})

test('a few seconds after the last commit, the readable files contain it', async () => {
  const dir = await tempFolder()
  const { clock, fire } = manualClock()
  const store = await openIn(dir, { clock })
  for (const n of [1, 2]) {
    await store.commit([insert(notes, note(n))])
    await until(async () => {
      // The previous checkpoint may still be running; its end sets the next timer.
      fire()
      const text = await readFile(join(dir, 'notes/000001.json'), 'utf8').catch(() => '')
      return text.includes(`name 0000${n}`)
    })
  }
  await store.close()
})

test('a writer may be discarded while it writes', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  for (let i = 0; i < 20; i++) {
    const writer = store.createBlob('n_00001/message')
    void writer.write(pattern(600_000))
    const discarded = writer.discard()
    await store.commit([put(notes, note(i))], [blobOf(`${note(i).id}/message`, pattern(1000, i))])
    await discarded
  }
  expect(await readdir(join(dir, 'large'))).toEqual([])
  const before = await contents(store)
  await store.close()
  const again = await openIn(dir)
  expect(await contents(again)).toEqual(before)
  await again.close()
})
