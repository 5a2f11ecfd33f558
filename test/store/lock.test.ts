import { fork, spawn } from 'node:child_process'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import {
  cp,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFiles } from '../../src/core/files.ts'
import { readLock } from '../../src/store/lock/lock.ts'
import { type Processes, systemProcesses } from '../../src/store/lock/processes.ts'
import { insert, put } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { contents, faultyFiles, inspect, noProcesses, openIn, systemError, tempFolder } from './_setup.ts'

const lockOf = (members: object): string =>
  `${JSON.stringify({ pid: process.pid, started: '1', host: systemProcesses.host, ...members })}\n`

test('a folder that is open in this process is refused, and free after close', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  const message = expect.stringMatching(
    new RegExp(`${dir}.*this same process \\(${process.pid}\\)`),
  ) as unknown
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use', message })
  await first.close()
  await (await openIn(dir)).close()
})

test('a running process is named with its pid and the folder', async () => {
  const dir = await tempFolder()
  await (await openIn(dir)).close()
  const child = fork('-e', ['setInterval(() => {}, 1000)'], { execArgv: [], stdio: 'ignore' })
  const pid = child.pid ?? 0
  try {
    await writeFile(join(dir, 'lock'), lockOf({ pid, started: await systemProcesses.startOf(pid) }))
    const message = expect.stringMatching(new RegExp(`${dir}.*process ${pid}`)) as unknown
    await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use', message })
  } finally {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  await (await openIn(dir)).close()
})

test.each([
  ['a process that is gone', { pid: 2 ** 22 + 5 }],
  ['this pid in an earlier life, as after the restart of a container', { pid: process.pid }],
  ['pid 1 of an earlier life', { pid: 1, started: '0' }],
])('the lock of %s is taken over at once', async (_, members) => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), lockOf(members))
  const began = performance.now()
  const store = await openIn(dir)
  expect(performance.now() - began).toBeLessThan(2000)
  expect(JSON.parse(await readFile(join(dir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
  await store.close()
})

test.concurrent.each([[''], ['\0\0'], ['{"pid":'], ['null'], ['{"pid":1}\n']])(
  'a lock that says %j is damaged: it is watched before it is taken over, and that is said',
  async (text) => {
    const dir = await mkdtemp(join(tmpdir(), 'localpost-lock-'))
    await writeFile(join(dir, 'lock'), text)
    const notices: string[] = []
    await (await openIn(dir, { onNotice: (said) => notices.push(said) })).close()
    expect(notices).toEqual([
      expect.stringMatching(
        /lock is damaged and does not say who uses the folder .* Waiting up to 5 seconds/,
      ),
      expect.stringContaining(
        'not renewed for 5 seconds, so the process that wrote it has ended or writes nothing more',
      ),
    ])
    await rm(dir, { recursive: true })
  },
)

test('a process on another host cannot be looked up, so its lock is valid, and the error says how to remove it', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), lockOf({ host: 'elsewhere' }))
  const message = expect.stringMatching(/"elsewhere".*remove .*lock/) as unknown
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use', message })
})

test('of many processes that find an abandoned lock exactly one gets the folder', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), lockOf({ pid: 2 ** 22 + 5 }))
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => openIn(dir)))
  const opened = results.filter((result) => result.status === 'fulfilled')
  expect(opened).toHaveLength(1)
  await opened[0]?.value.close()
})

/** Another container: its pids have no meaning here. */
const elsewhere: Processes = {
  ...noProcesses,
  pidSpace: async () => ({ boot: 'this', namespace: 'another' }),
}

test('a lock records the host of its pid, and has no second name once it is created', async () => {
  const dir = await tempFolder()
  const store = await openIn(dir)
  const lock: unknown = JSON.parse(await readFile(join(dir, 'lock'), 'utf8'))
  expect(lock).toMatchObject({ pid: process.pid, ...(await systemProcesses.pidSpace()) })
  expect((await stat(join(dir, 'lock'))).nlink).toBe(1)
  expect((await readdir(dir)).filter((name) => name.startsWith('lock'))).toEqual(['lock'])
  await store.close()
})

