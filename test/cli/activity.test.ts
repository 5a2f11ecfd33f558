import { createTransport } from 'nodemailer'
import { describe, expect, it, test } from 'vitest'
import { createActivityLines } from '../../src/cli/activity.ts'
import { visible } from '../../src/cli/visible.ts'
import type { EmailRecord } from '../../src/emails/email.ts'
import type { Activity } from '../../src/instance/activity.ts'
import { RawClient } from '../capture/_server.ts'
import { testClock } from '../support/clock.ts'
import { hasPrograms } from '../support/programs.ts'
import { type Command, freePort, runCommand, startCommand } from './command.ts'

const hasTerminals = hasPrograms('colors in a terminal', ['script'])

/** Sends a mail over SMTP. */
async function send(
  { smtpPort }: { smtpPort: number },
  mail: { from?: string; to?: string; subject?: string } = {},
): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  const defaults = { from: 'Bob <bob@acme.test>', to: 'ada@example.com', subject: 'Hi', text: 'x' }
  return transport.sendMail({ ...defaults, ...mail }).then(
    ({ response }) => /em_\w+/.exec(response)?.[0] ?? '',
    () => '',
  )
}

/** Says lines over SMTP, each after the reply to the one before. */
async function say({ smtpPort }: { smtpPort: number }, ...lines: string[]): Promise<void> {
  const client = new RawClient({ host: '127.0.0.1', port: smtpPort })
  await client.reply()
  for (const line of lines) await client.say(line)
  client.socket.destroy()
}

/** Waits for a line of the output. */
const lineOf = async (command: Command, pattern: RegExp): Promise<string> =>
  (await command.until(new RegExp(`^.*${pattern.source}.*$`, 'm')))[0]

describe('the output of the running command', () => {
  it('has one line for each mail and each refusal, in plain text when piped', async () => {
    const rules = JSON.stringify([
      { match: 'gone@example.com', action: 'reject', code: 550, text: 'No such user' },
    ])
    const command = await startCommand([
      '--memory',
      '--smtp-auth=required',
      '--smtp-tls',
      '--reject-submissions',
    ])
    const put = await fetch(`${command.url}/dev/rules`, {
      method: 'PUT',
      body: rules,
      headers: { 'content-type': 'application/json' },
    })
    expect(put.status).toBe(200)
    const post = async (path: string, key: string, body: object): Promise<{ id?: string }> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${command.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return (await answer.json()) as { id?: string }
    }
    const mail = {
      from: 'hi@acme.test',
      to: ['ada@example.com', 'eve@example.com'],
      subject: 'Over HTTP',
      text: 'x',
    }
    const { id } = await post('/v1/emails', command.apiKey, mail)
    const line = await lineOf(command, /Over HTTP/)
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}hi@acme\.test → ada@example\.com \+1 +Over HTTP {2}http/)
    expect(line).toContain(`  ${command.url}/#/mail/${id}`)
    await post('/v1/emails?key=secret', 'wrong', mail)
    expect(await lineOf(command, /401/)).toMatch(
      /^\d\d:\d\d:\d\d {2}refused {2}POST \/v1\/emails → 401 invalid_api_key$/,
    )
    await post('/v1/emails', command.apiKey, {})
    expect(await lineOf(command, /validation/)).toMatch(
      /refused {2}POST \/v1\/emails → 4\d\d validation_error$/,
    )

    const account = (await post('/dev/accounts', command.apiKey, { name: 'shop' })) as unknown as {
      api_key: string
    }
    const { id: other } = await post('/v1/emails', account.api_key, { ...mail, subject: 'Of the shop' })
    expect(await lineOf(command, /Of the shop/)).toContain(`${command.url}/#/a/shop/mail/${other}`)

    const right = `AUTH PLAIN ${Buffer.from(`\0me\0${command.apiKey}`).toString('base64')}`
    const wrong = `AUTH PLAIN ${Buffer.from('\0me\0hunter2').toString('base64')}`
    await say(command, 'EHLO app.test', wrong)
    expect(await lineOf(command, /535/)).toMatch(
      /refused {2}AUTH PLAIN \*\*\* → 535 5\.7\.8 The credentials are not valid {2}from 127\.0\.0\.1$/,
    )
    await say(command, 'EHLO app.test', right, 'MAIL FROM:<a@acme.test>', 'RCPT TO:<gone@example.com>')
    expect(await lineOf(command, /550/)).toMatch(
      /refused {2}RCPT TO:<gone@example\.com> → 550 5\.1\.1 No such user {2}from 127\.0\.0\.1$/,
    )
    await say(command, 'EHLO app.test', 'MAIL FROM:<a@acme.test>')
    expect(await lineOf(command, /530/)).toMatch(/refused {2}MAIL FROM:<a@acme\.test> → 530 /)
    const untrusting = createTransport({ host: '127.0.0.1', port: command.smtpPort, requireTLS: true })
    await expect(untrusting.sendMail(mail)).rejects.toThrow(/self-signed/)
    expect(await lineOf(command, /certificate/)).toMatch(
      /refused {2}The client did not accept the certificate\. {2}from 127\.0\.0\.1$/,
    )
    // oxlint-disable-next-line no-control-regex -- there must be none
    expect(command.stdout()).not.toMatch(/\x1b/)
    expect(command.stdout()).not.toContain('hunter2')
  })

  it('is empty with --quiet', async () => {
    const smtpPort = await freePort()
    const command = runCommand(['--memory', '--quiet', '--port=0', `--smtp-port=${smtpPort}`])
    await expect.poll(() => send({ smtpPort })).toMatch(/^em_/)
    await say({ smtpPort }, 'EHLO a', 'RCPT TO:<a@b.test>')
    command.signal('SIGTERM')
    await command.ended
    expect(command.stdout()).toBe('')
  })

  it.runIf(hasTerminals).each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('has colors in a terminal, with %j: %s', async (env, hasColors) => {
    const command = runCommand(['--memory', '--port=0', '--smtp-port=0'], {
      terminal: true,
      env: { TERM: 'xterm', ...env },
    })
    const [, port] = await command.until(/SMTP.*?127\.0\.0\.1:(\d+)/)
    await command.until(/It works/)
    await send({ smtpPort: Number(port) })
    const line = await lineOf(command, /bob@acme\.test →/)
    // oxlint-disable-next-line no-control-regex -- the colors
    expect(/\x1b\[/.test(line)).toBe(hasColors)
    command.signal('SIGTERM')
  })
})

