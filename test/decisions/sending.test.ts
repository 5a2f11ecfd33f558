import { describe, expect, it } from 'vitest'
import { open, refusalOf, shared, type Over } from './helpers.ts'

const face = shared()

/** The warnings of the newest request. */
const warnings = async (): Promise<string[]> => (await face().logged()).warnings
const invalid = { status: 422, name: 'validation_error' }

describe('what is required', () => {
  it.each([
    ['from', { from: undefined }],
    ['to', { to: undefined }],
    ['to', { to: '' }],
    ['subject', { subject: undefined }],
    ['html', { text: undefined }],
    ['html', { text: '', html: '' }],
    ['template_id', { text: undefined, template_id: '' }],
  ] satisfies [string, Over][])(
    'sending.required: %s is named where it is missing (%j)',
    async (field, over) => {
      expect(await face().refusal(over)).toMatchObject({ ...invalid, fields: [field] })
    },
  )

  it('sending.required: an empty array in `to` has no recipient, and a refused send leaves no trace', async () => {
    const own = await open()
    const refused = await own.refusal({ to: [] }).catch((error: unknown) => error)
    expect((await own.call('GET', '/v1/emails')).status).toBe(200)
    expect(refused).toMatchObject({ ...invalid, fields: ['to'] })
    expect(await own.refusal({ to: [], cc: 'ada@x.test' })).toMatchObject({ ...invalid, fields: ['to'] })
  })

  it.each([
    { html: '<p>x</p>', text: undefined },
    { html: '', text: 'x' },
    { html: 'x', text: '' },
    { subject: '' },
  ] satisfies Over[])('sending.required: one body that is not empty is enough: %j', async (over) => {
    await face().send(over)
  })

  it('sending.required: the subject may be in the template, and a template is enough', async () => {
    await face().post.templates.put('whole', { subject: 'Hi', text: 'Hello' })
    await face().post.templates.put('body', { text: 'Hello' })
    await face().post.templates.put('subject', { subject: 'Hi' })
    await face().send({ template_id: 'whole', subject: undefined, text: undefined })
    await face().send({ template_id: 'subject', subject: undefined, text: undefined })
    const over = { template_id: 'body', subject: undefined, text: undefined }
    expect(await face().refusal(over)).toMatchObject({ ...invalid, fields: ['subject'] })
  })

  it('sending.required: one 422 names every wrong member', async () => {
    const answer = await face().refusal({
      from: 'nobody',
      to: 'ada@',
      subject: 7,
      html: true,
      text: {},
      template_id: 1,
      cc: 'x',
      bcc: 4,
      reply_to: 'a@b@c',
      variables: { name: 3 },
      attachments: [{ filename: 'a/b', path: 'ftp://x' }],
    })
    expect(answer).toMatchObject(invalid)
    expect([...new Set(answer.fields)].sort()).toEqual([
      'attachments[0].filename',
      'attachments[0].path',
      'bcc',
      'cc',
      'from',
      'html',
      'reply_to',
      'subject',
      'template_id',
      'text',
      'to',
      'variables.name',
    ])
    const empty = await refusalOf(await face().call('POST', '/v1/emails', { body: {} }))
    expect(empty.fields.sort()).toEqual(['from', 'html', 'subject', 'to'])
  })

  it('sending.required: a From whose domain cannot send is listed with the other errors', async () => {
    const { fields } = await face().refusal({ from: 'root@localhost', to: 'ada@' })
    expect(fields.sort()).toEqual(['from', 'to'])
  })
})

describe('recipients', () => {
  const many = (count: number, prefix = 'r'): string =>
    Array.from({ length: count }, (_, i) => `${prefix}${i}@x.test`).join(', ')

  it('sending.recipients: fifty distinct ones in to, cc and bcc are accepted, 51 are not', async () => {
    await face().send({ to: many(48), cc: 'cc@x.test', bcc: 'bcc@x.test' })
    // Duplicates count once, also in another case and another field.
    await face().send({ to: `${many(50)}, R0@x.test`, cc: many(50), bcc: 'r1@X.TEST' })
    const answer = await face().refusal({ to: many(49), cc: 'cc@x.test', bcc: 'bcc@x.test' })
    expect(answer).toMatchObject(invalid)
    expect(await face().refusal({ to: 'ada@x.test', cc: many(25, 'c'), bcc: many(25, 'b') })).toMatchObject(
      invalid,
    )
  })

  it('sending.recipients: `to` has the addresses of To only, and recipient_statuses has every distinct recipient once', async () => {
    const id = await face().send({ to: 'a@x.test', cc: 'b@x.test, A@x.test', bcc: 'c@x.test, b@x.test' })
    const email = await face().settled(id)
    expect(email.to).toEqual(['a@x.test'])
    expect(email.recipient_statuses.map(({ recipient }) => recipient)).toEqual([
      'a@x.test',
      'b@x.test',
      'c@x.test',
    ])
    expect((await face().item(id)).recipient_statuses).toHaveLength(3)
    expect((await face().mail(id)).headers.map(([name]) => name.toLowerCase())).not.toContain('bcc')
    expect(await face().raw(id)).not.toContain('c@x.test')
  })
})

