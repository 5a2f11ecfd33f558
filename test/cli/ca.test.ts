import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { runToEnd, startCommand } from './command.ts'

it('prints the file of the data folder, which is the same after a restart', async () => {
  const cwd = temporaryFolder()
  const texts: string[] = []
  for (const _ of [1, 2]) {
    const server = await startCommand(['--smtp-tls'], { cwd })
    const ca = await runToEnd(['ca', `--url=${server.url}`], { cwd: temporaryFolder() })
    expect(ca).toEqual({ code: 0, stdout: `${join(cwd, '.localpost/ca.pem')}\n`, stderr: '' })
    texts.push(readFileSync(ca.stdout.trim(), 'utf8'))
    server.signal('SIGTERM')
    await server.ended
  }
  expect(texts[0]).toMatch(/^-----BEGIN CERTIFICATE-----/)
  expect(texts[1]).toBe(texts[0])
})

it('writes a file where the server has none on this machine, or where --to names one', async () => {
  const post = await start({ smtpTls: true, requireKey: true })
  const { url } = await post.listen()
  const cwd = temporaryFolder()
  for (const [args, name] of [
    [[], 'localpost-ca.pem'],
    [['--to=own.pem'], 'own.pem'],
  ] as const) {
    const ca = await runToEnd(['ca', `--url=${url}`, `--api-key=${post.apiKey}`, ...args], { cwd })
    expect(ca).toEqual({ code: 0, stdout: `${join(cwd, name)}\n`, stderr: '' })
    expect(readFileSync(join(cwd, name), 'utf8')).toBe(post.smtp.tls?.ca)
  }
  mkdirSync(join(cwd, 'folder'))
  const failed = await runToEnd(['ca', `--url=${url}`, `--api-key=${post.apiKey}`, '--to=folder'], { cwd })
  expect(failed.code).toBe(1)
  expect(failed.stderr).toMatch(/folder cannot be written \(EISDIR\)\. Name another file with --to\.\n$/)
})

it('says what to do where the server made no certificate', async () => {
  const post = await start()
  const { url } = await post.listen()
  const ca = await runToEnd(['ca', `--url=${url}`])
  expect(ca).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('Start it with --smtp-tls') })
})
