import { describe, expect, it } from 'vitest'
import type { CaptureOptions } from '../../src/capture/options.ts'
import { createSessionLog, type SessionLog } from '../../src/capture/session-log.ts'
import { createIds } from '../../src/core/ids.ts'
import { fixedClock } from '../../src/core/manual-clock.ts'
import type { SmtpSessionSummary } from '../../src/inbox/smtp-session-types.ts'
import { failing } from './_problem-kinds.ts'
import { outboxClient, rawClient, type RawClient, testServer, type TestServer } from './_server.ts'
import { SessionNotes } from '../../src/capture/session-notes.ts'

async function logging(
  options: Partial<CaptureOptions> = {},
  clock = fixedClock(1_700_000_000_000),
): Promise<TestServer & { log: SessionLog }> {
  const log = createSessionLog({ clock, ids: createIds(clock) })
  return Object.assign(await testServer({ ...options, sessions: log }), { log })
}

const mail = ['MAIL FROM:<a@acme.com>', 'RCPT TO:<b@example.com>', 'DATA', 'Subject: Hi\r\n\r\nHi\r\n.']
async function sayAll(client: RawClient, lines: readonly string[]): Promise<string> {
  let reply = ''
  for (const line of lines) reply = await client.say(line)
  return reply
}

describe('the log of SMTP sessions', () => {
  it.each(Object.entries(failing))('keeps a session with the problem %s', async (kind, row) => {
    await using server = await logging(row.options)
    const listed = async (): Promise<SmtpSessionSummary[]> =>
      (await server.log.list({ failed: true })).items.filter(({ ended }) => ended !== null)
    await row.fails(server)
    await expect
      .poll(async () => (await listed()).flatMap(({ problems }) => problems.map((one) => one.kind)))
      .toContain(kind)
    const session = (await listed()).find(({ problems }) => problems.some((one) => one.kind === kind))
    const problem = session?.problems.find((one) => one.kind === kind)
    expect(problem?.message).toMatch(/^[A-Z].*\.$/)
    expect(problem?.advice).toMatch(/^[A-Z].*\.$/)
    if (row.command !== undefined) expect(problem?.command).toBe(row.command)
    if (row.reply) expect(problem?.reply).toMatch(row.reply)
    const { transcript } = await server.log.get(session?.id ?? '')
    // What the server answered stands in the transcript too.
    if (problem?.reply) expect(transcript.map(({ text }) => text)).toContain(problem.reply)
    expect(JSON.stringify(await server.log.get(session?.id ?? ''))).not.toContain('wrong-password')
    await server.close()
  })

  it('keeps captured messages, and what followed them, without a problem', async () => {
    await using server = await logging()
    const client = await rawClient(server)
    await sayAll(client, [...mail, 'NOOP', ...mail, 'QUIT'])
    await client.closed()
    await expect.poll(async () => (await server.log.list()).items[0]?.ended).not.toBeNull()
    const [session] = (await server.log.list()).items
    expect(session).toMatchObject({
      message_count: 2,
      problems: [],
      client_name: 'client.test',
      secure: false,
      mail_from: expect.stringContaining('@'),
      rcpt_to: [expect.stringContaining('@')],
      email_ids: ['em_1', 'em_2'],
    })
    const { transcript, email_ids } = await server.log.get(session?.id ?? '')
    expect(email_ids).toEqual(['em_1', 'em_2'])
    const said = transcript
      .map(({ from, text }) => `${from[0]} ${text}`)
      .filter((line) => line.startsWith('c '))
    expect(said).toEqual([
      'c EHLO client.test',
      ...[...mail.slice(0, 3), '<message>', 'NOOP', ...mail.slice(0, 3), '<message>', 'QUIT'].map(
        (line) => `c ${line}`,
      ),
    ])
    expect(await server.log.list({ failed: true })).toEqual({ items: [], count: 0, cursor: null })
  })

  it('lists a session that is still open, with what was refused so far', async () => {
    await using server = await logging()
    const client = await rawClient(server)
    await client.say('RCPT TO:<b@example.com>')
    expect((await server.log.list()).items).toMatchObject([
      { ended: null, problems: [{ kind: 'recipient_refused' }] },
    ])
    client.socket.destroy()
  })

  it('does not list the deliveries of the outbox', async () => {
    await using server = await logging()
    const client = await outboxClient(server.deliveries)
    await client.say('QUIT')
    await client.closed()
    expect((await server.log.list()).count).toBe(0)
  })

  it('keeps the refused transactions of a long session rather than the accepted ones', async () => {
    await using server = await logging()
    const client = await rawClient(server)
    await sayAll(client, ['MAIL FROM:<a@acme.com>', 'RCPT TO:<@>', 'RSET'])
    for (let i = 0; i < 15; i++) await sayAll(client, mail)
    await client.say('QUIT')
    await expect.poll(async () => (await server.log.list()).items[0]?.ended).not.toBeNull()
    const [session] = (await server.log.list()).items
    expect(session).toMatchObject({
      message_count: 15,
      problems: [{ kind: 'recipient_refused', command: 'RCPT TO:<@>' }],
    })
    const { transcript } = await server.log.get(session?.id ?? '')
    const texts = transcript.map(({ text }) => text)
    expect(texts).toContain('<6 transactions are left out>')
    expect(texts).toContain('RCPT TO:<@>')
    expect(texts.filter((text) => text.startsWith('MAIL'))).toHaveLength(10)
  })

  it('is paged, has an error for a wrong cursor, and is cleared', async () => {
    await using server = await logging()
    for (let i = 0; i < 3; i++) await (await rawClient(server)).say('QUIT')
    await expect
      .poll(async () => (await server.log.list()).items.filter(({ ended }) => ended !== null))
      .toHaveLength(3)
    const first = await server.log.list({ limit: 2 })
    expect(first).toMatchObject({ count: 3, cursor: first.items[1]?.id })
    const second = await server.log.list({ limit: 2, cursor: first.cursor })
    expect(second.items).toHaveLength(1)
    expect(second.cursor).toBeNull()
    await expect(server.log.list({ cursor: 'req_1' })).rejects.toThrow(/not a cursor of this list/)
    await expect(server.log.get('ses_1')).rejects.toThrow(/There is no SMTP session "ses_1"/)
    await server.log.clear()
    expect((await server.log.list()).count).toBe(0)
  })
})