describe('the lines of a second', () => {
  const mail = (members: object = {}): Activity => {
    const envelope = { mail_from: 'a@acme.test', rcpt_to: ['b@example.com'] }
    return {
      kind: 'mail',
      account: null,
      email: { id: 'em_1', subject: 'Hi', envelope, ...members } as EmailRecord,
    }
  }
  const refusal = (members: object = {}): Activity => {
    return { kind: 'refusal', command: 'RCPT TO:<a@b>', reply: '550 no', client: '127.0.0.1', ...members }
  }
  function printing(isBegun = true) {
    const lines: string[] = []
    const state = { canLog: true }
    const clock = testClock()
    const log = (text: string): void => void lines.push(text)
    const activity = createActivityLines({ log, canLog: () => state.canLog }, clock)
    if (isBegun) activity.begin('http://localhost:8025')
    /** Ends the second. @returns What was printed since the last call. */
    const second = async (): Promise<string[]> => {
      await clock.advance(1000)
      return lines.splice(0).map((line) => line.replace(/^\d\d:\d\d:\d\d/, '').trim())
    }
    return { ...activity, clock, state, second, lines }
  }
  const shown = 'a@acme.test → b@example.com           Hi  http://localhost:8025/#/mail/em_1'
  const refused = 'refused  RCPT TO:<a@b> → 550 no  from 127.0.0.1'

  it('are at most ten, and then the number of what was left out, in each second anew', async () => {
    const { add, second, clock } = printing()
    for (let i = 0; i < 10; i++) add(i % 2 ? mail() : refusal())
    expect(await second()).toEqual([
      refused,
      shown,
      refused,
      shown,
      refused,
      shown,
      refused,
      shown,
      refused,
      shown,
    ])
    for (let i = 0; i < 1244; i++) add(mail())
    add(refusal())
    expect(await second()).toEqual([...Array<string>(10).fill(shown), '… 1,234 mails and 1 refusal more'])
    add(mail())
    expect(await second()).toEqual([shown])
    expect(clock.timers()).toBe(0)
  })

  it('are counted until the page is there, and while nobody reads the output', async () => {
    const { add, begin, second, state } = printing(false)
    add(mail())
    begin('http://localhost:8025')
    add(refusal())
    expect(await second()).toEqual([refused, '… 1 mail more'])
    state.canLog = false
    for (let i = 0; i < 3; i++) add(refusal())
    expect(await second()).toEqual([])
    state.canLog = true
    add(mail())
    expect(await second()).toEqual([shown, '… 3 refusals more'])
  })

  it('end with the number of what was left out', () => {
    const { add, end, lines, clock } = printing()
    for (let i = 0; i < 12; i++) add(mail())
    end()
    expect(lines.at(-1)?.trim()).toBe('… 2 mails more')
    expect(clock.timers()).toBe(0)
  })

  it('show a null sender, more recipients, no subject, and what has no command or address', async () => {
    const { add, second } = printing()
    add(
      mail({
        subject: ' ',
        envelope: { mail_from: '', rcpt_to: ['b@example.com', 'c@example.com', 'd@example.com'] },
      }),
    )
    add(refusal({ command: '', client: '' }))
    expect(await second()).toEqual([
      '<> → b@example.com +2                 (no subject)  http://localhost:8025/#/mail/em_1',
      'refused  550 no',
    ])
  })

  const hostile = [
    ['control characters', '\x1b[2J\x07\r\n\t\0\x7f\x9b31m', /[\x00-\x1f\x7f-\x9f]/],
    ['line separators', 'a\u2028b\u2029c\u0085d', /[\u2028\u2029\u0085]/],
    [
      'directions',
      '\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c',
      /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/,
    ],
    ['invisible characters', 'pay\u200bpal\ufeff\u2060\u180e', /[\u180e\u200b\u2060\ufeff]/],
    ['a million characters', '\u{1f4a5}x'.repeat(400_000), /\p{Surrogate}/u],
  ] as const
  it.each(hostile)('are one line of bounded length, with %s in each text', async (_, text, forbidden) => {
    const { add, second } = printing()
    add(mail({ subject: text, envelope: { mail_from: text, rcpt_to: [text, text] } }))
    add(refusal({ command: text, reply: text, client: text }))
    const lines = await second()
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).not.toMatch(forbidden)
      expect(line.length).toBeLessThan(290)
    }
  })

  it('cost next to nothing for what is left out', () => {
    const { add } = printing()
    const long = mail({ subject: '\x1b'.repeat(1_000_000) })
    for (let i = 0; i < 10; i++) add(long)
    let reads = 0
    const counting = new Proxy(long, { get: (of, name) => (reads++, Reflect.get(of, name) as unknown) })
    for (let i = 0; i < 1000; i++) add(counting)
    // Only its kind is read.
    expect(reads).toBe(1000)
  })
})

test('a text of others keeps its letters', () => {
  expect(visible('Grüße, 日本語, מייל')).toBe('Grüße, 日本語, מייל')
  expect(visible('a\x1b[31mb')).toBe('a\uFFFD[31mb')
})
