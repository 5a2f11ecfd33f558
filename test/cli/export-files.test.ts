import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findCommand, parseArguments } from '../../src/cli/arguments.ts'
import { runCa } from '../../src/cli/ca.ts'
import { runExport } from '../../src/cli/export.ts'
import { start } from '../support/instance.ts'
import { temporaryFolder } from '../support/folder.ts'

const quiet = { log: () => {}, warn: () => {}, error: () => {} } as unknown as Parameters<typeof runExport>[1]

/** Exports one mail in this process; the name of the temporary file contains its id. */
async function exporter(): Promise<(to: string) => Promise<unknown>> {
  const post = await start({})
  await post.inbox.import(Buffer.from('From: a@b.test\r\nSubject: one\r\n\r\nsecret\r\n'))
  const { url } = await post.listen()
  return (to) => {
    const { command, rest } = findCommand(['export', '--to', to, '--url', url])
    return runExport(parseArguments(rest, command), quiet)
  }
}

describe.skipIf(process.platform === 'win32')('files of an export', () => {
  beforeAll(() => {
    const before = process.umask(0)
    return () => void process.umask(before)
  })

  it.each(['all.zip', 'folder'])(
    '%s can be read by their owner alone, also in place of others',
    async (name) => {
      const run = await exporter()
      const to = join(temporaryFolder(), name)
      const files = (): string[] => (name === 'folder' ? readdirSync(to).map((one) => join(to, one)) : [to])
      await run(to)
      if (name === 'folder') expect((lstatSync(to).mode & 0o777).toString(8)).toBe('700')
      for (const file of files()) {
        expect((lstatSync(file).mode & 0o777).toString(8)).toBe('600')
        chmodSync(file, 0o666)
      }
      await run(to)
      expect(files()).toHaveLength(1)
      for (const file of files()) expect((lstatSync(file).mode & 0o777).toString(8)).toBe('600')
    },
  )

  it('replace a link, and leave its target unchanged', async () => {
    const run = await exporter()
    const folder = temporaryFolder()
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'mine')
    const to = join(folder, 'all.zip')
    symlinkSync(victim, to)
    symlinkSync(victim, `${to}.${process.pid}.part`)
    await run(to)
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    expect(lstatSync(to).isFile()).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['all.zip', 'victim'])
  })

  it('are never written through a link that appears at the last moment', async () => {
    const run = await exporter()
    const folder = temporaryFolder()
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'mine')
    mkdirSync(join(folder, 'out'))
    const to = join(folder, 'out/all.zip')
    // Creates the link again as soon as it is removed.
    const planter = new Worker(
      `const { symlinkSync } = require('node:fs'), { parentPort, workerData: [victim, aside] } = require('node:worker_threads')
       parentPort.postMessage('ready')
       for (;;) try { symlinkSync(victim, aside) } catch {}`,
      { eval: true, workerData: [victim, `${to}.${process.pid}.part`] },
    )
    onTestFinished(async () => void (await planter.terminate()))
    await new Promise((ready) => planter.once('message', ready))
    let refused = 0
    for (let i = 0; i < 20; i++) await run(to).catch(() => refused++)
    // Otherwise the link never existed at the right moment, and the test proves nothing.
    expect(refused).toBeGreaterThan(0)
    expect(readFileSync(victim, 'utf8')).toBe('mine')
  })
})

it.each([
  ['an archive', runExport, 'export --to all.zip', '/dev/inbox/export'],
  ['a list of mail', runExport, 'export --to all.zip', '/dev/inbox?'],
  ['a certificate', runCa, 'ca', '/dev/ca.pem'],
])('a download of %s that breaks off is told as that', async (_, run, line, broken) => {
  const server = createServer(({ url = '' }, response) => {
    if (!url.startsWith(broken))
      return void response.end(JSON.stringify({ count: 1, cursor: null, emails: [] }))
    response.writeHead(200, { 'content-length': 1000 })
    response.write('PK', () => response.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const folder = temporaryFolder()
  const words = line.replace('all.zip', join(folder, 'all.zip')).split(' ')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { command, rest } = findCommand([...words, '--url', url])
  await expect(run(parseArguments(rest, command), quiet)).rejects.toMatchObject({
    code: 'request_failed',
    message: expect.stringMatching(/^The download broke off \(/) as unknown,
  })
  expect(readdirSync(folder)).toEqual([])
})
