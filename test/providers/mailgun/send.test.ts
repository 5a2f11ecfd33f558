import { describe, expect, test } from 'vitest'
import { createClock } from '../../../src/index.ts'
import { start } from '../../support/instance.ts'
import { containing } from '../_resend.ts'
import { mail, mailgunCaller, messages, settled, type FormValue } from './_mailgun.ts'

describe('POST /v3/{domain}/messages', () => {
  test('sends every parameter', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const form = {
      ...mail,
      to: ['Ada <ada@example.com>', '"B, Bob" <bob@example.com>, eve@example.com'],
      cc: 'carl@example.com',
      bcc: 'dora@example.com',
      html: '<p>It works.</p><img src="cid:logo.png">',
      attachment: [
        new File(['one'], 'a.txt', { type: 'text/plain' }),
        new File([Uint8Array.from([0, 255, 13, 10])], 'ü b.bin'),
      ],
      inline: new File(['png'], 'logo.png', { type: 'image/png' }),
      'o:tag': ['welcome', 'first'],
      'o:tracking': 'no',
      'o:dkim': 'yes',
      'o:require-tls': 'true',
      'o:testmode': 'yes',
      // Of two fields with one name the last one counts.
      'h:reply-to': 'first@acme.test',
      'h:Reply-To': 'Help <help@acme.test>, sales@acme.test',
      'h:X-Order': '17',
      'v:order': '17',
      'v:data': '{"a":1}',
      'h:X-Mailgun-Variables': '{"list":[1]}',
    }
    const { status, body } = await call('POST', messages, { form })
    expect([status, body]).toEqual([
      200,
      { id: expect.stringMatching(/^<[\da-f]{32}@acme\.test>$/) as string, message: 'Queued. Thank you.' },
    ])
    await settled(post)
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    const headers = new Map(found.headers)
    expect([headers.get('X-Order'), headers.get('Reply-To'), headers.get('Message-ID')]).toEqual([
      '17',
      'Help <help@acme.test>, sales@acme.test',
      body.id,
    ])
    expect([found.to, found.cc, found.bcc]).toEqual([
      ['ada@example.com', 'bob@example.com', 'eve@example.com'],
      ['carl@example.com'],
      ['dora@example.com'],
    ])
    expect(found.tags).toEqual(['welcome', 'first'])
    const files = found.attachments.map(async ({ index, filename, content_type, content_id }) => {
      const { content } = await post.inbox.attachment(found.id, index)
      return [filename, content_type, content_id, [...content].join()]
    })
    expect(await Promise.all(files)).toEqual([
      ['logo.png', 'image/png', 'logo.png', [...Buffer.from('png')].join()],
      ['a.txt', 'text/plain', null, [...Buffer.from('one')].join()],
      ['ü b.bin', 'application/octet-stream', null, '0,255,13,10'],
    ])
    expect([found.metadata, found.tracking, found.provider]).toEqual([
      { order: '17', data: '{"a":1}', list: '[1]', 'o:testmode': 'yes' },
      { opens: false, clicks: false },
      { name: 'mailgun', message_id: body.id },
    ])
  })

  test('takes lists whose values are numbered, as clients in PHP write them', async () => {
    const post = await start()
    const { to: _, ...others } = mail
    const form = {
      ...others,
      'to[0]': 'ada@example.com',
      'to[1]': 'bob@example.com',
      'o:tag[]': 'a',
      'attachment[0]': new File(['one'], 'a.txt'),
    }
    await mailgunCaller(post)('POST', messages, { form })
    await settled(post)
    const { to, tags, attachments } = await post.inbox.waitFor({ subject: 'Hello' })
    expect([to, tags, attachments.map(({ filename }) => filename)]).toEqual([
      ['ada@example.com', 'bob@example.com'],
      ['a'],
      ['a.txt'],
    ])
  })

  test('takes urlencoded forms, its own Message-Id, and the API key as any password', async () => {
    const post = await start()
    const { body } = await mailgunCaller(post)('POST', messages, {
      query: { ...mail, 'h:Message-Id': 'a.1@acme.test' },
    })
    expect(body.id).toBe('<a.1@acme.test>')
    await settled(post)
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    expect(new Map(found.headers).get('Message-ID')).toBe('<a.1@acme.test>')
  })

  test('sends each recipient an email of its own, with its variables', async () => {
    const post = await start()
    const variables = {
      'Ada@EXAMPLE.com': { name: 'Ada', 'h:X-Id': 1, 'v:order': { id: 7 } },
      'nobody@example.com': { name: 'Nobody' },
      'bob@example.com': { name: '%recipient.h:X-Id%' },
    }
    const form = {
      ...mail,
      to: ['Ada <ada@example.com>', 'bob@example.com', 'eve@example.com'],
      cc: 'carl@example.com',
      subject: 'Hi %recipient.name%, 100%',
      text: 'Dear %recipient.name% %recipient% %recipient.%',
      html: '<b>%recipient.name%</b>',
      'h:X-Id': '%recipient.h:X-Id%',
      'v:order': '%recipient.v:order%',
      'recipient-variables': JSON.stringify(variables),
    }
    const { body } = await mailgunCaller(post)('POST', messages, { form })
    await settled(post)
    const mails = await Promise.all(
      ['ada', 'bob', 'eve'].map((name) => post.inbox.waitFor({ to: `${name}@example.com` })),
    )
    expect(mails.map(({ to, cc, subject, metadata }) => [to, cc, subject, metadata?.['order']])).toEqual([
      [['ada@example.com'], ['carl@example.com'], 'Hi Ada, 100%', '{"id":7}'],
      [['bob@example.com'], ['carl@example.com'], 'Hi %recipient.h:X-Id%, 100%', '%recipient.v:order%'],
      [['eve@example.com'], ['carl@example.com'], 'Hi %recipient.name%, 100%', '%recipient.v:order%'],
    ])
    expect(new Set(mails.map(({ provider }) => provider?.message_id))).toEqual(new Set([body.id]))
    const [first] = mails
    expect([first?.text, first?.html, new Map(first?.headers).get('X-ID')]).toEqual([
      'Dear Ada %recipient% %recipient.%',
      '<b>Ada</b>',
      '1',
    ])
  })

  test('sends later, by both forms of times', async () => {
    const clock = createClock({ now: '2026-11-26T09:00:00Z' })
    const post = await start({ clock })
    const call = mailgunCaller(post)
    const times = ['Thu, 26 Nov 2026 10:00:00 GMT', '26 Nov 2026 11:00:00 +0100', '1795687200.0001']
    for (const time of times) {
      const { status, body } = await call('POST', messages, { form: { ...mail, 'o:deliverytime': time } })
      expect([time, status, body.message]).toEqual([time, 200, 'Queued. Thank you.'])
    }
    for (const past of ['Thu, 26 Nov 1960 10:00:00 GMT', '0.00001'])
      expect(await call('POST', messages, { form: { ...mail, 'o:deliverytime': past } })).toMatchObject({
        status: 200,
      })
    const { items } = await post.sending.scheduled.list()
    expect(items.map(({ send_at }) => new Date(send_at).toISOString())).toEqual(
      times.map(() => '2026-11-26T10:00:00.000Z'),
    )
  })
})

