import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailpitFace } from '../../../src/providers/mailpit/face.ts'
import { hollowApp } from '../../server/validate-response.ts'
import { declared } from './_declared.ts'
import { openMailpit, type MailpitServer, type Read } from './_server.ts'

let server: MailpitServer
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const html = '<p style="display:flex">Hello <a href="http://127.0.0.1:1/x">link</a> <img src="cid:logo"></p>'
const whole = {
  from: '"Doe, John" <john@example.com>',
  to: 'Jane Doe <jane@example.com>, bob@example.com',
  cc: 'Manager <m@example.com>',
  bcc: 'hidden@example.com',
  replyTo: 'Help <help@example.com>, other@example.com',
  subject: 'Grüße',
  text: 'the text',
  html,
  messageId: '<one@example.com>',
  date: new Date('2026-01-31T14:30:00Z'),
  headers: { 'X-Tags': 'Tag 1, tag2', 'List-Unsubscribe': '<https://example.com/u>, <mailto:u@example.com>' },
  attachments: [
    { filename: 'plain.txt', content: 'an attachment' },
    { filename: 'logo.png', content: png, cid: 'logo', contentDisposition: 'inline' as const },
  ],
}

interface Page {
  total: number
  unread: number
  messages_count: number
  messages_unread: number
  count: number
  start: number
  tags: string[]
  messages: { ID: string; Subject: string; Read: boolean; Tags: string[] }[]
}
interface Part {
  PartID: string
  FileName: string
  ContentType: string
  ContentID: string
  Size: number
  Checksums: Record<string, string>
}

const list = async (query = ''): Promise<Page> =>
  (await server.call('GET', `/api/v1/messages${query}`)).json() as Page
const search = async (query: string, more = ''): Promise<Page> =>
  (await server.call('GET', `/api/v1/search?query=${encodeURIComponent(query)}${more}`)).json() as Page

/** Some mails, the last one newest. */
async function submitAll(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const mail = { from: `from-${i}@example.com`, to: `to-${i}@example.com`, text: `This is the body ${i}.` }
    ids.push(await server.submit({ ...mail, subject: `Subject line ${i} end` }))
  }
  return ids
}

describe('every operation', () => {
  it('answers with the members that its client declares, and only those', async () => {
    const id = await server.submit(whole)
    const wrong: string[] = []
    const bodies: Readonly<Record<string, unknown>> = {
      'PUT /api/v1/messages': { Read: true, IDs: [id] },
      'PUT /api/v1/tags': { IDs: [id], Tags: ['tag2', 'new'] },
      'PUT /api/v1/tags/{tag}': { Name: 'renamed' },
      'PUT /api/v1/chaos': {},
      'POST /api/v1/message/{id}/release': { To: ['a@example.com'] },
      'POST /api/v1/send': { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }] },
    }
    const isOperation = ({ path }: { path: string }): boolean => path !== '/api/openapi.json'
    const routes = hollowApp().routes.filter((route) => route.face === mailpitFace && isOperation(route))
    // What removes comes last, and messages after their tags.
    const order = routes.toSorted(
      (a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1) * (a.method === 'DELETE' ? -1 : 1),
    )
    for (const { method, path } of order) {
      const name = `${method} ${path}`
      const part = path.endsWith('/thumb') ? '1.2.2' : '2'
      const tag = method === 'DELETE' ? 'tag2' : 'new'
      const filled = path.replace('{id}', id).replace('{part}', part).replace('{tag}', tag)
      const query = path === '/api/v1/search' ? '?query=from:example.com' : ''
      const answer = await server.call(method, filled + query, bodies[name])
      // No relay is configured.
      if (name.endsWith('/release')) {
        expect(answer.status).toBe(409)
        continue
      }
      const schema = declared[name]
      const problem = answer.status === 200 ? schema?.safeParse(answer.json()).error?.message : answer.text
      if (problem) wrong.push(`${name}: ${answer.status} ${problem}`)
      if (!schema && method !== 'GET' && answer.text !== 'ok') wrong.push(`${name}: ${answer.text}`)
    }
    expect(wrong).toEqual([])
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    expect(Object.keys(declared).filter((name) => !names.includes(name))).toEqual([])
  })

  const rankOf = ({ method }: { method: string }): number => ['GET', 'POST', 'PUT', 'DELETE'].indexOf(method)
})

