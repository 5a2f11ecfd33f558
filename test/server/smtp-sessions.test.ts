import { expect, it } from 'vitest'
import type { SmtpSession, SmtpSessionSummary } from '../../src/inbox/smtp-session-types.ts'
import { RawClient } from '../capture/_server.ts'
import { start } from '../support/instance.ts'

it('shows SMTP sessions to the library and over HTTP, live events included, and forgets them at a reset', async () => {
  const post = await start({ smtpAuth: 'required' })
  const get = async <T>(path: string): Promise<T> =>
    (await (await post.fetch(new Request(`http://localhost${path}`))).json()) as T
  const events = (await post.fetch(new Request('http://localhost/dev/events'))).body?.getReader()
  const client = new RawClient(post.smtp)
  await client.reply()
  await client.say('EHLO app.test')
  await client.say(`AUTH PLAIN ${Buffer.from('\0me\0secret').toString('base64')}`)
  await client.say('QUIT')
  await client.closed()
  await expect.poll(async () => (await post.smtpSessions.list()).items[0]?.ended).toBeTypeOf('number')

  const { items } = await post.smtpSessions.list({ failed: true })
  expect(items).toMatchObject([
    { client_name: 'app.test', message_count: 0, problems: [{ kind: 'auth_failed' }] },
  ])
  const list = await get<{ sessions: SmtpSessionSummary[]; count: number }>(
    '/dev/smtp-sessions?failed=true&limit=5',
  )
  expect(list).toEqual({ sessions: items, count: 1, cursor: null })
  const session = await get<SmtpSession>(`/dev/smtp-sessions/${items[0]?.id}`)
  expect(session).toEqual(await post.smtpSessions.get(items[0]?.id ?? ''))
  expect(session.transcript.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^220 /),
    'EHLO app.test',
    ...session.transcript.slice(2, -4).map(({ text }) => text),
    'AUTH PLAIN ***',
    '535 5.7.8 The credentials are not valid',
    'QUIT',
    expect.stringMatching(/^221 /),
  ])
  let live = ''
  while (!live.includes('smtp.session')) live += new TextDecoder().decode((await events?.read())?.value)
  expect(live).toContain(`"id":"${session.id}"`)
  await events?.cancel()

  expect((await post.fetch(new Request('http://localhost/dev/smtp-sessions/ses_none'))).status).toBe(404)
  expect((await post.fetch(new Request('http://localhost/dev/smtp-sessions?cursor=x'))).status).toBe(422)
  await post.reset()
  expect((await post.smtpSessions.list()).count).toBe(0)
})
