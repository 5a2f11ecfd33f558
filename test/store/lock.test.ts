import { fork, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readLock } from '../../src/store/lock/lock.ts'
import { type Processes, systemProcesses } from '../../src/store/lock/processes.ts'
import { sealed } from '../../src/store/sealed.ts'
import { insert } from '../../src/store/store.ts'
import { note, notes } from '../contracts/notes.ts'
import { faultyFiles, noProcesses, openIn, systemError, tempFolder } from './_setup.ts'
import { nodeFiles } from '../../src/core/node-files.ts'

const space = await systemProcesses.pidSpace()
const lockOf = (members: object): string =>
  sealed({ pid: process.pid, started: '1', host: systemProcesses.host, ...space, ...members })

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
  const notices: string[] = []
  const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
  expect(notices).not.toContainEqual(expect.stringContaining('Waiting up to'))
  expect(JSON.parse(await readFile(join(dir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
  await store.close()
})

test.concurrent.each([[''], ['\0\0'], ['{"pid":'], ['null'], ['{"pid":1}\n']])(
  'a damaged lock (%j) is watched before it is taken over, with a notice',
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

test.skipIf(process.platform !== 'linux')('a zombie counts as ended although its pid exists', async () => {
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

test('a folder that was closed or has no data is locked without waiting', async () => {
  const dir = await tempFolder()
  for (const round of [1, 2, 3]) {
    const notices: string[] = []
    const store = await openIn(dir, { onNotice: (text) => notices.push(text) })
    expect(notices, `start ${round}`).not.toContainEqual(expect.stringContaining('Waiting up to'))
    expect(await readdir(dir)).not.toContain('lock.closed')
    await store.close()
    expect((await readdir(dir)).filter((name) => name.startsWith('lock'))).toEqual(['lock.closed'])
  }
})

test('the lock is renewed with another time even within two seconds', async () => {
  const path = join(await tempFolder(), 'lock')
  await writeFile(path, '')
  let last = 0
  for (let beat = 0; beat < 4; beat++) {
    const time = await nodeFiles.touch(path, last)
    expect(time).not.toBe(last)
    expect(await nodeFiles.touched(path)).toBe(time)
    last = time
  }
})

test('a heartbeat of an unchanged lock takes one step in the thread pool', async () => {
  const steps: string[] = []
  let fd: unknown
  const counted = new Proxy(nodeFiles, {
    get(files, name: keyof typeof nodeFiles) {
      const step = files[name] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        const result = step(...args)
        if (name === 'openNow' && String(args[0]).endsWith('/lock')) fd = result
        if (args[0] === fd || String(args[0]).endsWith('/lock')) steps.push(name)
        return result
      }
    },
  })
  const store = await openIn(await tempFolder(), { files: counted })
  steps.length = 0
  await expect.poll(() => steps.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(6)
  // Reading some bytes is synchronous.
  const beat = ['touch', 'read', 'stampNow']
  expect(steps.slice(0, 6)).toEqual([...beat, ...beat])
  await store.close()
})
