import { describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { openReceiver } from '../webhooks/_receiver.ts'
import { authorizationOf } from './_authorization.ts'
import { containing } from './_resend.ts'
import { sesCaller, type Answered } from './_ses.ts'

const from = 'Acme <hi@acme.test>'
const simple = { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } }
const mail = {
  FromEmailAddress: from,
  Destination: { ToAddresses: ['Ada <ada@example.com>'] },
  Content: { Simple: simple },
}
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('SendEmail', () => {
  test('sends every member of a message in parts', async () => {
    const post = await start()
    await sesCaller(post)('POST', '/configuration-sets', { ConfigurationSetName: 'shop' })
    const { body } = await sesCaller(post)('POST', '/outbound-emails', {
      FromEmailAddress: from,
      Destination: {
        ToAddresses: ['Ada <ada@example.com>', 'bob@example.com'],
        CcAddresses: ['carl@example.com'],
        BccAddresses: ['dora@example.com'],
      },
      ReplyToAddresses: ['help@acme.test', 'sales@acme.test'],
      FeedbackForwardingEmailAddress: 'bounces@acme.test',
      ConfigurationSetName: 'shop',
      EmailTags: [{ Name: 'order', Value: '17' }],
      Content: {
        Simple: {
          Subject: { Data: 'All', Charset: 'UTF-8' },
          Body: { Text: { Data: 'text' }, Html: { Data: '<img src="cid:logo">' } },
          Headers: [{ Name: 'X-Order', Value: '17' }],
          Attachments: [
            { FileName: 'a.txt', RawContent: base64('a'), ContentDescription: 'A' },
            {
              FileName: 'logo.png',
              RawContent: base64('png'),
              ContentId: '<logo>',
              ContentDisposition: 'INLINE',
              ContentType: 'image/png',
            },
          ],
        },
      },
    })
    expect(body.MessageId).toMatch(/^0100[\da-f]{12}-[\da-f]{8}-[\da-f-]{27}-000000$/)
    const { id } = await post.inbox.waitFor({ subject: 'All' })
    const found = await post.inbox.get(id)
    expect(found.envelope.rcpt_to).toEqual([
      'ada@example.com',
      'bob@example.com',
      'carl@example.com',
      'dora@example.com',
    ])
    expect(found.metadata).toEqual({ 'ses:configuration-set': 'shop', order: '17' })
    expect(found.provider).toEqual({ name: 'ses', message_id: body.MessageId })
    const fields = new Map(found.headers)
    expect([fields.get('Reply-To'), fields.get('X-Order')]).toEqual(['help@acme.test, sales@acme.test', '17'])
    expect(found.attachments).toMatchObject([
      { filename: 'logo.png', content_id: 'logo', content_type: 'image/png' },
      { filename: 'a.txt', content_id: null },
    ])
  })

  test('sends a raw message to its own recipients or to given ones', async () => {
    const post = await start()
    const call = sesCaller(post)
    const message =
      'From: hi@acme.test\r\nTo: ada@example.com\r\nBcc: eve@example.com\r\nSubject: raw\r\n\r\nx\r\n'
    const Content = { Raw: { Data: base64(message) } }
    expect((await call('POST', '/outbound-emails', { Content })).status).toBe(200)
    const first = await post.inbox.waitFor({ subject: 'raw' })
    expect(first.envelope).toEqual({
      mail_from: 'hi@acme.test',
      rcpt_to: ['ada@example.com', 'eve@example.com'],
    })
    expect(new Map(first.headers).has('Bcc')).toBe(false)
    await post.inbox.removeAll()
    const Destination = { ToAddresses: ['Bob <bob@example.com>'] }
    const given = { FromEmailAddress: 'Bounces <bounces@acme.test>', Destination, Content }
    expect((await call('POST', '/outbound-emails', given)).status).toBe(200)
    const second = await post.inbox.waitFor({ subject: 'raw' })
    expect(second.envelope).toEqual({ mail_from: 'bounces@acme.test', rcpt_to: ['bob@example.com'] })
  })

  test('sends to blind copies alone', async () => {
    const post = await start()
    const Destination = { BccAddresses: ['eve@example.com'] }
    expect((await sesCaller(post)('POST', '/outbound-emails', { ...mail, Destination })).status).toBe(200)
    expect((await post.inbox.waitFor({ subject: 'Hello' })).envelope.rcpt_to).toEqual(['eve@example.com'])
  })

  test('fills in templates, stored and given', async () => {
    const post = await start()
    const call = sesCaller(post)
    const TemplateContent = { Subject: 'Hi {{name}}', Text: 'Number {{count}}' }
    await call('POST', '/templates', { TemplateName: 'welcome', TemplateContent })
    const send = (Template: object): Promise<Answered<{ message: string }>> =>
      call('POST', '/outbound-emails', { ...mail, Content: { Template } })
    const TemplateData = JSON.stringify({ name: 'Ada', count: 3 })
    expect((await send({ TemplateName: 'welcome', TemplateData })).status).toBe(200)
    expect((await post.inbox.waitFor({ subject: 'Hi Ada' })).text).toContain('Number 3')
    const inline = { TemplateContent: { Subject: 'In {{name}}', Text: 'x' }, TemplateData }
    expect((await send(inline)).status).toBe(200)
    await post.inbox.waitFor({ subject: 'In Ada' })
    expect(await send({ TemplateName: 'none', TemplateData })).toMatchObject({
      status: 404,
      type: 'NotFoundException',
    })
    for (const [data, fault] of [
      ['{', 'is not JSON'],
      ['[]', 'must be a JSON object'],
      ['{"name":"Ada"}', "Attribute 'count' is not present in the rendering data."],
    ] as const)
      expect((await send({ TemplateName: 'welcome', TemplateData: data })).body.message).toContain(fault)
  })
})

