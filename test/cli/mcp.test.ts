import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { runCommand, type Command } from './command.ts'

/** Writes a message, and waits for the answer to it. */
async function ask(
  command: Command,
  message: { id: number; method: string; params: object },
): Promise<string> {
  command.type(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const [line] = await command.until(new RegExp(`^.*"id":${message.id}[,}].*$`, 'm'))
  return line
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

describe('localpost mcp', () => {
  it('passes messages of both kinds on to a running Localpost, and nothing else to its output', async () => {
    const post = await start({ requireKey: true })
    const { url } = await post.listen()
    const id = await submit(post, { subject: 'Hello', text: 'Your code is 482913' })
    const command = runCommand(['mcp'], { env: { LOCALPOST_URL: url, LOCALPOST_API_KEY: post.apiKey } })
    expect(await ask(command, { id: 1, method: 'initialize', params: handshake })).toContain('"localpost"')
    command.type(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const call = { name: 'get_codes_and_links', arguments: { id } }
    expect(await ask(command, { id: 2, method: 'tools/call', params: call })).toContain('482913')
    expect(await ask(command, { id: 3, method: 'server/discover', params: { _meta: meta } })).toContain(
      '2026-07-28',
    )
    expect(await ask(command, { id: 4, method: 'tools/call', params: { ...call, _meta: meta } })).toContain(
      '482913',
    )
    expect(await ask(command, { id: 5, method: 'nothing', params: {} })).toContain('"error"')
    command.type('no JSON\n')
    await command.until(/-32700/)

    const wait = { name: 'wait_for_mail', arguments: { to: 'nobody@example.com', timeout_seconds: 45 } }
    command.type(`${JSON.stringify({ jsonrpc: '2.0', id: 6, method: 'tools/call', params: wait })}\n`)
    command.type(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 6 } })}\n`,
    )
    command.type(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: wait })}\n`)
    await ask(command, { id: 8, method: 'ping', params: {} })
    command.endStdin()
    expect(await command.ended).toEqual({ code: 0, signal: null })
    const lines = command.stdout().trimEnd().split('\n')
    const ids = lines.map((line) => (JSON.parse(line) as { id: number | null }).id)
    expect([ids, command.stderr()]).toEqual([[1, 2, 3, 4, 5, null, 8], ''])
  })

  it('answers with the reason if the key is refused, or nothing answers', async () => {
    const post = await start({ requireKey: true })
    const { url } = await post.listen()
    for (const [env, reason] of [
      [{ LOCALPOST_URL: url, LOCALPOST_API_KEY: 'lp_other' }, 'invalid_api_key'],
      [{ LOCALPOST_URL: 'http://127.0.0.1:1' }, 'Nothing answers at'],
    ] as const) {
      const command = runCommand(['mcp'], { env })
      expect(await ask(command, { id: 1, method: 'initialize', params: handshake })).toContain(reason)
      command.endStdin()
      expect((await command.ended).code).toBe(0)
    }
  })

  it('starts an instance of its own if none runs', async () => {
    const command = runCommand(['mcp'], { env: { LOCALPOST_PORT: '0', LOCALPOST_SMTP_PORT: '0' } })
    const list = { id: 1, method: 'tools/list', params: { _meta: meta } }
    expect(await ask(command, list)).toContain('send_test_mail')
    expect(command.stderr()).toMatch(/started one, in memory\. Page: http:\S+ SMTP: 127\.0\.0\.1:\d+/)
    command.endStdin()
    expect(await command.ended).toEqual({ code: 0, signal: null })
  })
})
