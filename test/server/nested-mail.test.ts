import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { start } from '../support/instance.ts'

const get = (post: Localpost, path: string): Promise<Response> =>
  post.fetch(new Request(`http://127.0.0.1${path}`))

const inner = [
  'From: Zoe <zoe@example.com>',
  'To: grace@example.com',
  'Subject: =?utf-8?Q?The_first_=F0=9F=AA=B4?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="inner"',
  '',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p onclick="x()">Inner <b>HTML</b></p><script>alert(1)</script><img src="https://track.example/p.png" width=90>',
  '--inner',
  'Content-Type: text/html',
  'Content-Disposition: attachment; filename="evil.html"',
  '',
  '<script>1</script>',
  '--inner',
  'Content-Type: message/rfc822',
  '',
  'Subject: Deepest',
  '',
  'Deep text',
  '--inner--',
]
const message = (encoding: string, body: string): Buffer =>
  Buffer.from(
    [
      'From: Grace <grace@example.com>',
      'To: ada@example.com',
      'Subject: Fwd',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="n"',
      '',
      '--n',
      'Content-Type: text/plain',
      '',
      'See below.',
      '--n',
      'Content-Type: message/rfc822',
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      body,
      '--n--',
      '',
    ].join('\r\n'),
  )
const plain = message('8bit', inner.join('\r\n'))

describe('messages attached to a mail', () => {
  // RFC 2046 forbids base64 here, and mail clients send it.
  it.each([
    ['as it is', plain],
    ['in base64', message('base64', Buffer.from(inner.join('\r\n')).toString('base64'))],
  ])('are read like mails at any depth: %s', async (_, bytes) => {
    const post = await start()
    const { id } = await post.inbox.import(bytes)
    const at = async (path: string): Promise<Response> => get(post, `/dev/inbox/${id}/messages/${path}`)
    const first = await (await at('0')).json()
    expect(first).toMatchObject({ subject: 'The first 🪴', problem: null })
    expect(first.headers[0]).toEqual(['From', 'Zoe <zoe@example.com>'])
    expect(first.attachments.map(({ filename }: { filename: string }) => filename)).toEqual([
      'evil.html',
      'message.eml',
    ])
    expect(await (await at('0.1')).json()).toMatchObject({ subject: 'Deepest', text: 'Deep text' })
    const page = await at('0/html')
    expect(await page.text()).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-same-origin; default-src 'none'/,
    )
    const file = await at('0/attachments/0')
    expect(await file.text()).toBe('<script>1</script>')
    expect(file.headers.get('content-disposition')).toContain('attachment; filename="evil.html"')
    expect(file.headers.get('content-security-policy')).toContain('sandbox')
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('are 404 where there is none, however the path is written', async () => {
    const post = await start()
    const { id } = await post.inbox.import(plain)
    for (const path of ['1', '0.0', '0.1.0', '00', 'x', '-1', '0.', '0..1', Array(12).fill('0').join('.')])
      expect((await get(post, `/dev/inbox/${id}/messages/${path}`)).status, path).toBe(404)
    expect((await get(post, `/dev/inbox/${id}/messages/0/attachments/7`)).status).toBe(404)
    expect((await get(post, '/dev/inbox/em_none/messages/0')).status).toBe(404)
  })
})