describe('a list', () => {
  it('has the newest first, a part of it by start and limit, and the numbers of all', async () => {
    const ids = (await submitAll(5)).toReversed()
    const page = await list('?start=1&limit=2')
    expect(page.messages.map(({ ID }) => ID)).toEqual(ids.slice(1, 3))
    const { messages: _, tags: __, ...numbers } = page
    expect(numbers).toEqual({
      total: 5,
      unread: 5,
      count: 2,
      messages_count: 5,
      messages_unread: 5,
      start: 1,
    })
    expect((await list('?limit=0')).messages.map(({ ID }) => ID)).toEqual(ids)
    expect((await search('subject:line', '&limit=0')).messages).toEqual([])
    expect((await list('?start=9')).messages).toEqual([])
    expect((await list('?before=2001-01-01')).messages).toEqual([])
    await server.call('PUT', '/api/v1/messages', { IDs: [ids[0]], Read: true })
    expect((await list()).messages.map(({ Read }) => Read)).toEqual([true, false, false, false, false])
    expect(await search('subject:line')).toMatchObject({ total: 5, unread: 4, messages_unread: 4 })
    expect(await search('is:read')).toMatchObject({ messages_count: 1, messages_unread: 0, unread: 4 })
  })

  it('has more than a page of the inbox', async () => {
    const { post } = server
    for (let i = 0; i < 520; i++)
      await post.emails.send({ from: 'a@acme.test', to: 'b@acme.test', subject: `${i}`, text: 'x' })
    const { messages } = await list('?limit=510&start=5')
    expect(messages.length).toBe(510)
    expect(new Set(messages.map(({ ID }) => ID)).size).toBe(510)
    expect(messages.map(({ Subject }) => Subject).slice(0, 2)).toEqual(['514', '513'])
  })

  it.each<[query: string, count: number]>([
    ['from-1@example.com', 1],
    ['from:from-1@example.com', 1],
    ['-FROM:FROM-1@EXAMPLE.COM', 4],
    ['to:from-1@example.com', 0],
    ['from:@example.com', 5],
    ['subject:"SUBJECT LINE 3 END"', 1],
    ['!thisdoesnotexist', 5],
    ['thisdoesnotexist', 0],
    ['tag:"TEST TAG"', 1],
    ['!tag:"Test tag"', 4],
    ['after:2001-01-01 before:2100-01-01', 5],
  ])('of the search %s has %i messages', async (query, count) => {
    const [id] = await submitAll(5)
    await server.call('PUT', '/api/v1/tags', { IDs: [id], Tags: ['Test tag'] })
    expect((await search(query)).messages_count).toBe(count)
  })
})

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
    const listed = (await list()).messages[0]
    expect(listed).toMatchObject({
      ID: id,
      MessageID: 'one@example.com',
      From: { Name: 'Doe, John', Address: 'john@example.com' },
      Attachments: 2,
    })
  })

  it('is found by a search after latest, and says where nothing is', async () => {
    const [first] = await submitAll(2)
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

  it('of HTML alone has a text of it', async () => {
    const id = await server.submit({
      from: 'a@example.com',
      to: 'b@example.com',
      html: '<p>One</p><p>Two</p>',
    })
    expect((await server.call('GET', `/view/${id}.txt`)).text).toMatch(/^One\s+Two$/)
  })
})

