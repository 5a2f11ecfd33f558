import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { runToEnd, startCommand } from './command.ts'

async function usedFolder(): Promise<string> {
  const cwd = temporaryFolder()
  const command = await startCommand([], { cwd })
  const response = await fetch(`${command.url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${command.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'x' }),
  })
  expect(response.status).toBe(200)
  const running = await runToEnd(['doctor'], { cwd })
  expect(running.stdout).toContain(`Process ${command.pid} `)
  expect(running).toMatchObject({ code: 0, stderr: '' })
  command.signal('SIGTERM')
  expect(await command.ended).toMatchObject({ code: 0 })
  return cwd
}

describe('localpost doctor', () => {
  it('reports a healthy folder, with and without a running instance, and the damage of a damaged one', async () => {
    const cwd = await usedFolder()
    const healthy = await runToEnd(['doctor', '--dir', './.localpost'], { cwd })
    expect(healthy).toMatchObject({ code: 0, stderr: '' })
    expect(healthy.stdout).toMatch(/No process uses the folder\.\n[\s\S]* is healthy\.\n$/)
    writeFileSync(join(cwd, '.localpost', 'emails', '000001.json'), '{')
    const damaged = await runToEnd(['doctor'], { cwd, env: { LOCALPOST_DIR: '.localpost' } })
    expect(damaged.code).toBe(1)
    expect(damaged.stdout).toMatch(/^problem {2}.*000001\.json.*$/m)
    const asJson = await runToEnd(['doctor', '--json'], { cwd })
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      folder: join(cwd, '.localpost'),
      healthy: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ level: 'problem', subject: 'snapshot' }),
      ]) as unknown,
    })
  })

  it('creates nothing where there is no folder', async () => {
    const cwd = temporaryFolder()
    const missing = await runToEnd(['doctor', '--dir', 'data'], { cwd })
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain('There is no folder')
    expect(readdirSync(cwd)).toEqual([])
    rmSync(cwd, { recursive: true })
  })

  it.each([
    [['--port=1'], 'doctor does not take --port. It takes --dir, --store, --json, '],
    [['--dri=x'], 'Did you mean --dir?'],
    [['data'], 'Unexpected argument "data": doctor takes flags only.'],
    [['--memory'], 'doctor does not take --memory.'],
    [['--to=x'], 'doctor takes --salvage and --to <new folder> together.'],
    [['--salvage'], 'doctor takes --salvage and --to <new folder> together.'],
    [
      ['--accept-edits', '--store=postgres://a@127.0.0.1/b'],
      '--accept-edits and --salvage are for data folders',
    ],
    [['--salvage', '--to=x', '--accept-edits'], 'doctor takes either --salvage or --accept-edits.'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runToEnd(['doctor', ...args])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
  })

  it('prints its usage', async () => {
    const { code, stdout } = await runToEnd(['doctor', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('localpost doctor [--dir <folder>]')
  })
})
