import { describe, expect, test } from 'vitest'
import { start } from '../../support/instance.ts'
import { containing, isoTime, mail, postmarkCaller, uuid, type Result } from './_postmark.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('POST /email', () => {
  test('sends every member', async () => {
    const post = await start()
    const { status, body } = await postmarkCaller(post)('POST', '/email', {
      From: 'Acme <hi@acme.test>',
      To: 'Ada <ada@example.com>, bob@example.com',
      Cc: 'carl@example.com',
      Bcc: 'dora@example.com',
      ReplyTo: 'help@acme.test, sales@acme.test',
      Subject: 'All',
      Tag: 'welcome',
      HtmlBody: '<img src="cid:logo.png">',
      TextBody: 'text {{name}}',
      Metadata: { order: '17', Color: 'blue' },
      Headers: [{ Name: 'X-Order', Value: '17' }],
      Attachments: [
        { Name: 'a.txt', Content: base64('a'), ContentType: 'text/plain', ContentID: null, ContentLength: 1 },
        { Name: 'logo.png', Content: base64('png'), ContentType: 'image/png', ContentID: 'cid:logo.png' },
      ],
      MessageStream: 'receipts',
      TrackOpens: false,
      TrackLinks: 'None',
    })
    expect([status, body]).toEqual([
      200,
      {
        To: 'Ada <ada@example.com>, bob@example.com',
        Cc: 'carl@example.com',
        Bcc: 'dora@example.com',
        SubmittedAt: isoTime,
        MessageID: uuid,
        ErrorCode: 0,
        Message: 'OK',
      },
    ])
    const { id } = await post.inbox.waitFor({ subject: 'All' })
    const found = await post.inbox.get(id)
    expect(found.envelope.rcpt_to).toEqual([
      'ada@example.com',
      'bob@example.com',
      'carl@example.com',
      'dora@example.com',
    ])
    expect(found).toMatchObject({
      provider: { name: 'postmark', message_id: body.MessageID },
      tags: ['welcome'],
      metadata: { order: '17', Color: 'blue', 'postmark:tag': 'welcome', 'postmark:stream': 'receipts' },
      tracking: { opens: false, clicks: false },
      text: containing('text {{name}}'),
      attachments: [
        { filename: 'logo.png', content_id: 'logo.png', content_type: 'image/png' },
        { filename: 'a.txt', content_id: null },
      ],
    })
    const fields = new Map(found.headers)
    expect([fields.get('Reply-To'), fields.get('X-Order')]).toEqual(['help@acme.test, sales@acme.test', '17'])
  })

  test('takes null and empty text for what is absent, and a slash at the end', async () => {
    const post = await start({ strict: true })
    await post.domains.create({ name: 'acme.test' })
    const { items } = await post.domains.list()
    await post.domains.verify(items[0]?.id ?? '', { status: 'SUCCESS' })
    const absent = { Cc: '', Bcc: null, ReplyTo: '', Tag: '', Metadata: null, Headers: null, HtmlBody: '' }
    const given = {
      ...mail,
      ...absent,
      Attachments: null,
      TrackOpens: null,
      TrackLinks: null,
      MessageStream: null,
    }
    const { body } = await postmarkCaller(post)('POST', '/email/', given)
    expect(body).toMatchObject({ To: mail.To, ErrorCode: 0 })
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    expect([found.tags, found.metadata]).toEqual([[], undefined])
  })

  test('sends without To, and without a subject', async () => {
    const post = await start()
    const { To: _to, Subject: _subject, ...rest } = mail
    const { body } = await postmarkCaller(post)('POST', '/email', { ...rest, Bcc: 'eve@example.com' })
    expect(body).toEqual({
      Bcc: 'eve@example.com',
      SubmittedAt: isoTime,
      MessageID: uuid,
      ErrorCode: 0,
      Message: 'OK',
    })
    expect((await post.inbox.waitFor({})).envelope.rcpt_to).toEqual(['eve@example.com'])
  })

  test.each([
    ['no sender', { From: undefined }, 300, "Invalid 'From': is missing"],
    ['no recipient', { To: undefined }, 300, "Invalid 'To': is missing"],
    ['no body', { TextBody: undefined }, 300, "Invalid 'HtmlBody': is missing"],
    [
      'an illegal recipient',
      { To: 'nobody' },
      300,
      "Error parsing 'To': Illegal email address 'nobody'. It is no address",
    ],
    ['an illegal copy', { Cc: 'a@b.test, x y@z' }, 300, "Error parsing 'Cc'"],
    ['a sender with a line break', { From: 'a@b.test\r\nX-A: b' }, 300, "'From'"],
    ['a subject with a line break', { Subject: 'a\r\nBcc: eve@example.com' }, 300, "'Subject'"],
    [
      'a header with a line break',
      { Headers: [{ Name: 'X-A', Value: 'b\r\nBcc: eve@x.test' }] },
      300,
      "'Headers",
    ],
    ['a header name with a colon', { Headers: [{ Name: 'X-A: b', Value: 'c' }] }, 300, "'Headers"],
    [
      'a header of Postmark',
      { Headers: [{ Name: 'X-PM-Bounce-Type', Value: 'a' }] },
      300,
      'is not supported',
    ],
    ['a header that is written here', { Headers: [{ Name: 'Bcc', Value: 'eve@x.test' }] }, 300, "'Headers"],
    [
      'a header twice',
      {
        Headers: [
          { Name: 'X-A', Value: 'b' },
          { Name: 'X-A', Value: 'c' },
        ],
      },
      300,
      'once',
    ],
    ['a name of Localpost', { Metadata: { 'postmark:tag': 'x' } }, 300, "'Metadata'"],
    ['a prototype', { Metadata: JSON.parse('{"__proto__":"x"}') as object }, 300, "'Metadata'"],
    ['a tag that is too long', { Tag: 'x'.repeat(1001) }, 300, "'Tag'"],
    [
      'a name of metadata that is too long',
      { Metadata: { ['x'.repeat(21)]: '' } },
      300,
      'at most 20 characters',
    ],
    ['a value of metadata that is too long', { Metadata: { a: 'x'.repeat(81) } }, 300, "'Metadata.a'"],
    [
      'too many metadata',
      { Metadata: Object.fromEntries(Array.from('abcdefghijk', (a) => [a, a])) },
      300,
      'at most 10',
    ],
    ['metadata twice', { Metadata: { a: '1', A: '2' } }, 300, 'twice'],
    ['links of text alone', { TrackLinks: 'TextOnly' }, 300, '"TextOnly", which is not supported'],
    ['the inbound stream', { MessageStream: 'inbound' }, 300, "'MessageStream'"],
    ['a stream that is no name', { MessageStream: 'a b' }, 300, "'MessageStream'"],
    [
      'an attachment that is not base64',
      { Attachments: [{ Name: 'a', Content: '!' }] },
      300,
      "'Attachments[0].Content'",
    ],
    ['a template', { TemplateId: 1 }, 300, 'TemplateId'],
    ['an unknown member', { Sender: 'x' }, 300, 'Sender'],
    [
      'too many recipients',
      { To: Array.from({ length: 51 }, (_, i) => `a${i}@b.test`).join(',') },
      300,
      'at most 50',
    ],
  ] as const)('refuses %s', async (_, wrong, code, text) => {
    const post = await start()
    const { status, body } = await postmarkCaller(post)('POST', '/email', { ...mail, ...wrong })
    expect([status, body.ErrorCode]).toEqual([422, code])
    expect(body.Message).toContain(text)
    expect((await post.inbox.list()).count).toBe(0)
  })

  test('says what is wrong with JSON, the key, the domain and unknown paths', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    await post.domains.create({ name: 'new.test' })
    const answers = [
      await call('POST', '/email', '{'),
      await call('POST', '/email', { ...mail, From: 'a@new.test' }),
      await postmarkCaller(post, 'POSTMARK_API_TEST')('POST', '/email', mail),
      await call('GET', '/nothing'),
      await call('DELETE', '/email'),
      await call('POST', '/email/bulk', {}),
    ]
    expect(answers.map(({ status, body }) => [status, body.ErrorCode, body.Message])).toEqual([
      [422, 402, containing('JSON')],
      [422, 401, containing('new.test')],
      [401, 10, containing('POSTMARK_API_TEST is no key here')],
      [404, 12, containing('/postmark/nothing')],
      [405, 12, containing('DELETE')],
      [501, 12, containing('The bulk API')],
    ])
    expect((await post.inbox.list()).count).toBe(0)
  })

  test('does not send to inactive recipients', async () => {
    const post = await start()
    await post.suppressions.add({ address: 'ada@example.com' })
    const call = postmarkCaller(post)
    const none = await call('POST', '/email', { ...mail, To: 'Ada <Ada@example.com>', Cc: 'ada@example.com' })
    expect([none.status, none.body]).toEqual([
      422,
      { ErrorCode: 406, Message: containing('Found inactive addresses: ada@example.com. Inactive') },
    ])
    expect((await post.inbox.list()).count).toBe(0)
    const some = await call('POST', '/email', { ...mail, To: 'ada@example.com, bob@example.com' })
    expect([some.status, some.body.ErrorCode, some.body.Message]).toEqual([
      200,
      0,
      containing('will not deliver to these inactive addresses: ada@example.com. Inactive recipients'),
    ])
  })
})