test.each(['EPERM', 'ENOTSUP', 'EINVAL'])(
  'where the file system has no hard links (%s), the lock is made without',
  async (code) => {
    const dir = await tempFolder()
    const files = faultyFiles(({ name }) => {
      if (name === 'link') throw systemError(code)
    })
    const store = await openIn(dir, { files })
    await expect(openIn(dir, { files })).rejects.toMatchObject({ code: 'store_in_use' })
    await store.close()
    expect(await readdir(dir)).not.toContain('lock')
  },
)

test.skipIf(process.platform !== 'linux')('a zombie has ended, whatever its pid says', async () => {
  const dir = await tempFolder()
  // The shell turns into a process that never reads the exit code of its child, which remains a zombie.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once('data', resolve)))
  await expect.poll(async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).includes(') Z ')).toBe(true)
  const started = await systemProcesses.startOf(pid)
  await writeFile(join(dir, 'lock'), lockOf({ pid, started, ...(await systemProcesses.pidSpace()) }))
  await (await openIn(dir)).close()
})

/** A program whose first thread ends while another one goes on. */
const leaderless = `import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall(60, 0)`
const hasPython = process.platform === 'linux' && process.arch === 'x64' && existsSync('/usr/bin/python3')

test.skipIf(!hasPython)(
  'a process whose first thread has ended lives as long as another thread',
  async () => {
    const dir = await tempFolder()
    const child = spawn('/usr/bin/python3', ['-c', leaderless], { stdio: 'ignore' })
    const pid = child.pid ?? 0
    onTestFinished(() => void child.kill('SIGKILL'))
    await expect.poll(async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).includes(') Z ')).toBe(true)
    const started = await systemProcesses.startOf(pid)
    await writeFile(join(dir, 'lock'), lockOf({ pid, started, ...(await systemProcesses.pidSpace()) }))
    await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use' })
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    await (await openIn(dir)).close()
  },
)

test('a holder in another container or on another machine keeps the folder as long as it renews its lock', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir, { processes: { ...elsewhere, pid: 7, host: 'box' } })
  const notices: string[] = []
  // The same host name and an unused pid, neither of which proves anything.
  const opening = openIn(dir, {
    processes: { ...noProcesses, host: 'box' },
    onNotice: (text) => notices.push(text),
  })
  const message = expect.stringMatching(/process 7 on the host "box", which renewed its lock/) as unknown
  await expect(opening).rejects.toMatchObject({ code: 'store_in_use', message })
  expect(notices).toEqual([expect.stringMatching(/Waiting up to 5 seconds .* renews .*lock/)])
  expect(await readLock(nodeFiles, join(dir, 'lock'), noProcesses)).toMatchObject({ pid: 7, lives: true })
  await first.commit([insert(notes, note(1))])
  await first.close()
})

test('a copy of an open folder is opened after it was seen that its lock is not renewed', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  await first.commit([insert(notes, note(1))])
  const to = await tempFolder()
  await cp(dir, to, { recursive: true, preserveTimestamps: true })
  expect(await readLock(nodeFiles, join(to, 'lock'))).toMatchObject({ lives: false, copied: true })
  expect((await inspect(to)).findings).toContainEqual(
    expect.objectContaining({
      subject: 'lock',
      message: expect.stringContaining('It came with a copy of the folder') as unknown,
    }),
  )
  const notices: string[] = []
  const second = await openIn(to, { onNotice: (text) => notices.push(text) })
  expect(notices).toEqual([
    expect.stringMatching(/was written by process \d+ in another folder, so .* seems to be a copy. Waiting/),
    expect.stringMatching(/was not renewed for 5 seconds, so .* is a copy. It is opened, and may lack mail/),
  ])
  await first.commit([insert(notes, note(2))])
  await second.commit([insert(notes, note(3))])
  for (const store of [first, second]) expect((await store.page(notes, { limit: 9 })).records).toHaveLength(2)
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use' })
  await expect(openIn(to)).rejects.toMatchObject({ code: 'store_in_use' })
  await first.close()
  await second.close()
})

