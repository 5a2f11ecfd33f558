import { connect } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTranscripts } from '../../src/capture/transcripts.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

let post: Localpost
beforeEach(async () => {
  post = await start({ hostname: 'mx.localpost.test' })
})

/** Sends lines one after the other, each after the reply to the one before. */
async function talk(lines: readonly string[]): Promise<string[]> {
  const socket = connect(post.smtp.port, post.smtp.host)
  const replies: string[] = []
  let buffered = ''
  let next = 0
  for await (const chunk of socket) {
    buffered += String(chunk)
    for (let end = buffered.indexOf('\r\n'); end !== -1; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      replies.push(line)
      if (line[3] === '-') continue
      const words = lines[next++]
      if (words === undefined) socket.end()
      else socket.write(`${words}\r\n`)
    }
  }
  return replies
}
const idOf = (replies: readonly string[], which = 0): string =>
  replies.flatMap((reply) => /captured as (em_\w+)/.exec(reply)?.[1] ?? [])[which] ?? ''
const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64')

describe('the transcript of a submission', () => {
  it('has the opening of the session, this transaction, and no credentials', async () => {
    const replies = await talk([
      'EHLO app.test',
      `AUTH PLAIN ${plain('ada', 'secret')}`,
      'MAIL FROM:<bob@acme.test>',
      'RCPT TO:<first@example.com>',
      'DATA',
      'Subject: one\r\n\r\nx\r\n.',
      'NOOP',
      'MAIL FROM:<bob@acme.test>',
      'RCPT TO:<second@example.com>',
      'DATA',
      'Subject: two\r\n\r\nsecond\r\n.',
      'QUIT',
    ])
    const { transcript } = await post.inbox.get(idOf(replies, 1))
    const lines = (transcript ?? []).map(({ from, text }) => `${from[0]} ${text}`)
    expect(lines.filter((line) => !line.startsWith('s 250-'))).toEqual([
      's 220 mx.localpost.test ESMTP Localpost',
      'c EHLO app.test',
      expect.stringMatching(/^s 250 \S/),
      'c AUTH PLAIN ***',
      expect.stringMatching(/^s 235 /),
      'c MAIL FROM:<bob@acme.test>',
      expect.stringMatching(/^s 250 2\.1\.0 /),
      'c RCPT TO:<second@example.com>',
      expect.stringMatching(/^s 250 2\.1\.5 /),
      'c DATA',
      expect.stringMatching(/^s 354 /),
      'c <24 bytes>',
      `s 250 2.6.0 OK: captured as ${idOf(replies, 1)}`,
    ])
    // Line for line what the client received.
    const heard = lines.filter((line) => line.startsWith('s ')).map((line) => line.slice(2))
    expect(replies.filter((reply) => heard.includes(reply)).length).toBeGreaterThanOrEqual(heard.length)
    const first = await post.inbox.get(idOf(replies, 0))
    expect(first.transcript?.at(-1)?.text).toBe(`250 2.6.0 OK: captured as ${idOf(replies, 0)}`)
    expect(JSON.stringify(first.transcript)).not.toMatch(/NOOP|QUIT|second|secret|AGFkYQ/)
  })

  it('leaves out credentials after other white space too, where AUTH is not offered', async () => {
    const replies = await talk([
      'EHLO app.test',
      `AUTH\tPLAIN\t${plain('ada', 'secret')}`,
      'MAIL FROM:<>',
      'RCPT TO:<a@example.com>',
      'DATA',
      'x\r\n.',
    ])
    const { transcript } = await post.inbox.get(idOf(replies))
    expect(JSON.stringify(transcript)).toContain('AUTH PLAIN ***')
    expect(JSON.stringify(transcript)).not.toContain(plain('ada', 'secret'))
  })

  it('leaves out the answer to a challenge', async () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    const replies = await talk([
      'EHLO app.test',
      'AUTH LOGIN',
      encoded('ada'),
      encoded('secret'),
      'MAIL FROM:<>',
      'RCPT TO:<a@example.com>',
      'DATA',
      'x\r\n.',
    ])
    const { transcript } = await post.inbox.get(idOf(replies))
    const said = (transcript ?? []).filter(({ from }) => from === 'client').map(({ text }) => text)
    expect(said.slice(0, 4)).toEqual(['EHLO app.test', 'AUTH LOGIN', '***', '***'])
    expect(JSON.stringify(transcript)).not.toContain(encoded('secret'))
  })

  it('is cut in the middle where there are many recipients, and stays within 4 KB', async () => {
    const crowd = Array.from({ length: 900 }, (_, i) => `${'x'.repeat(60)}${i}@example.com`)
    const id = await submit(post, {
      envelope: { from: `${'y'.repeat(60)}@acme.test`, to: crowd },
      raw: 'Subject: x\r\n\r\nx',
    })
    const { transcript } = await post.inbox.get(id)
    const texts = (transcript ?? []).map(({ text }) => text)
    expect(texts.filter((text) => /^<\d+ lines are left out>$/.test(text))).toHaveLength(1)
    expect(texts.at(-1)).toMatch(/captured as/)
    expect(JSON.stringify(transcript).length).toBeLessThan(4096)
  })

  it('is null for API sends', async () => {
    const request = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'x', text: 'x' }
    const { id } = await post.emails.send(request)
    expect((await post.inbox.get(id)).transcript).toBeNull()
  })
})

it('is kept for the last submissions only', () => {
  const transcripts = createTranscripts(2)
  const notes = {
    opening: ['S', '220 x'],
    openingLength: 2,
    lines: ['S', '354 go'],
    leftOut: 0,
    after: null,
    isRefused: false,
  }
  for (const id of ['a', 'b', 'c']) transcripts.keep(id, notes)
  expect(transcripts.of('a', 1)).toBeNull()
  expect(transcripts.of('c', 7)).toEqual([
    { from: 'server', text: '220 x' },
    { from: 'server', text: '354 go' },
    { from: 'client', text: '<7 bytes>' },
  ])
})