describe('POST /v3/{domain}/messages.mime', () => {
  const mime = 'From: Acme <hi@acme.test>\r\nTo: all@example.com\r\nSubject: Raw\r\n\r\nIt works.\r\n'

  test('sends a message as it is, to the addresses of the form', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const file = new File([mime], 'message.mime')
    const form = { to: ['Ada <ada@example.com>, bob@example.com'], message: file, 'o:tag': 'a', 'v:b': 'c' }
    const { body } = await call('POST', `${messages}.mime`, { form })
    expect(body.id).toMatch(/^<[\da-f]{32}@acme\.test>$/)
    await settled(post)
    const found = await post.inbox.waitFor({ subject: 'Raw' })
    const headers = new Map(found.headers)
    expect([headers.get('To'), headers.get('Message-ID')]).toEqual(['all@example.com', body.id])
    expect([found.envelope.rcpt_to, found.tags]).toEqual([['ada@example.com', 'bob@example.com'], ['a']])
  })

  test('reads the tags and variables that are fields of the message', async () => {
    const post = await start()
    const fields = 'X-Mailgun-Tag: welcome\r\nX-Mailgun-Variables: {"order":17}\r\n'
    const form = { to: 'ada@example.com', message: fields + mime, 'o:tag': 'first', 'v:a': 'b' }
    await mailgunCaller(post)('POST', `${messages}.mime`, { form })
    const { tags, metadata } = await post.inbox.waitFor({ subject: 'Raw' })
    expect([tags, metadata]).toEqual([['first', 'welcome'], { a: 'b', order: '17' }])
    const wrong = { to: 'ada@example.com', message: `X-Mailgun-Variables: x\r\n${mime}` }
    expect(await mailgunCaller(post)('POST', `${messages}.mime`, { form: wrong })).toMatchObject({
      status: 400,
    })
  })

  test('keeps the Message-ID of the message, and takes a text', async () => {
    const post = await start()
    const form = { to: 'ada@example.com', message: `Message-ID: <own@acme.test>\r\n${mime}` }
    const { body } = await mailgunCaller(post)('POST', `${messages}.mime`, { form })
    expect(body.id).toBe('<own@acme.test>')
  })
})