test('a folder whose number changed while its holder renews the lock is not taken for a copy', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  // As on a file system that gives a folder a new number when it is looked up again.
  const stampNow: typeof nodeFiles.stampNow = (path) => {
    const found = nodeFiles.stampNow(path)
    return found && path === dir ? { ...found, ino: found.ino + 1 } : found
  }
  const message = expect.stringContaining('which renewed its lock just now') as unknown
  await expect(openIn(dir, { files: { ...nodeFiles, stampNow } })).rejects.toMatchObject({
    code: 'store_in_use',
    message,
  })
  await first.commit([insert(notes, note(1))])
  await first.close()
})

test('a folder that was moved, or is reached by another path, is the same folder', async () => {
  const dir = await tempFolder()
  const first = await openIn(join(dir, 'a'))
  await symlink(join(dir, 'a'), join(dir, 'link'))
  await expect(openIn(join(dir, 'link'))).rejects.toMatchObject({ code: 'store_in_use' })
  await rename(join(dir, 'a'), join(dir, 'b'))
  await expect(openIn(join(dir, 'b'))).rejects.toMatchObject({ code: 'store_in_use' })
  await rename(join(dir, 'b'), join(dir, 'a'))
  await first.close()
})

test('a holder elsewhere that stops renewing has ended; its data are kept', async () => {
  const dir = await tempFolder()
  await (await openIn(dir)).close()
  const text = lockOf({ pid: 1, host: 'gone', boot: 'another', namespace: 'pid:[1]' })
  await writeFile(join(dir, 'lock'), text)
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  expect(notices).toEqual([
    expect.stringContaining('Waiting up to 5 seconds'),
    expect.stringMatching(/not renewed for 5 seconds, so process 1 on the host "gone" has ended/),
  ])
  await store.close()
})

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

test('a folder that was closed or has no data is locked without waiting', async () => {
  const dir = await tempFolder()
  for (const round of [1, 2, 3]) {
    const began = performance.now()
    const store = await openIn(dir)
    expect(performance.now() - began, `start ${round}`).toBeLessThan(2000)
    expect(await readdir(dir)).not.toContain('lock.closed')
    await store.close()
    expect((await readdir(dir)).filter((name) => name.startsWith('lock'))).toEqual(['lock.closed'])
  }
})

test('a folder of a version that left no mark when it closed is locked without waiting', async () => {
  const dir = await tempFolder()
  await (await openIn(dir)).close()
  await rm(join(dir, 'lock.closed'))
  const { schema, log, offset, seq } = JSON.parse(await readFile(join(dir, 'checkpoint.json'), 'utf8')) as {
    [name: string]: number
  }
  await writeFile(join(dir, 'checkpoint.json'), `${JSON.stringify({ schema, log, offset, seq })}\n`)
  const began = performance.now()
  await (await openIn(dir)).close()
  expect(performance.now() - began).toBeLessThan(2000)
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

test.each([
  ['replaced by a copy', true],
  ['removed', false],
])('when the log file is %s, nothing more is written', async (_, isCopied) => {
  const dir = await tempFolder()
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  await store.commit([insert(notes, note(1))])
  expect(store.refusal()).toBeNull()
  const log = join(dir, 'log', '000001.log')
  await cp(log, join(dir, 'copy'))
  rmSync(log)
  if (isCopied) renameSync(join(dir, 'copy'), log)
  await expect.poll(() => store.refusal(), { timeout: 10_000 }).toMatchObject({ code: 'store_read_only' })
  expect(notices).toEqual([expect.stringContaining('000001.log was removed, or replaced by another one')])
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'store_read_only' })
  await store.close()
})

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

test('the lock is renewed with another time even if the clock does not move', async () => {
  const path = join(await tempFolder(), 'lock')
  await writeFile(path, '')
  const now = new Date()
  await utimes(path, now, now)
  const first = await nodeFiles.touched(path)
  await nodeFiles.touch(path)
  expect(await nodeFiles.touched(path)).not.toBe(first)
})
