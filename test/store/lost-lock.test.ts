import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { systemProcesses } from '../../src/store/lock/processes.ts'
import { sealed } from '../../src/store/sealed.ts'
import { insert, put } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { contents, faultyFiles, openIn, systemError, tempFolder } from './_setup.ts'

const lockOf = (members: object): string =>
  sealed({ pid: process.pid, started: '1', host: systemProcesses.host, boot: '', namespace: '', ...members })

test.each([
  ['removed', (path: string) => rm(path)],
  ['of another process', (path: string) => writeFile(path, lockOf({ pid: 9, host: 'box' }))],
])('a store whose lock is %s stops writing, and leaves the files to the other', async (_, take) => {
  const dir = await tempFolder()
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  await store.commit([insert(notes, note(1))])
  await take(join(dir, 'lock'))
  await expect.poll(() => notices).toEqual([expect.stringContaining('writes nothing more into it')])
  const log = await readFile(join(dir, 'log', '000001.log'))
  const before = await contents(store)
  await expect(store.commit([put(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  const writer = store.createBlob('n_00003/message')
  await expect(writer.write(Buffer.alloc(600_000))).rejects.toMatchObject({ code: 'store_read_only' })
  expect(await contents(store)).toEqual(before)
  const names = await readdir(dir)
  await store.close()
  expect(await readdir(dir)).toEqual(names)
  expect(await readFile(join(dir, 'log', '000001.log'))).toEqual(log)
})

test('a write is not acknowledged if the lock was taken while it was made', async () => {
  const dir = await tempFolder()
  let taken = false
  const files = faultyFiles(({ name, path }) => {
    if (name !== 'write' || !path.endsWith('.log') || taken) return
    taken = true
    // The next renewal and read are far away; only the check after the write can notice it.
    rmSync(join(dir, 'lock'))
    writeFileSync(join(dir, 'lock'), lockOf({ pid: 9, host: 'box' }))
  })
  const store = await openIn(dir, { files })
  await expect(store.commit([insert(notes, note(1))])).rejects.toMatchObject({ code: 'store_unknown' })
  expect(taken).toBe(true)
  const log = await readFile(join(dir, 'log', '000001.log'))
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  await store.close()
  expect(await readFile(join(dir, 'log', '000001.log'))).toEqual(log)
  expect(await readFile(join(dir, 'lock'), 'utf8')).toContain('"box"')
})

test('a lock that is replaced is noticed before the next write, not at the next renewal', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(notes, note(1))])
  const log = await readFile(join(dir, 'log', '000001.log'))
  await sleep(20)
  await writeFile(join(dir, 'new'), lockOf({ pid: 9, host: 'box' }))
  renameSync(join(dir, 'new'), join(dir, 'lock'))
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  expect(await readFile(join(dir, 'log', '000001.log'))).toEqual(log)
  await store.close()
})

test.each([
  ['the lock is replaced by a copy of itself', 'lock'],
  ['the folder is replaced by a copy of itself', '.'],
])('when %s, nothing more is written', async (_, name) => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  await store.commit([insert(notes, note(1))])
  await cp(join(dir, name), `${dir}.copy`, { recursive: true, preserveTimestamps: true })
  const old = `${dir}.old`
  renameSync(join(dir, name), old)
  renameSync(`${dir}.copy`, join(dir, name))
  onTestFinished(() => rm(old, { recursive: true }))
  await sleep(20)
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  expect(store.refusal()).toMatchObject({ code: 'store_read_only' })
  await store.close()
})

/** Changes of the log file that is written. */
const losses: readonly [what: string, lose: (log: string) => void][] = [
  ['removed', (log) => rmSync(log)],
  ['moved away', (log) => renameSync(log, `${log}.old`)],
  ['replaced by a copy', (log) => (cpSync(log, `${log}.new`), renameSync(`${log}.new`, log))],
  ['replaced by a link', (log) => (renameSync(log, `${log}.old`), symlinkSync('/dev/null', log))],
  ['moved with its folder', (log) => renameSync(dirname(log), `${dirname(log)}.old`)],
]

test.each(losses)('when the log file is %s, nothing more is written', async (_, lose) => {
  const dir = await tempFolder()
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  await store.commit([insert(notes, note(1))])
  expect(store.refusal()).toBeNull()
  lose(join(dir, 'log', '000001.log'))
  await expect.poll(() => store.refusal(), { timeout: 10_000 }).toMatchObject({ code: 'store_read_only' })
  expect(notices).toEqual([expect.stringContaining('000001.log was removed, or replaced by another one')])
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  await store.close()
})

test.each(losses)(
  'from some milliseconds after the log file is %s, no commit is acknowledged',
  async (_, lose) => {
    const dir = await tempFolder()
    const store = await openIn(dir)
    let lostAt = Infinity
    let acknowledged = 0
    let latest = 0
    let refused: unknown = null
    for (let n = 0; refused === null; n++) {
      if (n === 50) {
        lose(join(dir, 'log', '000001.log'))
        lostAt = performance.now()
      }
      const began = performance.now()
      await store.commit([insert(notes, note(n))]).then(
        () => {
          acknowledged++
          if (began > lostAt) latest = began - lostAt
        },
        (error: unknown) => (refused = error),
      )
    }
    expect(refused).toMatchObject({ code: expect.stringMatching(/^store_(?:unknown|read_only)$/) as unknown })
    expect(acknowledged).toBeGreaterThanOrEqual(50)
    // The check comes at most 10 milliseconds before an acknowledgement.
    expect(latest).toBeLessThan(10)
    await store.close()
  },
)

test('a lock that cannot be read for a while is not lost', async () => {
  const dir = await tempFolder()
  let broken = false
  const files = faultyFiles(({ name, path }) => {
    if (broken && name === 'readAll' && path.endsWith('lock')) throw systemError('EIO')
  })
  const store = await openIn(dir, { files })
  broken = true
  const failing = async (): Promise<unknown> =>
    store.commit([put(notes, note(1))]).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
  await expect.poll(failing).toBe('store_failed')
  broken = false
  await store.commit([put(notes, note(2))])
  await store.close()
  const again = await openIn(dir)
  expect(await again.get(notes, note(2).id)).not.toBeNull()
  await again.close()
})
