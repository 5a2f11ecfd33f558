import { describe, expect, it } from 'vitest'
import { createActivityLines } from '../../src/cli/activity.ts'
import { loggedEventNames, jsonLine, type LogEvent } from '../../src/cli/json-line.ts'
import type { EmailRecord } from '../../src/emails/email.ts'
import { testClock } from '../support/clock.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6)

describe('a line of the log in JSON', () => {
  it('has the time, the level, what happened, and what is known about it', () => {
    const event = { what: 'mail.captured', account: 'default', id: 'em_1', duration_ms: 1.23456 } as const
    expect(jsonLine(at, 'info', '', event)).toBe(
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","what":"mail.captured","account":"default","id":"em_1","duration_ms":1.235}',
    )
    expect(JSON.parse(jsonLine(at, 'warning', 'Beware.'))).toMatchObject({
      what: 'notice',
      message: 'Beware.',
    })
    expect(JSON.parse(jsonLine(at, 'error', 'Broken.'))).toMatchObject({ what: 'error', message: 'Broken.' })
  })

  it.each([
    'two\nlines\r\n',
    '"}\n{"level":"error"',
    '\u001b]0;title\u0007\u001b[2J',
    'bidi \u202e end\u2028\u2029\u0085\u009b',
    '\ud800 alone',
    '\u0000\u007f\ufeff',
    '</script>\\',
  ])('stays one line of plain text, and loses nothing: %j', (hostile) => {
    const line = jsonLine(at, 'error', hostile, { what: 'refused', command: hostile, [hostile]: hostile })
    // oxlint-disable-next-line no-control-regex -- none of these may be in it
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\ufeff\ud800]/)
    expect(JSON.parse(line)).toMatchObject({ message: hostile, command: hostile, [hostile]: hostile })
  })

  it('has an event name of the list', () => {
    expect(new Set(loggedEventNames).size).toBe(loggedEventNames.length)
    for (const name of loggedEventNames) expect(name).toMatch(/^[a-z]+(?:[._][a-z]+)*$/)
  })
})

describe('the activity in JSON', () => {
  const email = {
    id: 'em_1',
    subject: `Hi ${'x'.repeat(1000)}`,
    envelope: { mail_from: 'a@acme.test', rcpt_to: Array.from({ length: 30 }, (_, n) => `${n}@example.com`) },
    message: { size_bytes: 123 },
  } as EmailRecord

  it('has one event for each mail and each refusal, up to 1,000 a second', () => {
    const clock = testClock()
    const events: (LogEvent | undefined)[] = []
    const output = {
      isJson: true,
      canLog: () => true,
      log: (_: string, event?: LogEvent) => void events.push(event),
    }
    const activity = createActivityLines(output, clock)
    activity.begin('http://127.0.0.1:8025')
    activity.add({ kind: 'mail', email, account: 'team', durationMs: 4 })
    activity.add({
      kind: 'refusal',
      command: 'RCPT TO:<x>',
      reply: '550 no',
      client: '127.0.0.1',
      account: 'team',
    })
    expect(events).toEqual([
      {
        what: 'mail.captured',
        account: 'team',
        id: 'em_1',
        mail_from: 'a@acme.test',
        rcpt_to: email.envelope.rcpt_to.slice(0, 10),
        recipients: 30,
        subject: expect.toSatisfy((text: string) => text.length <= 201),
        size_bytes: 123,
        url: 'http://127.0.0.1:8025/#/a/team/mail/em_1',
        duration_ms: 4,
      },
      {
        what: 'refused',
        account: 'team',
        command: 'RCPT TO:<x>',
        reply: '550 no',
        client: '127.0.0.1',
        duration_ms: undefined,
      },
    ])
    for (let n = 0; n < 1500; n++) activity.add({ kind: 'mail', email, account: null })
    expect(events).toHaveLength(1000)
    activity.end()
    expect(events.at(-1)).toEqual({ what: 'left_out', mails: 502, refusals: 0 })
  })
})