describe('what changes messages', () => {
  it('marks those of a list, the matches of a search, or all', async () => {
    const [first, second] = await submitAll(3)
    const unread = async (): Promise<number> => (await list()).unread
    await server.call('PUT', '/api/v1/messages', { Read: true, IDs: [first, second] })
    expect(await unread()).toBe(1)
    await server.call('PUT', '/api/v1/messages', { Read: false, Search: 'from:from-0' })
    expect(await unread()).toBe(2)
    await server.call('PUT', '/api/v1/messages', { Read: true })
    expect(await unread()).toBe(0)
    await server.call('PUT', '/api/v1/messages')
    expect(await unread()).toBe(3)
  })

  it('deletes those of a list, the matches of a search, or all', async () => {
    const [first] = await submitAll(4)
    // Names in any case, as Go reads them.
    await server.call('DELETE', '/api/v1/messages', { ids: [first] })
    expect((await list()).total).toBe(3)
    await server.call('DELETE', '/api/v1/search?query=from:from-1')
    expect((await list()).total).toBe(2)
    await server.call('DELETE', '/api/v1/messages')
    expect((await list()).total).toBe(0)
  })

  it('deletes nothing for a request with a mistake in it', async () => {
    await submitAll(1)
    const wrong: readonly [path: string, body?: unknown][] = [
      ['messages', '{"IDs": ['],
      ['messages', { Id: ['em_1'] }],
      ['messages', { IDs: 'em_1' }],
      ['messages', []],
      ['messages?query=from:nobody'],
      ['search'],
      ['search?query='],
      ['search?query=bcc:x'],
      ['search?query=after:2026-01-01&tz=Mars/Base'],
    ]
    for (const [path, body] of wrong) {
      const answer = await server.call('DELETE', `/api/v1/${path}`, body)
      expect(answer.status, `${path} ${JSON.stringify(body)}`).toBe(400)
    }
    expect((await list()).total).toBe(1)
  })

  it('renames and removes a tag with a quotation mark, and no other', async () => {
    const [first = '', second = ''] = await submitAll(2)
    await server.call('PUT', '/api/v1/tags', { IDs: [first], Tags: ['a"b'] })
    await server.call('PUT', '/api/v1/tags', { IDs: [second], Tags: ['ab'] })
    expect((await server.call('PUT', '/api/v1/tags/a%22b', { Name: 'x"y' })).text).toBe('ok')
    const tagsOf = async (id: string): Promise<string[]> => (await server.post.inbox.get(id)).tags
    expect([await tagsOf(first), await tagsOf(second)]).toEqual([['x"y'], ['ab']])
    await server.call('DELETE', '/api/v1/tags/x%22y')
    expect([await tagsOf(first), await tagsOf(second)]).toEqual([[], ['ab']])
  })

  it('replaces, renames and removes tags', async () => {
    const [first, second] = await submitAll(2)
    const tags = async (): Promise<unknown> => (await server.call('GET', '/api/v1/tags')).json()
    await server.call('PUT', '/api/v1/tags', { IDs: [first, second], Tags: ['One', 'two', 'TWO'] })
    expect(await tags()).toEqual(['one', 'two'])
    expect((await server.call('PUT', '/api/v1/tags/one', { Name: 'two' })).text).toContain(
      'tag already exists',
    )
    expect((await server.call('PUT', '/api/v1/tags/none', { Name: 'x' })).text).toContain('tag not found')
    await server.call('PUT', '/api/v1/tags/ONE', { Name: 'Three' })
    expect(await tags()).toEqual(['three', 'two'])
    await server.call('DELETE', '/api/v1/tags/three')
    expect(await tags()).toEqual(['two'])
    await server.call('PUT', '/api/v1/tags', { IDs: [first] })
    expect((await search('tag:two')).messages_count).toBe(1)
  })
})