describe('members that the interface does not have', () => {
  it('sending.unknown-fields: they are ignored, and the request log warns of them', async () => {
    const plain = await face().detail(await face().send())
    expect(await warnings()).not.toContainEqual(expect.stringContaining('not known'))
    const id = await face().send({ headers: { 'X-A': '1' }, tags: ['x'] })
    expect((await warnings()).filter((warning) => warning.includes('not known'))).toEqual([
      expect.stringContaining('"headers"'),
      expect.stringContaining('"tags"'),
    ])
    expect(Object.keys(await face().detail(id))).toEqual(Object.keys(plain))
    expect((await face().mail(id)).headers.map(([name]) => name)).not.toContain('X-A')
  })

  it('sending.unknown-fields: this includes members inside an attachment or a variable', async () => {
    await face().send({
      text: '{{name}}',
      attachments: [{ filename: 'a.txt', path: 'data:,a', disposition: 'inline' }],
      variables: { name: { value: 'Ada', fallback: 'x' } },
    })
    const said = (await warnings()).join('\n')
    expect(said).toContain('disposition')
    expect(said).toContain('fallback')
  })

  it('sending.unknown-fields: this includes the members of a new domain', async () => {
    await face().create('/v1/domains', { name: 'unknown-member.test', region: 'eu' })
    expect(await warnings()).toEqual([expect.stringContaining('"region"')])
  })
})

describe('with the option `strict`', () => {
  const strict = shared({ strict: true }, async ({ post }) => {
    const { id } = await post.domains.create({ name: 'acme.test' })
    await post.domains.verify(id, { status: 'SUCCESS' })
  })

  it.each([
    ['an unknown member', { tags: ['x'] }],
    ['a comma list in to', { to: 'a@x.test, b@x.test' }],
    ['an array in to', { to: ['a@x.test'] }],
    ['a comma list in cc', { cc: 'a@x.test, b@x.test' }],
    ['an array in bcc', { bcc: ['a@x.test'] }],
    ['a name without variable', { text: 'Hello {{name}}' }],
    ['a variable that is not used', { variables: { name: 'Ada' } }],
    ['markup in html', { html: '{{name}}', variables: { name: '<b>' } }],
    [
      'an unknown member of an attachment',
      { attachments: [{ filename: 'a.txt', path: 'data:,a', disposition: 'inline' }] },
    ],
  ] satisfies [string, Over][])('sending.strict: %s is refused with 422', async (_, over) => {
    expect(await strict().refusal(over)).toMatchObject(invalid)
  })

  it('sending.strict: a request without such faults is accepted, without a warning', async () => {
    await strict().send({ html: 'Hi {{name}}', variables: { name: 'Ada' } })
    expect((await strict().logged()).warnings).toEqual([])
  })

  it('sending.strict: an unregistered From domain is 403, and is not added', async () => {
    expect(await strict().refusal({ from: 'hi@other.test' })).toMatchObject({
      status: 403,
      name: 'domain_not_registered',
    })
    await strict().submit({ from: 'hi@mentioned.test', to: 'ada@x.test', text: 'x' })
    expect(await strict().refusal({ from: 'hi@mentioned.test' })).toMatchObject({ status: 403 })
    const { domains } = await strict().get<{ domains: { name: string }[] }>('/v1/domains')
    expect(domains.map(({ name }) => name)).not.toContain('other.test')
  })

  it('sending.strict: an unknown member of a new domain is refused with 422', async () => {
    const body = { name: 'new.test', region: 'eu' }
    expect(await refusalOf(await strict().call('POST', '/v1/domains', { body }))).toMatchObject({
      status: 422,
    })
  })
})

describe('answers', () => {
  it('sending.success-codes: a send answers 200 with only the id, a new domain 201', async () => {
    const body = { from: 'hi@acme.test', to: 'ada@x.test', subject: 'x', text: 'x' }
    const sent = await face().call('POST', '/v1/emails', { body })
    expect(sent.status).toBe(200)
    expect(await sent.json()).toEqual({ id: expect.stringMatching(/^em_/) })
    const created = await face().call('POST', '/v1/domains', { body: { name: 'created.test' } })
    expect(created.status).toBe(201)
  })

  it('sending.missing-side: the detail has "" for the body that was not given, and none is generated', async () => {
    const sides = [
      { html: '<p>Hi</p>', text: '' },
      { html: '', text: 'Hi' },
    ]
    for (const { html, text } of sides) {
      const id = await face().send({ html: html || undefined, text: text || undefined })
      expect(await face().settled(id)).toMatchObject({ html, text })
      const raw = await face().raw(id)
      expect(raw).toContain(html ? 'text/html' : 'text/plain')
      expect(raw).not.toContain(html ? 'text/plain' : 'text/html')
    }
  })

  it('sending.stored-body: the detail shows the bodies as rendered, also where tracking is on', async () => {
    const tracked = await open()
    const { id } = await tracked.post.domains.create({ name: 'acme.test' })
    await tracked.post.domains.verify(id, { status: 'SUCCESS' })
    await tracked.post.domains.update(id, { open_tracking_enabled: true, click_tracking_enabled: true })
    const html = '<html><body><a href="https://acme.test/{{page}}">{{page}}</a></body></html>'
    const sent = await tracked.send({ html, text: 'Go to {{page}}', variables: { page: 'start' } })
    const stored = { html: html.replaceAll('{{page}}', 'start'), text: 'Go to start' }
    expect(await tracked.detail(sent)).toMatchObject(stored)
    expect(await tracked.settled(sent)).toMatchObject(stored)
  })
})
