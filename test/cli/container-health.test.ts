import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { certificateFor } from '../support/certificate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort, runCommand } from './command.ts'

const script = fileURLToPath(new URL('../../scripts/container-health.mjs', import.meta.url))

/** Runs the health check of the image for a process. @returns Its exit code and what it prints. */
function check(pid: number, env: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    const all = { PATH: process.env['PATH'], ...env }
    execFile(process.execPath, [script, `/proc/${pid}/cmdline`], { env: all }, (error, text) => {
      resolve({ code: error ? 1 : 0, text })
    })
  })
}

describe.runIf(process.platform === 'linux')('the health check of the image', () => {
  const { key, cert } = certificateFor('container')
  function secureFlags(): string[] {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 })
    writeFileSync(join(folder, 'cert.pem'), cert)
    return ['--tls-cert', join(folder, 'cert.pem'), `--tls-key=${join(folder, 'key.pem')}`]
  }

  it.each<[string, (port: number) => string[], (port: number) => Record<string, string>]>([
    ['--port=<port>', (port) => [`--port=${port}`], () => ({})],
    ['--port <port>', (port) => ['--port', String(port), '--host', '0.0.0.0'], () => ({})],
    ['LOCALPOST_PORT', () => [], (port) => ({ LOCALPOST_PORT: String(port), LOCALPOST_HOST: '0.0.0.0' })],
    ['MP_UI_BIND_ADDR', () => [], (port) => ({ MP_UI_BIND_ADDR: `0.0.0.0:${port}` })],
    ['--tls-cert', (port) => [`--port=${port}`, ...secureFlags()], () => ({})],
    ['--host', (port) => [`--port=${port}`, '--host=127.0.0.2'], () => ({})],
  ])('follows %s, and needs no key', async (_, flags, variables) => {
    const port = await freePort()
    const env = variables(port)
    const command = runCommand(['--memory', '--smtp-port=0', '--require-key', ...flags(port)], { env })
    await command.until(/It works/)
    expect(await check(command.pid, env)).toEqual({ code: 0, text: '{"status":"ready","reasons":[]}' })
    command.signal('SIGTERM')
    await command.ended
  })

  it('fails where nothing answers, and says so', async () => {
    const port = await freePort()
    const { code, text } = await check(process.pid, { LOCALPOST_PORT: String(port) })
    expect(code).toBe(1)
    expect(text).toContain('ECONNREFUSED')
  })
})
