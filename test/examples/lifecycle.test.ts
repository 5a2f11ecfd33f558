import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const folder = new URL('../../examples/lifecycle/', import.meta.url)

interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the example as a user does. Ends when the process and its output have ended. */
async function runStory(before = ''): Promise<Run> {
  // Runs only if a process ends because nothing is left to do: not after an exit, and not after an error.
  const preload = `process.on('beforeExit', () => console.error('nothing is left'));${before}`
  const script = fileURLToPath(new URL('story.mjs', folder))
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...printed }
}

/** The rows below a heading, each as its cells. */
function rowsOf(stdout: string, heading: string): string[][] {
  const section = stdout.split('\n\n').find((text) => text.trimStart().startsWith(heading))
  const [, ...rows] = section?.trim().split('\n') ?? []
  return rows.map((row) => row.trim().split(/ {2,}/))
}

/** The parts that are the same in every run. */
const settled = (text: string): string =>
  text.replace(/em_\w+/g, 'em_…').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1')

describe('the story of examples/lifecycle', () => {
  it('goes through four states and five outcomes, reports them three times, and leaves nothing running', async () => {
    const { code, stdout, stderr } = await runStory()
    expect(stderr).toBe('nothing is left\n')
    expect(code).toBe(0)

    expect(rowsOf(stdout, 'The domain acme.test, looked up at 127.0.0.1:')).toEqual([
      ['NOT_STARTED', 'the owner registered it'],
      ['PENDING', 'nothing is published yet: HOST_NOT_FOUND'],
      ['SUCCESS', 'the owner published the zone'],
      ['TEMPORARY_FAILURE', 'the owner lost the DKIM record: HOST_NOT_FOUND'],
    ])
    const clicked = 'https://acme.test/welcome?team=7&lang=en followed by "mail program of carl@example.com"'
    expect(rowsOf(stdout, 'The email em_')).toEqual([
      ['ada@example.com', 'sent, delivered', 'SMTP 250 2.6.0 OK: delivered'],
      ['nobody@example.com', 'sent, bounced Permanent/General', 'SMTP 550 5.1.1 No such user here'],
      [
        'mailboxfull@simulator.localpost',
        'sent, bounced Transient/MailboxFull',
        'SMTP 452 4.2.2 Mailbox full',
      ],
      ['olga@example.com', 'sent, delivered, opened', 'image loaded by "mail program of olga@example.com"'],
      ['carl@example.com', 'sent, delivered, opened, clicked', clicked],
    ])

    expect(stdout).toMatch(/^The webhooks: 20 came to http:\S+, all verified$/m)
    expect(rowsOf(stdout, 'The webhooks: 20')).toEqual([
      ['domain.created', '1'],
      ['domain.updated', '5'],
      ['domain.verified', '1'],
      ['email.bounced', '2'],
      ['email.clicked', '1'],
      ['email.delivered', '3'],
      ['email.opened', '2'],
      ['email.sent', '5'],
    ])
    expect(rowsOf(settled(stdout), 'The requests to /v1')).toEqual([
      ['403', 'POST', '/v1/emails'],
      ['200', 'POST', '/v1/emails', 'to is an array; the interface shows one address'],
      ['403', 'POST', '/v1/emails'],
      ['200', 'GET', '/v1/emails/em_…'],
      ['200', 'GET', '/v1/emails'],
    ])
    expect(stdout).toMatch(/\nAll of it was as expected, and everything is closed\.\n$/)

    const readme = readFileSync(new URL('README.md', folder), 'utf8')
    const shown = /```text\n(.*?)```/s.exec(readme)?.[1] ?? ''
    expect(settled(stdout).trim(), 'README.md shows what it prints').toBe(settled(shown).trim())
  })

  it('exits with 1 where a result is unexpected, and prints no report', async () => {
    const forged = `
      import { createRequire } from 'node:module'
      const { Webhook } = createRequire(${JSON.stringify(folder.href)})('standardwebhooks')
      Webhook.prototype.verify = () => { throw new Error('No matching signature found') }`
    const { code, stdout, stderr } = await runStory(forged)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('AssertionError')
    expect(stderr).toContain('No matching signature found')
  })
})
