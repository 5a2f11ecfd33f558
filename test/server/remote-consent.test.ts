import { describe, expect, it, test } from 'vitest'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { openOverSocket, type Face } from './_face.ts'

async function open(): Promise<{ face: Face; id: string }> {
  const face = await openOverSocket()
  const html = '<img src="https://x.test/a"><a href="https://x.test/">x</a>'
  const inner = `From: a@x.test\r\nSubject: inner\r\nContent-Type: text/html\r\n\r\n${html}`
  const attachments = [{ filename: 'a.eml', content: inner, contentType: 'message/rfc822' }]
  const from = 'a@x.test'
  return { face, id: await submit(face.post, { from, to: 'b@x.test', subject: 'x', html, attachments }) }
}

/** Every address that makes the browser or the server connect to what a mail names. */
const connecting = [
  'html?remote=all',
  'html?images=remote',
  'messages/0/html?remote=all',
  'checks?live=true',
] as const

/** What a browser sends, with and without the headers that it leaves out over plain HTTP. */
const browsers = {
  'a new one': { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' },
  'an old one': { 'user-agent': 'Mozilla/5.0', accept: 'text/html,*/*;q=0.8', cookie: 'localpost_session=x' },
  'an image in an old one': { 'user-agent': 'Mozilla/5.0', accept: '*/*' },
} as const

describe.each(connecting)('GET /dev/inbox/{id}/%s', (path) => {
  it.each(Object.entries(browsers))('is refused if an address alone asks for it: %s', async (_, headers) => {
    const { face, id } = await open()
    for (const token of [
      '',
      '&consent=',
      '&consent=x',
      `&consent=${await consentOf(face, await other(face))}`,
    ]) {
      const answer = await face.call(
        'GET',
        `/dev/inbox/${id}/${path}${path.startsWith('checks') ? '' : token}`,
        {
          headers: { ...headers },
        },
      )
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({ name: 'consent_required' })
    }
  })

  it('is answered for a program with a key, and for the page', async () => {
    const { face, id } = await open()
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await face.call('GET', `/dev/inbox/${id}/${path}`, { headers })).status
    expect(await ask({ authorization: `Bearer ${face.post.apiKey}` })).toBe(200)
    expect(await ask({ 'x-localpost-page': '1' })).toBe(200)
  })

  it('is answered in process, but not for a browser whose request a server passes on', async () => {
    const post = await start()
    const html = '<a href="https://x.test/">x</a>'
    const id = await submit(post, { from: 'a@x.test', to: 'b@x.test', subject: 'x', html })
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await post.fetch(new Request(`http://localpost/dev/inbox/${id}/${path}`, { headers }))).status
    expect([200, 404]).toContain(await ask({}))
    expect(await ask({ 'user-agent': 'Mozilla/5.0' })).toBe(403)
  })
})

test('a token allows the remote content of its mail, and of the messages attached to it, for one day', async () => {
  const { face, id } = await open()
  const token = await consentOf(face, id)
  for (const path of connecting.filter((one) => !one.startsWith('checks'))) {
    const answer = await face.call('GET', `/dev/inbox/${id}/${path}&consent=${token}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain('img-src data: http: https:;')
  }
})

test('an address cannot consent, and nobody consents to the content of a mail that is not there', async () => {
  const { face } = await open()
  expect((await face.call('POST', '/dev/inbox/msg_none/consent')).status).toBe(404)
  expect((await face.call('GET', '/dev/inbox/msg_none/consent')).status).toBe(405)
})

const other = (face: Face): Promise<string> =>
  submit(face.post, { from: 'a@x.test', to: 'b@x.test', subject: 'other', text: 'x' })

async function consentOf(face: Face, id: string): Promise<string> {
  const answer = await face.call('POST', `/dev/inbox/${id}/consent`)
  return ((await answer.json()) as { token: string }).token
}
