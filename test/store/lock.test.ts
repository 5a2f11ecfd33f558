import { fork } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemProcesses } from '../../src/store/disk/lock.ts'
import { openIn, tempFolder } from './_setup.ts'

const lockOf = (members: object): string =>
  `${JSON.stringify({ pid: process.pid, started: '1', host: systemProcesses.host, ...members })}\n`

test('a folder that a store of this process has is refused, and free after close', async () => {
  const dir = await tempFolder()
  const first = await openIn(dir)
  const message = expect.stringMatching(
    new RegExp(`${dir}.*this same process \\(${process.pid}\\)`),
  ) as unknown
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use', message })
  await first.close()
  await (await openIn(dir)).close()
})

test('a living process is named with its pid and the folder', async () => {
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

test.each([[''], ['{"pid":'], ['null']])('a lock that says %j is what a crash left', async (text) => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), text)
  await (await openIn(dir)).close()
})

test('a process on another host cannot be looked up, so its lock stands, and the error says how to end it', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), lockOf({ host: 'elsewhere' }))
  const message = expect.stringMatching(/"elsewhere".*remove .*lock/) as unknown
  await expect(openIn(dir)).rejects.toMatchObject({ code: 'store_in_use', message })
})

test('of many that find a dead lock exactly one gets the folder', async () => {
  const dir = await tempFolder()
  await writeFile(join(dir, 'lock'), lockOf({ pid: 2 ** 22 + 5 }))
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => openIn(dir)))
  const opened = results.filter((result) => result.status === 'fulfilled')
  expect(opened).toHaveLength(1)
  await opened[0]?.value.close()
})
