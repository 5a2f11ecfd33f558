import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { hasPrograms } from '../support/programs.ts'
import { freePort, runCommand, runCurl, startCommand } from './command.ts'

const hasTerminals = hasPrograms('colors in a terminal', ['script'])

describe('localpost', () => {
  it('prints all addresses, in plain text when piped', async () => {
    const cwd = temporaryFolder()
    const command = await startCommand([], { cwd })
    await command.until(/Try it:/)
    const text = command.stdout()
    expect(text).toMatch(/^ {2}Page {2}http:\/\/127\.0\.0\.1:\d+$/m)
    expect(text).toMatch(/^ {2}SMTP {2}127\.0\.0\.1:\d+$/m)
    expect(text).toMatch(/^ {2}Key {3}\S+$/m)
    expect(text).toMatch(/^ {2}Data {2}\.\/\.localpost$/m)
    expect(stripVTControlCharacters(text)).toBe(text)
    expect(command.stderr()).toBe('')
    expect(existsSync(join(cwd, '.localpost'))).toBe(true)
  })

  it('answers at all addresses of its banner, and creates no folder with --memory', async () => {
    const cwd = temporaryFolder()
    const { url, smtpPort, curl, stdout } = await startCommand(['--memory'], { cwd })
    expect((await fetch(`${url}/dev/health`)).status).toBe(200)
    expect(await greetingOf(smtpPort)).toMatch(/^220 /)
    expect(runCurl(curl)).toEqual({ id: expect.any(String) })
    expect(stdout()).toContain('in memory')
    expect(existsSync(join(cwd, '.localpost'))).toBe(false)
  })

  it.skipIf(process.platform === 'win32')(
    'loads the HTTP interface, and the fetch of Node that it needs, at the first request',
    async () => {
      const env = { NODE_OPTIONS: `--import=${new URL('_tell-fetch.mjs', import.meta.url)}` }
      const command = await startCommand(['--memory'], { env })
      await command.until(/Try it:/)
      process.kill(command.pid, 'SIGUSR2')
      await command.until(/^fetch: false$/m)
      const answers = await Promise.all([1, 2].map(() => fetch(`${command.url}/dev/health`)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      process.kill(command.pid, 'SIGUSR2')
      await command.until(/^fetch: true$/m)
    },
  )

  it('answers the first connection that its HTTP port accepts', async () => {
    const port = await freePort()
    runCommand(['--memory', `--port=${port}`, '--smtp-port=0'])
    let answer = ''
    // Most attempts are refused, because nothing listens yet.
    for (let isAccepted = false; !isAccepted;) {
      const socket = connect(port, '127.0.0.1', () => {
        isAccepted = true
        socket.write('GET /dev/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      })
      socket.on('data', (bytes) => (answer += String(bytes)))
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('close', resolve))
    }
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('prints a curl line that works with an odd key and a host name', async () => {
    const { curl } = await startCommand(['--memory', '--api-key', "it's-odd", '--host', 'localhost'])
    expect(runCurl(curl)).toEqual({ id: expect.any(String) })
  })

  it('prints a curl line that works with --strict, where only registered domains may send', async () => {
    const { curl } = await startCommand(['--memory', '--strict'])
    const answer = runCurl(curl)
    expect(answer).toMatchObject({ count: 0 })
  })

  it('prefers the API key of a flag to that of a variable to that of a file', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'localpost.config.json'), '{ "apiKeys": ["from-file"], "memory": true }')
    const env = { LOCALPOST_API_KEY: 'from-variable' }
    expect((await startCommand([], { cwd, env })).apiKey).toBe('from-variable')
    expect((await startCommand(['--api-key=from-flag'], { cwd, env })).apiKey).toBe('from-flag')
  })

  it('prints only warnings with --quiet', async () => {
    const port = await freePort()
    const command = runCommand(['--memory', '--quiet', '--smtp-port=0', `--port=${port}`, '--host=0.0.0.0'])
    await expect
      .poll(() => command.stderr(), { timeout: 10_000 })
      .toMatch(/^warning: --host 0\.0\.0\.0: other machines/)
    command.signal('SIGTERM')
    expect(await command.ended).toEqual({ code: 0, signal: null })
    expect(command.stdout()).toBe('')
  })

  it('warns when a relay gets all mail, without showing the password', async () => {
    const command = await startCommand(['--memory', '--relay-all', '--relay=smtp://me:secret@mail.test:587'])
    await expect.poll(() => command.stderr()).toContain('leaves this machine, through mail.test:587.')
    expect(command.stdout() + command.stderr()).not.toContain('secret')
  })

  it.runIf(hasTerminals)('colours its banner in a terminal, unless NO_COLOR is set', async () => {
    const coloured = runCommand(['--memory', '--port=0', '--smtp-port=0'], { terminal: true })
    const plain = runCommand(['--memory', '--port=0', '--smtp-port=0'], {
      terminal: true,
      env: { NO_COLOR: '1' },
    })
    await coloured.until(/^curl /m)
    await plain.until(/^curl /m)
    expect(coloured.stdout()).toContain('\u001B[1mLocalpost')
    expect(plain.stdout()).not.toContain('\u001B[')
  })
})

function greetingOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (chunk: Buffer) => {
      socket.destroy()
      resolve(chunk.toString())
    })
  })
}
