import { beforeAll, describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start, startShared } from '../support/instance.ts'
import { containing, mail, resendCaller, type ResendError } from './_resend.ts'

interface Listed {
  object: 'list'
  has_more: boolean
  data: { id: string }[]
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

describe('POST /resend/emails', () => {
  test('answers with a UUID, by which the email is found, and delivers it', async () => {
    const post = await start()
    const call = resendCaller(post)
    const { status, body } = await call('POST', '/emails', mail)
    expect([status, body]).toEqual([200, { id: expect.stringMatching(uuid) as string }])
    await post.inbox.waitFor({ subject: 'Hello' })
    const get = async (): Promise<Record<string, unknown>> =>
      (await call<Record<string, unknown>>('GET', `/emails/${body.id}`)).body
    await expect.poll(async () => (await get())['last_event']).toBe('delivered')
    const email = await get()
    expect(email).toEqual({
      object: 'email',
      id: body.id,
      message_id: expect.stringMatching(/^<.+@acme\.test>$/) as string,
      to: ['ada@example.com'],
      from: 'Acme <hi@acme.test>',
      created_at: new Date(Date.parse(String(email['created_at']))).toISOString(),
      subject: 'Hello',
      html: null,
      text: 'It works.',
      bcc: null,
      cc: null,
      reply_to: null,
      last_event: 'delivered',
      scheduled_at: null,
    })
  })

  test('sends every member', async () => {
    const post = await start()
    const { body } = await resendCaller(post)('POST', '/emails', {
      from: 'Acme <hi@acme.test>',
      to: ['Ada <ada@example.com>', 'bob@example.com'],
      cc: 'carl@example.com',
      bcc: ['dora@example.com'],
      reply_to: ['help@acme.test', 'sales@acme.test'],
      subject: 'All',
      html: '<img src="cid:logo">',
      text: 'All',
      headers: { 'X-Order': '17' },
      tags: [{ name: 'category', value: 'welcome' }],
      attachments: [
        { filename: 'a.txt', content: Buffer.from('base64').toString('base64') },
        { filename: 'b.txt', content: [...Buffer.from('numbers')] },
        { filename: 'c.txt', content: Buffer.from('buffer') },
        { path: 'data:text/plain,path', filename: 'd.txt' },
        { filename: 'logo.png', content: 'cG5n', content_id: 'logo', content_type: 'image/png' },
      ],
      topic_id: null,
    })
    const { id } = await post.inbox.waitFor({ subject: 'All' })
    const found = await post.inbox.get(id)
    expect(found.envelope.rcpt_to).toEqual([
      'ada@example.com',
      'bob@example.com',
      'carl@example.com',
      'dora@example.com',
    ])
    const fields = new Map(found.headers)
    expect(fields.get('Reply-To')).toBe('help@acme.test, sales@acme.test')
    expect(fields.get('X-Order')).toBe('17')
    expect(found.html).toContain('cid:logo')
    const files = await Promise.all(
      found.attachments.map(async ({ index, filename, content_type, content_id }) => [
        filename,
        content_type,
        content_id,
        Buffer.from((await post.inbox.attachment(id, index)).content).toString(),
      ]),
    )
    expect(files.sort()).toEqual([
      ['a.txt', 'text/plain', null, 'base64'],
      ['b.txt', 'text/plain', null, 'numbers'],
      ['c.txt', 'text/plain', null, 'buffer'],
      ['d.txt', 'text/plain', null, 'path'],
      ['logo.png', 'image/png', 'logo', 'png'],
    ])
    const { body: email } = await resendCaller(post)('GET', `/emails/${body.id}`)
    expect(email).toMatchObject({
      tags: [{ name: 'category', value: 'welcome' }],
      cc: ['carl@example.com'],
      bcc: ['dora@example.com'],
      reply_to: ['help@acme.test', 'sales@acme.test'],
    })
  })

  test('sends a request once with one Idempotency-Key, which is not that of other interfaces', async () => {
    const post = await start()
    const call = resendCaller(post)
    const headers = { 'idempotency-key': 'order-17' }
    await post.emails.send({ ...mail, subject: 'Other' }, { idempotencyKey: 'order-17' })
    const first = await call('POST', '/emails', mail, headers)
    const second = await call('POST', '/emails', mail, headers)
    expect(second.body).toEqual(first.body)
    const other = await call<ResendError>('POST', '/emails', { ...mail, subject: 'x' }, headers)
    expect([other.status, other.body.name]).toEqual([409, 'invalid_idempotent_request'])
    const long = { 'idempotency-key': 'x'.repeat(257) }
    const refused = await call<ResendError>('POST', '/emails', mail, long)
    expect([refused.status, refused.body.name]).toEqual([400, 'invalid_idempotency_key'])
    expect((await post.emails.list()).count).toBe(2)
  })

  test('fills in a stored template', async () => {
    const post = await start()
    const call = resendCaller(post)
    await post.templates.put('welcome', { subject: 'Hi {{NAME}}', text: 'You are number {{COUNT}}.' })
    const template = { id: 'welcome', variables: { NAME: 'Ada', COUNT: 3 } }
    const { from, to } = mail
    expect((await call('POST', '/emails', { from, to, template })).status).toBe(200)
    expect((await post.inbox.waitFor({ subject: 'Hi Ada' })).text).toContain('number 3.')
    const unknown = await call<ResendError>('POST', '/emails', { from, to, template: { id: 'none' } })
    expect([unknown.status, unknown.body.name]).toEqual([404, 'not_found'])
  })

  test('takes a body of several megabytes', async () => {
    const post = await start()
    const content = Buffer.alloc(3_000_000, 'x').toString('base64')
    const attachments = [{ filename: 'x.bin', content }]
    expect((await resendCaller(post)('POST', '/emails', { ...mail, attachments })).status).toBe(200)
    const found = await post.inbox.waitFor({ subject: 'Hello' })
    expect(found.attachments).toMatchObject([{ size_bytes: 3_000_000 }])
  })
})

test.each(['from', 'to', 'subject'])('a %s that is null is missing, as an absent one', async (name) => {
  const call = resendCaller(await start())
  const { [name]: _absent, ...others } = mail as Record<string, unknown>
  const absent = await call<ResendError>('POST', '/emails', others)
  expect([absent.status, absent.body.name]).toEqual([422, 'missing_required_field'])
  expect((await call('POST', '/emails', { ...others, [name]: null })).body).toEqual(absent.body)
})

describe('POST /resend/emails/batch', () => {
  const bad = { ...mail, to: 'nobody' }
  let post: Localpost
  beforeAll(async () => {
    const shared = await startShared()
    post = shared.post
    return shared.end
  })

  test('sends all in their order', async () => {
    const post = await start()
    const call = resendCaller(post)
    const { body } = await call<Listed>('POST', '/emails/batch', [mail, { ...mail, subject: 'Second' }])
    const subjects = body.data.map(async ({ id }) => {
      return (await call<{ subject: string }>('GET', `/emails/${id}`)).body.subject
    })
    expect(await Promise.all(subjects)).toEqual(['Hello', 'Second'])
    expect(Object.keys(body)).toEqual(['data'])
  })

  test.each([
    ['nothing', [], /body must have at least 1 entries/],
    ['too many', Array.from({ length: 101 }, () => mail), /at most 100 entries/],
    ['an object', mail, /must be an array/],
    ['an email that the core refuses', [mail, bad], /`\[1\]\.to` field/],
    ['an email that the schema refuses', [mail, { ...mail, subject: 7 }], /`\[1\]\.subject` field/],
    ['an attachment', [{ ...mail, attachments: [] }], /`attachments` field: is not possible in a batch/],
  ])('refuses %s, and stores nothing', async (_, given, message) => {
    const { status, body } = await resendCaller(post)<ResendError>('POST', '/emails/batch', given)
    expect([status, body.message]).toEqual([422, expect.stringMatching(message)])
    expect((await post.emails.list()).count).toBe(0)
  })

  test('with permissive validation sends the right ones, and tells what is wrong with the others', async () => {
    const post = await start()
    const call = resendCaller(post)
    const headers = { 'x-batch-validation': 'permissive', 'idempotency-key': 'batch' }
    const given = [bad, mail, { ...mail, subject: 7 }, mail]
    const { body } = await call<Listed>('POST', '/emails/batch', given, headers)
    expect(body).toEqual({
      data: [{ id: expect.stringMatching(uuid) as string }, { id: expect.stringMatching(uuid) as string }],
      errors: [
        { index: 0, message: containing('`to`') },
        { index: 2, message: containing('`subject`') },
      ],
    })
    expect((await call('POST', '/emails/batch', given, headers)).body).toEqual(body)
    const permissive = { 'x-batch-validation': 'permissive' }
    const none = await call<Listed>('POST', '/emails/batch', [bad], permissive)
    expect(none.body).toMatchObject({ data: [], errors: [{ index: 0 }] })
    expect((await post.emails.list()).count).toBe(2)
    const wrong = await call<ResendError>('POST', '/emails/batch', [mail], { 'x-batch-validation': 'lax' })
    expect([wrong.status, wrong.body.message]).toEqual([422, containing('x-batch-validation')])
  })
})

describe('GET /resend/emails', () => {
  test('pages forwards and backwards, with the emails of other interfaces', async () => {
    const post = await start()
    const call = resendCaller(post)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.unshift((await call('POST', '/emails', mail)).body.id)
    ids.unshift((await post.emails.send(mail)).id)
    const list = async (query: string): Promise<[number[], boolean]> => {
      const { body } = await call<Listed>('GET', `/emails${query}`)
      return [body.data.map(({ id }) => ids.indexOf(id)), body.has_more]
    }
    expect(await list('')).toEqual([[0, 1, 2, 3], false])
    expect(await list('?limit=2')).toEqual([[0, 1], true])
    expect(await list(`?limit=2&after=${ids[1]}`)).toEqual([[2, 3], false])
    expect(await list(`?limit=2&before=${ids[3]}`)).toEqual([[1, 2], true])
    expect(await list(`?before=${ids[0]}`)).toEqual([[], false])
    for (const [query, status] of [
      ['?limit=101', 422],
      ['?cursor=x', 422],
      ['?after=x', 404],
      [`?after=${ids[0]}&before=${ids[0]}`, 422],
    ] as const) {
      expect([query, (await call<ResendError>('GET', `/emails${query}`)).status]).toEqual([query, status])
    }
    expect((await call('GET', `/emails/${ids[0]}`)).body.id).toBe(ids[0])
  })
})

test('the addresses of resend.dev have their outcomes, also with a label', async () => {
  const post = await start()
  const call = resendCaller(post)
  const outcomes = {
    delivered: 'delivered',
    bounced: 'bounced',
    complained: 'complained',
    suppressed: 'suppressed',
    onboarding: 'delivered',
  }
  const addresses = Object.entries(outcomes).flatMap(([name, event]) => [
    [`${name}@resend.dev`, event] as const,
    [`${name.toUpperCase()}+label@Resend.dev`, event] as const,
  ])
  const given = addresses.map(([to]) => ({ ...mail, to }))
  const { body } = await call<Listed>('POST', '/emails/batch', given)
  const lastEvents = async (): Promise<string[]> => {
    const all = body.data.map(({ id }) => call<{ last_event: string }>('GET', `/emails/${id}`))
    return (await Promise.all(all)).map((answer) => answer.body.last_event)
  }
  await expect.poll(lastEvents, { timeout: 10_000 }).toEqual(addresses.map(([, event]) => event))
})

describe('/resend/domains', () => {
  test('creates, changes, lists and removes them', async () => {
    const post = await start()
    const call = resendCaller(post)
    const given = { name: 'acme.test', click_tracking: true }
    const created = await call<{ id: string; records: { record: string }[] }>('POST', '/domains', given)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'acme.test',
      status: 'not_started',
      click_tracking: true,
      open_tracking: false,
    })
    expect(created.body.records.map(({ record }) => record)).toEqual(['DKIM', 'SPF', 'SPF'])
    const { id } = created.body
    expect((await call('PATCH', `/domains/${id}`, { open_tracking: true })).body).toEqual({
      object: 'domain',
      id,
    })
    await post.domains.verify(id, { status: 'SUCCESS' })
    expect((await call('GET', `/domains/${id}`)).body).toMatchObject({
      object: 'domain',
      status: 'verified',
      open_tracking: true,
      click_tracking: true,
    })
    expect((await call<Listed>('GET', '/domains')).body.data).toMatchObject([{ id, status: 'verified' }])
    const again = await call<ResendError>('POST', '/domains', { name: 'acme.test' })
    expect([again.status, again.body.name]).toEqual([409, 'validation_error'])
    const region = await call<ResendError>('POST', '/domains', { name: 'b.test', region: 'eu-west-1' })
    expect([region.status, region.body.message]).toEqual([422, containing('`region`')])
    expect((await call('DELETE', `/domains/${id}`)).body).toEqual({ object: 'domain', id, deleted: true })
    expect((await call('GET', `/domains/${id}`)).status).toBe(404)
  })

  test('that are not verified refuse an email as Resend does', async () => {
    const post = await start()
    const call = resendCaller(post)
    await call('POST', '/domains', { name: 'acme.test' })
    const { status, body } = await call<ResendError>('POST', '/emails', mail)
    expect([status, body.name, body.message]).toEqual([403, 'validation_error', containing('acme.test')])
  })
})