describe('POST /email/batch', () => {
  test('answers for each email, and sends the right ones', async () => {
    const post = await start()
    await post.suppressions.add({ address: 'gone@example.com' })
    const { status, body } = await postmarkCaller(post)<Result[]>('POST', '/email/batch', [
      { ...mail, Subject: '1' },
      { ...mail, To: 'nobody' },
      { ...mail, To: 'gone@example.com' },
      7,
      { ...mail, Subject: '2', Tag: 7 },
      { ...mail, Subject: '3', To: 'bob@example.com' },
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { To: mail.To, SubmittedAt: isoTime, MessageID: uuid, ErrorCode: 0, Message: 'OK' },
      { ErrorCode: 300, Message: containing("Error parsing 'To': Illegal email address 'nobody'") },
      { ErrorCode: 406, Message: containing('gone@example.com') },
      { ErrorCode: 300, Message: containing("Invalid '[3]': must be an object, not 7") },
      { ErrorCode: 300, Message: containing("'Tag'") },
      { To: 'bob@example.com', SubmittedAt: isoTime, MessageID: uuid, ErrorCode: 0, Message: 'OK' },
    ])
    expect(new Set(body.map(({ MessageID }) => MessageID)).size).toBe(3)
    await post.inbox.waitFor({ subject: '3' })
    expect((await post.emails.list()).count).toBe(2)
  })

  test('takes 500 emails, also as a long body', async () => {
    const post = await start()
    const emails = Array.from({ length: 500 }, () => ({ ...mail, TextBody: 'x'.repeat(3000) }))
    const call = postmarkCaller(post)
    const { body } = await call<Result[]>('POST', '/email/batch', emails)
    expect([body.length, body.every(({ ErrorCode, To }) => ErrorCode === 0 && To === mail.To)]).toEqual([
      500,
      true,
    ])
    const more = await call('POST', '/email/batch', [...emails, mail])
    expect([more.status, more.body.ErrorCode]).toEqual([422, 410])
    expect(more.body.Message).toContain('501')
    expect((await post.emails.list()).count).toBe(500)
  })

  test.each([[{}], [[]], ['{"Messages":[]}'], ['7']])('refuses %j as a whole', async (given) => {
    const post = await start()
    const { status, body } = await postmarkCaller(post)('POST', '/email/batch', given)
    expect([status, body.ErrorCode, body.Message]).toEqual([422, 300, containing('body')])
  })
})