describe('a send', () => {
  it('stores a message with all of its members, which can be read at once', async () => {
    const sent = await server.call('POST', '/api/v1/send', {
      From: { Email: 'john@example.com', Name: 'John "J" Doe' },
      To: [{ Email: 'jane@example.com', Name: 'Jane Doe' }],
      Cc: [{ Email: 'm@example.com', Name: 'Manager, 1' }],
      Bcc: ['jack@example.com'],
      ReplyTo: [{ Email: 'help@example.com', Name: 'Help' }],
      Headers: { 'X-IP': '1.2.3.4' },
      Subject: 'Sent',
      Text: 'the text {{x}}',
      HTML: '<p>the HTML</p>',
      Tags: ['Tag 1', 'Tag 2'],
      Attachments: [{ Content: 'data:text/plain;base64,VGhpcyBpcyBh', Filename: 'Attached File.txt' }],
    })
    const { ID } = sent.json() as { ID: string }
    const message = (await server.call('GET', `/api/v1/message/${ID}`)).json() as { Attachments: Part[] }
    expect(message).toMatchObject({
      From: { Name: 'John "J" Doe', Address: 'john@example.com' },
      To: [{ Name: 'Jane Doe', Address: 'jane@example.com' }],
      Cc: [{ Name: 'Manager, 1', Address: 'm@example.com' }],
      Bcc: [{ Name: '', Address: 'jack@example.com' }],
      ReplyTo: [{ Name: 'Help', Address: 'help@example.com' }],
      Subject: 'Sent',
      Text: 'the text {{x}}',
      HTML: '<p>the HTML</p>',
      Tags: ['Tag 1', 'Tag 2'],
    })
    expect(message.Attachments).toMatchObject([{ FileName: 'Attached File.txt', Size: 9 }])
  })

  it('takes a subject alone', async () => {
    const answer = await server.call('POST', '/api/v1/send', {
      From: { Email: 'a@example.com' },
      To: [{ Email: 'b@example.com' }],
      Subject: 'Welcome',
      Cc: [],
      Tags: null,
    })
    expect(answer.status).toBe(200)
    expect((await list()).messages).toMatchObject([{ Subject: 'Welcome' }])
  })

  it.each<[what: string, body: unknown, reason: string]>([
    ['no sender', { To: [{ Email: 'b@example.com' }] }, 'From'],
    [
      'a wrong address',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b, c@example.com' }] },
      'b, c@example.com',
    ],
    [
      'two addresses in one',
      { From: { Email: 'a@example.com, b@example.com' }, To: [] },
      'a@example.com, b@example.com',
    ],
    [
      'a line end in a name',
      { From: { Email: 'a@example.com', Name: 'a\r\nBcc: x' }, To: [{ Email: 'b@example.com' }] },
      'From',
    ],
    [
      'a field that is written here',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Headers: { Bcc: 'x' } },
      'Bcc',
    ],
    [
      'an unknown member',
      { From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }], Cec: [] },
      'Cec',
    ],
    [
      'bytes that are no base64',
      {
        From: { Email: 'a@example.com' },
        To: [{ Email: 'b@example.com' }],
        Attachments: [{ Content: '%%%', Filename: 'x' }],
      },
      'base64',
    ],
    ['no JSON', '{', 'JSON'],
  ])('with %s is refused with the reason', async (_, body, reason) => {
    const answer: Read = await server.call('POST', '/api/v1/send', body)
    expect([answer.status, Object.keys(answer.json() as object)]).toEqual([400, ['Error']])
    expect(answer.text).toContain(reason)
    expect((await list()).total).toBe(0)
  })
})

describe('chaos', () => {
  it('sets faults of SMTP beside others, and shows and resets them', async () => {
    const { post } = server
    await post.faults.set({
      http: [{ path: '/v1/emails', status: 500 }],
      smtp: [{ stage: 'data', code: 451 }],
    })
    const off = { ErrorCode: 451, Probability: 0 }
    const set = await server.call('PUT', '/api/v1/chaos', { Sender: { ErrorCode: 550, Probability: 100 } })
    expect(set.json()).toEqual({
      Sender: { ErrorCode: 550, Probability: 100 },
      Recipient: off,
      Authentication: { ErrorCode: 535, Probability: 0 },
    })
    await expect(server.submit({ from: 'a@example.com', to: 'b@example.com' })).rejects.toThrow('550')
    expect((await server.call('PUT', '/api/v1/chaos', {})).json()).toMatchObject({ Sender: off })
    expect(await post.faults.get()).toMatchObject({
      http: [{ path: '/v1/emails' }],
      smtp: [{ stage: 'data' }],
    })
    await post.faults.clear()
    for (const wrong of [
      { ErrorCode: 200, Probability: 1 },
      { ErrorCode: 451, Probability: 101 },
    ])
      expect((await server.call('PUT', '/api/v1/chaos', { Sender: wrong })).status).toBe(400)
  })
})