describe('the bounds of the log', () => {
  it('cuts a long line between two characters', () => {
    const notes = new SessionNotes()
    notes.noteCommand(`RCPT TO:<${'a'.repeat(190)}😀@a.test>`, false)
    expect(notes.command).toBe(`RCPT TO:<${'a'.repeat(190)}…`)
  })

  /** Sessions as connections report them, without sockets. */
  function flood(log: SessionLog, count: number, lines: readonly string[], accepted: number): void {
    for (let i = 0; i < count; i++) {
      const notes = new SessionNotes()
      for (const line of lines) {
        if (/^\d/.test(line)) {
          notes.noteReply([line])
          if (line >= '400') notes.noteRefusal(Number(line.slice(0, 3)), line)
        } else notes.noteCommand(line, false)
      }
      const session = {
        notes,
        state: () => ({
          remote_address: '127.0.0.1:1',
          client_name: '<b>x</b>',
          user: null,
          secure: false,
          message_count: accepted,
          fault: null,
        }),
      }
      log.begin(session)
      log.end(session)
    }
  }

  it('hold for 10,000 sessions of each kind, and no kind pushes out another', async () => {
    const clock = fixedClock(1_700_000_000_000)
    const log = createSessionLog({ clock, ids: createIds(clock) })
    flood(log, 1, ['EHLO first', 'AUTH PLAIN x', '535 5.7.8 no'], 0)
    flood(log, 10_000, [], 0)
    flood(log, 10_000, ['EHLO a', 'MAIL FROM:<a@b>', '250 ok', 'QUIT'], 1)
    expect((await log.list({ failed: true, limit: 500 })).items.at(-1)?.problems[0]?.kind).toBe('auth_failed')
    expect((await log.list()).count).toBe(500 + 1 + 50)
    flood(log, 10_000, ['EHLO a', 'MAIL FROM:<a@b>', '550 no'], 0)
    expect((await log.list()).count).toBe(500 + 500 + 50)
  })

  it('hold for the bytes of long sessions', async () => {
    const clock = fixedClock(1_700_000_000_000)
    const log = createSessionLog({ clock, ids: createIds(clock) })
    const long = Array.from({ length: 50 }, () => 'RCPT TO:<' + 'x'.repeat(900))
    flood(log, 1000, ['MAIL FROM:<a@b>', ...long, '550 no'], 0)
    const { items } = await log.list({ limit: 500 })
    let chars = 0
    for (const { id } of items) chars += JSON.stringify(await log.get(id)).length
    expect(items.length).toBeGreaterThan(50)
    expect(chars).toBeLessThan(4_000_000)
  })

  it('forget sessions after a day', async () => {
    let now = 1_700_000_000_000
    const clock = { ...fixedClock(now), now: () => now }
    const log = createSessionLog({ clock, ids: createIds(clock) })
    flood(log, 3, ['QUIT'], 0)
    now += 24 * 60 * 60 * 1000 + 1
    expect((await log.list()).count).toBe(0)
  })
})
