import { expect, it } from 'vitest'
import { occupyPort, runCommand, runToEnd } from './command.ts'
import { RawClient } from '../capture/_server.ts'
import { blocksFor } from '../docs/blocks.ts'

interface Line {
  time: string
  level: string
  what: string
  [member: string]: unknown
}

/** Each line of an output; fails if one is no JSON object. */
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

it('prints one JSON object for each thing that happens, and nothing else', async () => {
  const flags = ['--memory', '--port=0', '--smtp-port=0', '--reject-submissions', '--log-format', 'json']
  const command = runCommand([...flags, '--api-key=lp_secret_key'], { env: { LOCALPOST_SMPT_PORT: '1' } })
  await command.until(/"what":"started".*\n/)
  const { url, smtp } = linesOf(command.stdout()).find(({ what }) => what === 'started') as unknown as {
    url: string
    smtp: string
  }
  const [host = '', port = ''] = smtp.split(':')
  const json = { authorization: 'Bearer lp_secret_key', 'content-type': 'application/json' }
  const post = (path: string, body: object, headers: object = json): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: { ...headers }, body: JSON.stringify(body) })
  const account = (await (await post('/dev/accounts', { name: 'team' })).json()) as { api_key: string }
  const own = { ...json, authorization: `Bearer ${account.api_key}` }
  await post(
    '/v1/emails',
    { from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi \u202e', text: 'x' },
    own,
  )
  await post('/v1/emails', { from: 'a@acme.test' }, own)
  await post('/v1/emails', { from: 'a@acme.test' })
  // Its answer names no error.
  await post('/mailgun/v3/acme.test/messages', {}, { 'content-type': 'application/json' })
  const client = new RawClient({ host, port: Number(port) })
  await client.reply()
  for (const line of [
    'EHLO a',
    'EVIL "}\u001b[2J',
    `AUTH PLAIN ${Buffer.from('\0any\0lp_secret_key').toString('base64')}`,
    'SIGNED IN',
    'MAIL FROM:<a@acme.test>',
    'RCPT TO:<b@example.com>',
    'DATA',
  ])
    await client.say(line)
  await client.say('Subject: \u001b[31mred\r\n\r\nx\r\n.')
  client.socket.destroy()
  await command.until(/"mail_from":"a@acme.test","rcpt_to":\["b@example.com"\].*\n/)
  command.signal('SIGTERM')
  expect((await command.ended).code).toBe(0)
  expect(command.stderr()).toBe('')
  const lines = linesOf(command.stdout())
  for (const line of lines) {
    expect(Object.keys(line).slice(0, 3)).toEqual(['time', 'level', 'what'])
    expect(new Date(line.time).toISOString()).toBe(line.time)
  }
  const took = expect.toSatisfy((ms: number) => ms > 0) as number
  for (const line of [
    { level: 'info', what: 'started', store: 'memory', duration_ms: took },
    { level: 'warning', what: 'notice', message: expect.stringContaining('LOCALPOST_SMPT_PORT') as string },
    {
      level: 'info',
      what: 'mail.captured',
      account: 'team',
      subject: 'Hi \u202e',
      id: expect.stringMatching(/^em_/) as string,
    },
    {
      level: 'info',
      what: 'mail.captured',
      account: 'default',
      rcpt_to: ['b@example.com'],
      duration_ms: took,
    },
    {
      what: 'refused',
      account: 'team',
      command: 'POST /v1/emails',
      reply: '422 validation_error',
      duration_ms: took,
    },
    { what: 'refused', command: 'POST /mailgun/v3/acme.test/messages', reply: '401' },
    {
      what: 'refused',
      command: expect.stringContaining('EVIL') as string,
      reply: expect.stringMatching(/^5/) as string,
    },
    { what: 'refused', account: 'default', command: 'POST /v1/emails', reply: '422 validation_error' },
    { what: 'refused', account: 'default', command: expect.stringContaining('SIGNED') as string },
    { what: 'stopping', signal: 'SIGTERM' },
    { what: 'stopped', message: 'Stopped. The mail was in memory only.', duration_ms: took },
  ])
    expect(lines).toContainEqual(expect.objectContaining(line))
  const unsigned = lines.find(({ command: said }) => String(said).includes('EVIL'))
  expect(unsigned).not.toHaveProperty('account')
  expect(command.stdout()).not.toContain('lp_secret_key')
  const shown = blocksFor('logged').flatMap(({ code }) => linesOf(code))
  expect(shown.map(({ what }) => what)).toEqual(['mail.captured'])
  const real = lines.find(({ what, duration_ms }) => what === 'mail.captured' && duration_ms !== undefined)
  expect(Object.keys(shown[0] ?? {})).toEqual(Object.keys(real ?? {}))
  // oxlint-disable-next-line no-control-regex -- none of these may be in it
  expect(command.stdout()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

it('prints errors of the start as JSON too', async () => {
  const port = await occupyPort()
  const [taken, wrong, unknown] = await Promise.all([
    runToEnd(['--memory', `--port=${port}`, '--smtp-port=0'], { env: { LOCALPOST_LOG_FORMAT: 'json' } }),
    runToEnd(['--memory', '--log-format=json', '--port=x']),
    runToEnd(['--log-format=yaml']),
  ])
  expect([taken.code, taken.stderr]).toEqual([1, ''])
  expect(linesOf(taken.stdout)).toMatchObject([
    { level: 'error', what: 'error', message: expect.stringMatching(/^port_in_use: /) as string },
  ])
  expect([wrong.code, wrong.stderr]).toEqual([2, ''])
  expect(linesOf(wrong.stdout)).toMatchObject([
    { message: expect.stringMatching(/^invalid_option: --port/) as string },
  ])
  expect([unknown.code, unknown.stdout]).toEqual([2, ''])
  expect(unknown.stderr).toContain('--log-format')
})

it('--quiet leaves the warnings and errors', async () => {
  const command = runCommand([
    '--memory',
    '--port=0',
    '--smtp-port=0',
    '--log-format=json',
    '--quiet',
    '--accept-any-key',
    '--host=0.0.0.0',
  ])
  await command.until(/--accept-any-key.*\n/)
  command.signal('SIGTERM')
  await command.ended
  expect(linesOf(command.stdout()).map(({ level }) => level)).not.toContain('info')
})
