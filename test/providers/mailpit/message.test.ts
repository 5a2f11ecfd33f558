import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { html, list, png, submitAll, whole, type Part } from './_mails.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

describe('a message', () => {
  it('has all of its header, bodies and attachments', async () => {
    const id = await server.submit(whole)
    const message = (await server.call('GET', '/api/v1/message/latest')).json() as {
      Inline: Part[]
      Attachments: Part[]
    }
    const { Inline, Attachments, ...rest } = message
    const { post } = server
    const mail = await post.inbox.get(id)
    expect(rest).toEqual({
      ID: id,
      MessageID: 'one@example.com',
      From: { Name: 'Doe, John', Address: 'john@example.com' },
      To: [
        { Name: 'Jane Doe', Address: 'jane@example.com' },
        { Name: '', Address: 'bob@example.com' },
      ],
      Cc: [{ Name: 'Manager', Address: 'm@example.com' }],
      Bcc: [{ Name: '', Address: 'hidden@example.com' }],
      ReplyTo: [
        { Name: 'Help', Address: 'help@example.com' },
        { Name: '', Address: 'other@example.com' },
      ],
      ReturnPath: 'john@example.com',
      Subject: 'Grüße',
      ListUnsubscribe: {
        Header: '<https://example.com/u>, <mailto:u@example.com>',
        Links: ['https://example.com/u', 'mailto:u@example.com'],
        Errors: '',
        HeaderPost: '',
      },
      Date: '2026-01-31T14:30:00.000Z',
      Tags: mail.tags,
      Username: '',
      Text: 'the text',
      HTML: html,
      Size: mail.size_bytes,
    })
    expect([Inline, Attachments].map((all) => all.map(({ FileName }) => FileName))).toEqual([
      ['logo.png'],
      ['plain.txt'],
    ])
    for (const [part, bytes] of [
      [Inline[0], png],
      [Attachments[0], Buffer.from('an attachment')],
    ] as const) {
      const answer = await fetch(`${server.url}/api/v1/message/${id}/part/${part?.PartID}`)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
      expect(answer.headers.get('content-type')).toBe(part?.ContentType)
      const hash = (name: string): string => createHash(name).update(bytes).digest('hex')
      expect(part?.Checksums).toEqual({ MD5: hash('md5'), SHA1: hash('sha1'), SHA256: hash('sha256') })
      expect(part?.Size).toBe(bytes.length)
    }
    expect(Inline[0]?.ContentID).toBe('logo')
    const listed = (await list(server)).messages[0]
    expect(listed).toMatchObject({
      ID: id,
      MessageID: 'one@example.com',
      From: { Name: 'Doe, John', Address: 'john@example.com' },
      Attachments: 2,
    })
  })

  it('is found by a search after latest, and says where nothing is', async () => {
    const [first] = await submitAll(server, 2)
    expect((await server.call('GET', '/api/v1/message/latest?query=from:from-0')).json()).toMatchObject({
      ID: first,
    })
    for (const path of [
      'message/latest?query=nothing',
      'message/none',
      'message/none/raw',
      'message/none/headers',
    ])
      expect((await server.call('GET', `/api/v1/${path}`)).status, path).toBe(404)
    expect((await server.call('GET', `/api/v1/message/${first}/part/7`)).status).toBe(404)
    expect((await server.call('GET', `/view/${first}.html`)).status).toBe(404)
  })

  it('has its header fields by the names that Go writes, and its source', async () => {
    const id = await server.submit({ ...whole, attachments: [] })
    const headers = (await server.call('GET', `/api/v1/message/${id}/headers`)).json() as Record<
      string,
      string[]
    >
    expect(headers).toMatchObject({ 'Message-Id': ['<one@example.com>'], 'Mime-Version': ['1.0'] })
    expect(headers['Subject']).toEqual(['=?UTF-8?Q?Gr=C3=BC=C3=9Fe?='])
    expect(Object.keys(headers)).toEqual(Object.keys(headers).toSorted())
    const raw = await server.call('GET', `/api/v1/message/${id}/raw?dl=1`)
    expect(raw.text).toContain('Message-ID: <one@example.com>\r\n')
    expect(raw.headers.get('content-disposition')).toContain(`${id}.eml`)
  })

  it('is found with two slashes in its path, as cypress-mailpit writes them', async () => {
    const id = await server.submit({ ...whole, attachments: [] })
    const found = await fetch(`${server.url}//view/${id}.txt?tz=UTC`)
    expect([found.url, await found.text()]).toEqual([`${server.url}/view/${id}.txt?tz=UTC`, 'the text'])
    // Not to another host.
    const other = await fetch(`${server.url}///view//evil.example`, { redirect: 'manual' })
    expect([other.status, other.headers.get('location')]).toEqual([301, '/view//evil.example'])
    for (const path of ['//evil.example/x', '//view', '/view//x', '//api/v1/messages'])
      expect([path, (await server.call('GET', path)).status]).toEqual([path, 404])
    expect((await server.call('DELETE', '//api/v1/messages')).status).toBe(404)
  })

  it('of HTML alone has a text of it', async () => {
    const id = await server.submit({
      from: 'a@example.com',
      to: 'b@example.com',
      html: '<p>One</p><p>Two</p>',
    })
    expect((await server.call('GET', `/view/${id}.txt`)).text).toMatch(/^One\s+Two$/)
  })
})
