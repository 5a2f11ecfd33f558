import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { describe, expect, it } from 'vitest'
import type { Started } from './command.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runCommand, runCurl, startCommand } from './command.ts'

describe('a running localpost', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('closes cleanly at the first %s, and says so', async (name) => {
    const command = await startCommand()
    command.signal(name)
    expect(await command.ended).toEqual({ code: 0, signal: null })
    expect(command.stdout()).toContain(`Stopping (${name}).`)
    expect(command.stdout()).toMatch(/Stopped\..*\n$/)
    expect(command.stderr()).toBe('')
  })

  it('keeps acknowledged mail, and its key, for the next start', async () => {
    const cwd = temporaryFolder()
    const first = await startCommand([], { cwd })
    const sent = runCurl(first.curl)
    const transport = createTransport({ host: '127.0.0.1', port: first.smtpPort, ignoreTLS: true })
    await transport.sendMail({
      from: 'app@acme.test',
      to: 'bob@example.com',
      subject: 'Over SMTP',
      text: 'Hi',
    })
    first.signal('SIGTERM')
    expect(await first.ended).toEqual({ code: 0, signal: null })

    const second = await startCommand([], { cwd })
    expect(second.apiKey).toBe(first.apiKey)
    const list = await getJson(second, '/v1/emails')
    expect(list).toMatchObject({ count: 2 })
    expect(JSON.stringify(list)).toContain(JSON.stringify(sent).slice(1, -1))
    expect(JSON.stringify(list)).toContain('Over SMTP')
  })

  it('closes even if clients keep their connections open', async () => {
    const command = await startCommand(['--memory'])
    const events = await fetch(`${command.url}/dev/events`)
    const smtp = connect(command.smtpPort, '127.0.0.1').on('error', () => {})
    await new Promise((resolve) => smtp.once('data', resolve))
    const since = Date.now()
    command.signal('SIGTERM')
    expect((await command.ended).code).toBe(0)
    expect(Date.now() - since).toBeLessThan(10_000)
    smtp.destroy()
    await events.body?.cancel().catch(() => {})
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends at once at a second signal, here %s', async (name, code) => {
    const command = await startCommand(['--memory'])
    // A message in the middle of its data keeps the close waiting.
    const smtp = connect(command.smtpPort, '127.0.0.1').on('error', () => {})
    await converse(smtp, ['EHLO test', 'MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.com>', 'DATA'])
    command.signal('SIGTERM')
    await command.until(/Stopping/)
    command.signal(name)
    expect(await command.ended).toEqual({ code, signal: null })
    smtp.destroy()
  })

  it('ends at a second signal after the time of the machine was set back', async () => {
    // Each look at the clock is a second earlier than the one before.
    const clock = 'let now = Date.now(); Date.now = () => (now -= 1000)'
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(clock)}`
    const command = await startCommand(['--memory'], { env: { NODE_OPTIONS } })
    const smtp = connect(command.smtpPort, '127.0.0.1').on('error', () => {})
    await converse(smtp, ['EHLO test', 'MAIL FROM:<a@acme.test>', 'RCPT TO:<b@example.com>', 'DATA'])
    command.signal('SIGTERM')
    await command.until(/Stopping/)
    command.signal('SIGINT')
    expect(await command.ended).toEqual({ code: 130, signal: null })
    smtp.destroy()
  })

  it('continues when its output is no longer read', async () => {
    const command = await startCommand(['--memory'])
    command.closeStdout()
    command.signal('SIGTERM')
    expect(await command.ended).toEqual({ code: 0, signal: null })
  })

  it('stops when it gets the signal during its start', async () => {
    const command = runCommand(['--port=0', '--smtp-port=0', '--memory'])
    await new Promise((resolve) => setTimeout(resolve, 150))
    command.signal('SIGTERM')
    const { code, signal } = await command.ended
    expect([0, 'SIGTERM']).toContain(signal ?? code)
  })
})

async function getJson({ url, apiKey }: Started, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
  return response.json()
}

async function converse(socket: ReturnType<typeof connect>, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    await new Promise((resolve) => socket.once('data', resolve))
    socket.write(`${line}\r\n`)
  }
  await new Promise((resolve) => socket.once('data', resolve))
}
