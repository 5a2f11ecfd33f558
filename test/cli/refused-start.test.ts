import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { occupyPort, runToEnd, startCommand } from './command.ts'

describe('localpost refuses', () => {
  it('an unknown flag, with exit code 2 and one line', async () => {
    const { code, stdout, stderr } = await runToEnd(['--prot', '1'])
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: invalid_option: Unknown flag --prot. Did you mean --port? See localpost --help.\n',
    })
  })

  it.each([
    ['HTTP', '--port', '--smtp-port'],
    ['SMTP', '--smtp-port', '--port'],
  ])('a busy %s port, with the port and the flag', async (_, busy, other) => {
    const port = await occupyPort()
    const { code, stdout, stderr } = await runToEnd(['--memory', `${busy}=${port}`, `${other}=0`])
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error: port_in_use: /)
    expect(stderr).toContain(String(port))
    expect(stderr).toContain(`Choose another with ${busy}=<port>; 0 takes a free port.`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('a port that browsers block, instead of choosing another', async () => {
    const { code, stderr } = await runToEnd(['--memory', '--smtp-port=0', '--port=6000'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: listen_failed: .*6000/)
  })

  it('a data folder that is in use, and names the process', async () => {
    const cwd = temporaryFolder()
    const first = await startCommand([], { cwd })
    const { code, stderr } = await runToEnd(['--port=0', '--smtp-port=0'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: store_in_use: /)
    expect(stderr).toContain(String(first.pid))
    expect(stderr).toContain('--dir')
    expect(stderr).toContain(`Its page is ${first.url}.`)
    first.signal('SIGTERM')
    await first.ended
    expect(existsSync(join(cwd, '.localpost/derived/page-url'))).toBe(false)
  })

  it('a port at which another Localpost runs, with the address of its page', async () => {
    const { url, smtpPort } = await startCommand(['--memory'])
    const port = new URL(url).port
    for (const taken of [
      [`--port=${port}`, '--smtp-port=0'],
      [`--port=${port}`, `--smtp-port=${smtpPort}`],
    ]) {
      const { code, stderr } = await runToEnd(['--memory', ...taken])
      expect(code).toBe(1)
      expect(stderr).toMatch(/^error: port_in_use: /)
      expect(stderr).toContain(`Localpost already runs at ${url}. Choose another with --`)
    }
  })

  it('the same port twice', async () => {
    const { code, stderr } = await runToEnd(['--memory', '--port=1025'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: invalid_option: --port and --smtp-port are both 1025. Give each a port of its own; 0 takes a free one. See localpost --help.\n',
    })
  })
})