test('of two templates of one name that are created at the same time, one is refused', async () => {
  const call = sesCaller(await start())
  const answers = await Promise.all(
    ['a', 'b'].map((Subject) =>
      call('POST', '/templates', { TemplateName: 'one', TemplateContent: { Subject } }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
})

test('templates are Handlebars: blocks, nested data, nothing escaped', async () => {
  const post = await start()
  const call = sesCaller(post)
  const TemplateContent = {
    Subject: '{{name.first}} & co',
    Html: '{{#each items}}<i>{{this.title}}{{#unless @last}}, {{/unless}}</i>{{/each}}{{#if vip}}VIP{{else}}-{{/if}}{{raw}}',
    Text: '{{#with name}}{{first}}{{/with}}',
  }
  await call('POST', '/templates', { TemplateName: 'list', TemplateContent })
  const data = { name: { first: 'Ada' }, items: [{ title: 'A' }, { title: 'B' }], raw: '<b>' }
  const TemplateData = JSON.stringify(data)
  const html = '<i>A, </i><i>B</i>-<b>'
  expect(await call('POST', '/templates/list/render', { TemplateData })).toMatchObject({
    status: 200,
    body: { RenderedTemplate: `Subject: Ada & co\r\n\r\nAda\r\n\r\n${html}` },
  })
  expect(await call('POST', '/templates/list/render', { TemplateData: '{"raw":""}' })).toMatchObject({
    status: 400,
    type: 'BadRequestException',
    body: {
      message: "Attribute 'name.first' is not present in the rendering data.",
    },
  })
  const Template = { TemplateName: 'list', TemplateData }
  const { body } = await call<{ BulkEmailEntryResults: object[] }>('POST', '/outbound-bulk-emails', {
    FromEmailAddress: from,
    DefaultContent: { Template },
    BulkEmailEntries: [{ vip: true }, { name: {} }].map((replaced) => ({
      Destination: { ToAddresses: ['ada@example.com'] },
      ReplacementEmailContent: {
        ReplacementTemplate: { ReplacementTemplateData: JSON.stringify(replaced) },
      },
    })),
  })
  expect(body.BulkEmailEntryResults).toMatchObject([
    { Status: 'SUCCESS' },
    { Status: 'INVALID_PARAMETER', Error: containing("Attribute 'name.first' is not present") },
  ])
  const { html: sent } = await post.inbox.waitFor({ subject: 'Ada & co' })
  expect(sent).toBe('<i>A, </i><i>B</i>VIP<b>')
})

test('SendBulkEmail sends the right emails of a request, and says what is wrong with the others', async () => {
  const post = await start()
  const entry = (to: string, name?: string): object => ({
    Destination: { ToAddresses: [to] },
    ...(name === undefined
      ? {}
      : {
          ReplacementEmailContent: {
            ReplacementTemplate: { ReplacementTemplateData: JSON.stringify({ name }) },
          },
        }),
  })
  const { body } = await sesCaller(post)<{ BulkEmailEntryResults: object[] }>(
    'POST',
    '/outbound-bulk-emails',
    {
      FromEmailAddress: from,
      DefaultContent: {
        Template: {
          TemplateContent: { Subject: 'Hi {{name}}', Text: 'x' },
          TemplateData: JSON.stringify({ name: 'you' }),
          Headers: [{ Name: 'X-A', Value: '1' }],
        },
      },
      BulkEmailEntries: [entry('ada@example.com', 'Ada'), entry('nobody'), entry('bob@example.com')],
    },
  )
  expect(body.BulkEmailEntryResults).toEqual([
    { Status: 'SUCCESS', MessageId: containing('0100') },
    { Status: 'INVALID_PARAMETER', Error: containing('"nobody"') },
    { Status: 'SUCCESS', MessageId: containing('0100') },
  ])
  await post.inbox.waitFor({ subject: 'Hi Ada', to: 'ada@example.com' })
  await post.inbox.waitFor({ subject: 'Hi you', to: 'bob@example.com' })
  expect((await post.emails.list()).count).toBe(2)
})

test.each([
  [
    'more content than all emails together may have',
    '/outbound-bulk-emails',
    {
      FromEmailAddress: from,
      DefaultContent: {
        Template: { TemplateContent: { Subject: 'x', Html: 'x'.repeat(1_100_000) }, TemplateData: '{}' },
      },
      BulkEmailEntries: Array.from({ length: 50 }, () => ({
        Destination: { ToAddresses: ['ada@example.com'] },
      })),
    },
    'MessageRejected',
    'for all emails together',
  ],
  [
    'an inline part without an id',
    '/outbound-emails',
    {
      ...mail,
      Content: {
        Simple: {
          ...simple,
          Attachments: [{ FileName: 'a.png', RawContent: 'YQ==', ContentDisposition: 'INLINE' }],
        },
      },
    },
    'BadRequestException',
    'ContentId',
  ],
  [
    'Reply-To beside a raw message',
    '/outbound-emails',
    { ReplyToAddresses: ['a@acme.test'], Content: { Raw: { Data: base64('From: a@acme.test\r\n\r\n') } } },
    'BadRequestException',
    'ReplyToAddresses',
  ],
])('refuses %s', async (_, path, given, type, words) => {
  const post = await start()
  expect(await sesCaller(post)('POST', path, given)).toMatchObject({
    status: 400,
    type,
    body: { message: containing(words) },
  })
  expect((await post.emails.list()).count).toBe(0)
})

test('lists the suppressed addresses of several reasons', async () => {
  const post = await start()
  const call = sesCaller(post)
  for (const Reason of ['BOUNCE', 'COMPLAINT'])
    await call('PUT', '/suppression/addresses', { EmailAddress: `${Reason}@example.com`, Reason })
  const listed = async (query: string): Promise<number> => {
    const path = `/suppression/addresses${query}`
    const { body } = await call<{ SuppressedDestinationSummaries: object[] }>('GET', path)
    return body.SuppressedDestinationSummaries.length
  }
  expect(await listed('?Reason=BOUNCE')).toBe(1)
  expect(await listed('?Reason=BOUNCE&Reason=COMPLAINT')).toBe(2)
  expect((await call('GET', '/suppression/addresses?PageSize=1&PageSize=2')).status).toBe(400)
})

test('lists templates by pages of any size that SES takes', async () => {
  const post = await start()
  const call = sesCaller(post)
  const TemplateContent = { Subject: 'Hi', Text: 'x' }
  await call('POST', '/templates', { TemplateName: 'a', TemplateContent })
  for (const size of [1, 500, 501, 1000])
    expect(await call('GET', `/templates?PageSize=${size}`)).toMatchObject({
      status: 200,
      body: { TemplatesMetadata: [{ TemplateName: 'a' }] },
    })
})

test('a template that Localpost cannot render is refused when it is stored and when it is given', async () => {
  const post = await start()
  const call = sesCaller(post)
  for (const text of ['{{#if a}}x', '{{> part}}', '{{* a}}', '{{a', '{{equals a b}}', '{{log a}}']) {
    const TemplateContent = { Subject: text, Text: 'x' }
    const fault = containing('TemplateContent.Subject line 1')
    const stored = await call<{ message: string }>('POST', '/templates', {
      TemplateName: 'a',
      TemplateContent,
    })
    expect([text, stored.status, stored.body.message]).toEqual([text, 400, fault])
    const Content = { Template: { TemplateContent, TemplateData: '{}' } }
    const sent = await call<{ message: string }>('POST', '/outbound-emails', { ...mail, Content })
    expect([text, sent.status, sent.body.message]).toEqual([text, 400, containing('line 1')])
  }
  const right = { TemplateName: 'a', TemplateContent: { Subject: 'Hi {{a}}' } }
  expect((await call('POST', '/templates', right)).status).toBe(200)
  expect(await call('POST', '/templates', right)).toMatchObject({
    status: 400,
    type: 'AlreadyExistsException',
  })
})

test.each([
  ['none', null, 'MissingAuthenticationTokenException'],
  ['another scheme', 'Bearer {key}', 'MissingAuthenticationTokenException'],
  [
    'no credential',
    'AWS4-HMAC-SHA256 SignedHeaders=host, Signature=00',
    'MissingAuthenticationTokenException',
  ],
  ['no scope', 'AWS4-HMAC-SHA256 Credential={key}', 'MissingAuthenticationTokenException'],
  [
    'an empty key',
    'AWS4-HMAC-SHA256 Credential=/x/y/ses/aws4_request',
    'MissingAuthenticationTokenException',
  ],
  ['a wrong key', 'AWS4-HMAC-SHA256 Credential=wrong/x/y/ses/aws4_request', 'UnrecognizedClientException'],
  ['spaces without an end', `AWS4-HMAC-SHA256${' '.repeat(8000)}x`, 'MissingAuthenticationTokenException'],
  ['another order', 'AWS4-HMAC-SHA256 SignedHeaders=host, Credential={key}/x/y/ses/aws4_request', null],
])('a signature with %s', async (_, given, type) => {
  const post = await start()
  const authorization = given?.replace('{key}', post.apiKey)
  const headers = new Headers(authorization === undefined ? [] : [['authorization', authorization]])
  const response = await post.fetch(new Request('http://localhost/ses/v2/email/account', { headers }))
  expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([
    type === null ? 200 : 403,
    type,
  ])
})

test('events are posted as SNS posts them', async () => {
  const post = await start()
  const receiver = await openReceiver()
  await post.webhooks.create({ url: receiver.url, shape: 'ses' })
  const Destination = { ToAddresses: ['bounce@simulator.amazonses.com'] }
  const EmailTags = [{ Name: 'order', Value: '17' }]
  const given = { ...mail, Destination, EmailTags, ConfigurationSetName: 'shop' }
  await sesCaller(post)('POST', '/configuration-sets', { ConfigurationSetName: 'shop' })
  const { body } = await sesCaller(post)('POST', '/outbound-emails', given)
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(3)
  const notifications = receiver.received.slice(1).map((request) => {
    const notification = JSON.parse(request.text) as Record<string, string>
    expect(request.headers).toMatchObject({
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-message-id': notification['MessageId'],
    })
    expect(notification).toMatchObject({ Type: 'Notification', SignatureVersion: '1', Signature: '' })
    return JSON.parse(notification['Message'] ?? '') as Record<string, unknown>
  })
  const common = {
    source: 'hi@acme.test',
    messageId: body.MessageId,
    destination: Destination.ToAddresses,
    tags: { 'ses:configuration-set': ['shop'], order: ['17'] },
  }
  expect(notifications).toMatchObject([
    { eventType: 'Send', mail: common, send: {} },
    {
      eventType: 'Bounce',
      mail: common,
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          {
            emailAddress: 'bounce@simulator.amazonses.com',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: containing('smtp; 550 5.1.1'),
          },
        ],
      },
    },
  ])
})

describe('version 1', () => {
  const call = async (
    post: Localpost,
    parameters: Record<string, string> | string,
  ): Promise<[number, string]> => {
    const headers = {
      authorization: authorizationOf('/ses-v1/', post.apiKey),
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    }
    const body =
      typeof parameters === 'string'
        ? parameters
        : new URLSearchParams({ Version: '2010-12-01', ...parameters }).toString()
    const response = await post.fetch(
      new Request('http://localhost/ses-v1/', { method: 'POST', headers, body }),
    )
    expect(response.headers.get('content-type')).toBe('text/xml; charset=utf-8')
    return [response.status, await response.text()]
  }
  const message = {
    Action: 'SendEmail',
    Source: from,
    'Destination.ToAddresses.member.1': 'ada@example.com',
    'Destination.ToAddresses.member.2': 'Bob <bob@example.com>',
    'Message.Subject.Data': 'v1 & <more>',
    'Message.Body.Text.Data': 'a=b&c',
    'Tags.member.1.Name': 'order',
    'Tags.member.1.Value': '17',
  }

  test('sends a message in parts', async () => {
    const post = await start()
    const [status, text] = await call(post, message)
    const [, id] = /<MessageId>([^<]+)<\/MessageId>/.exec(text) ?? []
    expect([status, text]).toEqual([200, containing('<SendEmailResponse xmlns=')])
    const found = await post.inbox.waitFor({ subject: 'v1 & <more>' })
    expect(found.text).toContain('a=b&c')
    expect(found).toMatchObject({ metadata: { order: '17' }, provider: { name: 'ses', message_id: id } })
    expect(found.envelope.rcpt_to).toEqual(['ada@example.com', 'bob@example.com'])
  })

  test('takes the empty lists that clients write, also with strict, and says nothing of the slash', async () => {
    const post = await start({ strict: true })
    await post.domains.create({ name: 'acme.test' })
    const [domain] = (await post.domains.list()).items
    await post.domains.verify(domain?.id ?? '', { status: 'SUCCESS' })
    const empty = { 'Destination.CcAddresses': '', 'Destination.BccAddresses': '', ReplyToAddresses: '' }
    const { 'Destination.ToAddresses.member.2': _, ...alone } = message
    expect((await call(post, { ...alone, ...empty }))[0]).toBe(200)
    const { items } = await post.requests.list()
    expect(items[0]?.warnings.join()).not.toContain('slash')
  })

  test('sends a raw message of several megabytes', async () => {
    const post = await start()
    const raw = `From: hi@acme.test\r\nTo: ada@example.com\r\nSubject: big\r\n\r\n${'hello world\r\n'.repeat(150_000)}`
    const [status] = await call(post, { Action: 'SendRawEmail', 'RawMessage.Data': base64(raw) })
    expect(status).toBe(200)
    expect((await post.inbox.waitFor({ subject: 'big' })).size_bytes).toBeGreaterThan(1_900_000)
  })

  test('takes as many parameters as may be, and none between two separators', async () => {
    const post = await start()
    const others = Array.from({ length: 1999 }, (_, i) => `a${i}=`)
    const answer = await call(post, `&&Action=SendEmail&${others.join('&&')}&`)
    expect(answer).toEqual([400, containing('unknown members')])
  })

  test('answers quotas and verifications of addresses', async () => {
    const post = await start()
    await call(post, message)
    expect((await call(post, { Action: 'GetSendQuota' }))[1]).toContain(
      '<SentLast24Hours>1</SentLast24Hours>',
    )
    expect((await call(post, { Action: 'VerifyEmailIdentity', EmailAddress: 'a@b.test' }))[0]).toBe(200)
  })

  test.each([
    [{ Action: '' }, 501, 'InvalidAction'],
    [{ Action: 'ListIdentities' }, 501, 'InvalidAction'],
    [{ Action: 'constructor' }, 501, 'InvalidAction'],
    [{}, 400, 'Action is missing'],
    [{ ...message, Source: '' }, 400, 'FromEmailAddress'],
    [{ ...message, 'Destination.ToAddresses.member.1': 'a & b' }, 400, 'a &amp; b'],
    [{ ...message, Surprise: 'x' }, 400, 'Surprise'],
    [
      Object.fromEntries(
        Array.from({ length: 2000 }, (_, i) => [i === 0 ? 'Action' : `a${i}`, i === 0 ? 'SendEmail' : '']),
      ),
      400,
      'at most 2000 parameters',
    ],
    [{ ...message, 'Source.member.1': 'x' }, 400, 'contradicts'],
    [{ ...message, 'a.b.c.d.e.f.g.h.i.j': 'x' }, 400, 'nested too deep'],
    [{ ...message, '__proto__.x': 'y' }, 400, '__proto__'],
    [{ Action: 'SendRawEmail', 'RawMessage.Data': '%%%' }, 400, 'must be base64'],
    [{ ...message, Action: 'SendTemplatedEmail', Template: 'x' }, 400, 'Message'],
  ])('refuses %j', async (parameters, status, words) => {
    const post = await start()
    const [answered, text] = await call(post, parameters)
    expect([answered, text]).toEqual([status, containing(words)])
    expect(text).toMatch(
      /^<ErrorResponse xmlns="[^"]+"><Error><Type>(?:Sender|Receiver)<\/Type><Code>\w+<\/Code><Message>/,
    )
    expect((await post.emails.list()).count).toBe(0)
  })
})