describe('what is wrong', () => {
  const wrong: Readonly<Record<string, [Record<string, FormValue>, string]>> = {
    'no recipient': [{ to: [] }, "'to' parameter"],
    'no address': [{ to: 'nobody' }, "'to' parameter must be an address"],
    'no body': [{ text: [] }, "'text' parameter is missing"],
    'no subject': [{ subject: [] }, "'subject' parameter is missing"],
    'two senders': [{ from: ['a@acme.test', 'b@acme.test'] }, "'from' parameter must be given once"],
    'too many recipients': [
      { to: Array.from({ length: 1001 }, (_, i) => `a${i}@example.com`) },
      "'to' parameter",
    ],
    'too many in one text': [
      { to: Array.from({ length: 1001 }, (_, i) => `a${i}@example.com`).join(', ') },
      "'to' parameter must have at most 1000 addresses",
    ],
    'an unknown parameter': [{ other: 'x' }, 'unknown members: other'],
    'an unknown option': [{ 'o:other': 'x' }, 'unknown members: o:other'],
    'a part in AMP': [{ 'amp-html': 'x' }, "'amp-html' parameter is not supported"],
    'an option that is not supported': [
      { 'o:time-zone-localize': '02:00PM' },
      "'o:time-zone-localize' parameter is not supported",
    ],
    'a wrong option': [{ 'o:tracking': 'maybe' }, "'o:tracking' parameter"],
    'too many tags': [{ 'o:tag': Array.from({ length: 11 }, String) }, "'o:tag' parameter"],
    'no time': [{ 'o:deliverytime': 'tomorrow' }, "'o:deliverytime' parameter must be RFC 2822"],
    'no day': [
      { 'o:deliverytime': 'Sun, 30 Feb 2020 09:00:00 +0000' },
      "'o:deliverytime' parameter must be RFC 2822",
    ],
    'an hour that days do not have': [
      { 'o:deliverytime': '31 Dec 2020 24:00:00 GMT' },
      "'o:deliverytime' parameter must be RFC 2822",
    ],
    'a late time': [
      { 'o:deliverytime': '4102444800' },
      "'o:deliverytime' parameter must be at most 7 days ahead",
    ],
    'a field that Localpost writes': [{ 'h:Subject': 'x' }, "'h:Subject' parameter is written by Localpost"],
    'a field with a line break': [{ 'h:X-A': 'a\r\nBcc: eve@example.com' }, "'h:X-A' parameter"],
    'a subject with a line break': [{ subject: 'a\r\nBcc: eve@example.com' }, "'subject' parameter"],
    'a sender with a line break': [{ from: 'hi@acme.test\r\nBcc: eve@example.com' }, "'from' parameter"],
    'a field without a name': [{ 'h:': 'x' }, "'h:' parameter must have a name"],
    'a field twice': [{ 'h:X-A': ['a', 'b'] }, "'h:X-A' parameter must be given once"],
    'a variable twice': [{ 'v:a': ['a', 'b'] }, "'v:a' parameter must be given once"],
    'a text as file': [{ attachment: 'x' }, "'attachment' parameter must be a file"],
    'a file as text': [{ text: new File(['x'], 'a.txt') }, "'text' parameter must be a text, not a file"],
    'a file name with a path': [
      { attachment: new File(['x'], '../a.txt') },
      "'attachment[0].filename' parameter",
    ],
    'a name that no cid has': [{ inline: new File(['x'], 'my logo.png') }, "'inline[0].filename' parameter"],
    'a wrong Message-Id': [{ 'h:Message-Id': 'x' }, "'h:Message-Id' parameter must have the form"],
    'variables that are no JSON': [
      { 'recipient-variables': 'x' },
      "'recipient-variables' parameter must be an object in JSON",
    ],
    'variables that are a list': [
      { 'recipient-variables': '[]' },
      "'recipient-variables' parameter must be an object in JSON",
    ],
    'variables without an object': [
      { 'recipient-variables': '{"ada@example.com":1}' },
      "'recipient-variables' parameter must have an object for",
    ],
    'data without a template': [
      { 't:variables': '{}' },
      "'t:variables' parameter must be given with a template",
    ],
    'an unknown template': [{ template: 'none' }, 'template'],
  }

  test('is named with status 400, and nothing is stored', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    for (const [what, [members, message]] of Object.entries(wrong)) {
      const { status, body } = await call('POST', messages, { form: { ...mail, ...members } })
      expect([what, status, body.message]).toEqual([what, 400, containing(message)])
    }
    const mime = { to: mail.to, message: 'Subject: x\r\n\r\nx' }
    const wrongMime: Record<string, FormValue>[] = [
      { message: [] },
      { message: 'x' },
      { 'h:X-A': 'b' },
      { template: 'x' },
      { 'recipient-variables': '{}' },
      { 'o:tracking': 'yes' },
      { to: 'nobody' },
      { subject: 'x' },
    ]
    for (const members of wrongMime) {
      const { status } = await call('POST', `${messages}.mime`, { form: { ...mime, ...members } })
      expect([members, status]).toEqual([members, 400])
    }
    expect([(await post.emails.list()).count, (await post.sending.scheduled.list()).count]).toEqual([0, 0])
  })

  test('is refused before it grows: variables that would make gigabytes', async () => {
    const post = await start()
    const to = Array.from({ length: 100 }, (_, i) => `a${i}@example.com`)
    const variables = Object.fromEntries(to.map((one) => [one, { a: 'x'.repeat(1000) }]))
    const form = {
      ...mail,
      to,
      text: '%recipient.a%'.repeat(5000),
      'recipient-variables': JSON.stringify(variables),
    }
    const { status, body } = await mailgunCaller(post)('POST', messages, { form })
    expect([status, body.message]).toEqual([413, containing('all recipients together')])
    expect((await post.emails.list()).count).toBe(0)
  })

  test.each<[string, object, number, string]>([
    ['data of a template', { 't:variables': JSON.stringify({ list: Array(9000).fill(1) }) }, 413, 'together'],
    [
      'data of a template that is filled in',
      { 't:variables': JSON.stringify({ list: Array(9000).fill(1), a: '%recipient.a%' }) },
      413,
      'together',
    ],
    ['variables', Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v:${i}`, ''])), 400, "'v:"],
    [
      'header fields',
      Object.fromEntries(Array.from({ length: 104 }, (_, i) => [`h:X-${i}`, ''])),
      400,
      "'h:",
    ],
    ['a variable with the name of an option', { 'v:o:testmode': 'no' }, 400, "'v:o:testmode"],
  ])('is refused before each recipient gets a copy: %s', async (_, given, status, message) => {
    const post = await start()
    const to = Array.from({ length: 500 }, (_, i) => `a${i}@example.com`)
    const form = { ...mail, to, template: 'a', 'recipient-variables': '{"a1@example.com":{"a":1}}', ...given }
    const answer = await mailgunCaller(post)('POST', messages, { form })
    expect([answer.status, answer.body.message]).toEqual([status, containing(message)])
  })

  test('is a domain that is none, a key that is unknown, and JSON', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const form = { ...mail }
    const at = (path: string, key?: string | null): Promise<unknown> =>
      call('POST', path, { form }, key).then(({ status, body }) => [status, body.message])
    expect(await at('/v3/no_domain/messages')).toEqual([404, 'Domain not found: "no_domain"'])
    expect(await at(messages, 'unknown')).toEqual([401, containing('There is no API key')])
    expect(await at(messages, null)).toEqual([401, containing('no API key')])
    expect(await call('POST', messages, { json: mail })).toMatchObject({
      status: 415,
      body: { message: containing('multipart/form-data') },
    })
    expect(await call('GET', '/v3/lists')).toMatchObject({
      status: 501,
      body: { message: containing('Mailing lists') },
    })
  })

  test('is a test mode that would reach people', async () => {
    const post = await start({ relay: 'smtp://127.0.0.1:9', relayAll: true })
    const call = mailgunCaller(post)
    const { status, body } = await call('POST', messages, { form: { ...mail, 'o:testmode': 'yes' } })
    expect([status, body.message]).toEqual([400, containing("'o:testmode' parameter is not possible")])
    expect((await post.emails.list()).count).toBe(0)
  })

  test('is a damaged form, long or short', async () => {
    const post = await start()
    const form = new FormData()
    for (const [name, value] of Object.entries(mail)) form.append(name, value)
    form.append('attachment', new File([Buffer.alloc(1_500_000, 'x')], 'a.txt'), 'a.txt')
    const whole = new Response(form)
    const type = whole.headers.get('content-type') ?? ''
    const bytes = Buffer.from(await whole.arrayBuffer())
    const send = async (body: Buffer, contentType: string): Promise<[number, string]> => {
      const authorization = `Basic ${Buffer.from(`api:${post.apiKey}`).toString('base64')}`
      const headers = { authorization, 'content-type': contentType }
      const request = new Request(`http://localhost/mailgun${messages}`, {
        method: 'POST',
        headers,
        body: Uint8Array.from(body),
      })
      const response = await post.fetch(request)
      return [response.status, await response.text()]
    }
    expect(await send(bytes.subarray(0, -10), type)).toEqual([400, containing('cut off')])
    expect(await send(bytes.subarray(0, 100), type)).toEqual([400, containing('cut off')])
    expect(await send(bytes, 'multipart/form-data; boundary=other')).toEqual([400, containing('boundary')])
    expect(await send(bytes, 'multipart/form-data')).toEqual([400, containing('no boundary')])
    expect((await post.emails.list()).count).toBe(0)
    expect((await send(bytes, type))[0]).toBe(200)
    await settled(post)
    const { attachments } = await post.inbox.waitFor({ subject: 'Hello' })
    expect(attachments.map(({ size_bytes }) => size_bytes)).toEqual([1_500_000])
  })
})
