import { describe, expect, it, test } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'
import { containing, resendCaller, type ResendError } from './_resend.ts'

const to = 'ada@example.com'
const template = {
  name: 'order',
  alias: 'order-confirmation',
  from: 'Acme <hi@acme.test>',
  reply_to: 'help@acme.test',
  subject: 'Order of {{{PRODUCT}}}',
  html: '<p>{{{PRODUCT}}}</p><p>{{{ PRICE }}}</p>',
  text: '{{{PRODUCT}}} costs {{{PRICE}}}',
  variables: [
    { key: 'PRODUCT', type: 'string' },
    { key: 'PRICE', type: 'number', fallback_value: 25 },
  ],
}

interface Shown {
  id: string
  status: string
  html: string
  has_unpublished_versions: boolean
}

async function published(post: Localpost, given: object = template): Promise<string> {
  const call = resendCaller(post)
  const { body, status } = await call('POST', '/templates', given)
  expect([status, body]).toEqual([201, { object: 'template', id: expect.any(String) }])
  expect(await call('POST', `/templates/${body.id}/publish`)).toMatchObject({
    status: 200,
    body: { id: body.id },
  })
  return body.id
}

test('a template is created, published, used by its id or alias, and removed', async () => {
  const post = await start()
  const call = resendCaller(post)
  const id = await published(post)
  for (const name of [id, template.alias]) {
    const sent = await call('POST', '/emails', { to, template: { id: name, variables: { PRODUCT: '<b>' } } })
    expect([name, sent.status]).toEqual([name, 200])
  }
  const { items } = await post.inbox.list({ query: 'subject:Order' })
  expect(items).toHaveLength(2)
  expect(await post.inbox.waitFor({ subject: 'Order of <b>' })).toMatchObject({
    from: 'Acme <hi@acme.test>',
    reply_to: 'help@acme.test',
    html: containing('<p><b></p><p>25</p>'),
  })
  const own = { from: 'Bob <b@acme.test>', subject: 'My {{{PRICE}}}', to }
  const batch = [{ ...own, template: { id, variables: { PRODUCT: 'x', PRICE: 3 } } }]
  expect((await call('POST', '/emails/batch', batch)).status).toBe(200)
  await post.inbox.waitFor({ subject: 'My 3' })
  expect(await call('DELETE', `/templates/${id}`)).toMatchObject({
    status: 200,
    body: { object: 'template', id, deleted: true },
  })
  expect((await call('GET', `/templates/${template.alias}`)).status).toBe(404)
})

test('a template is shown with its variables, and listed newest first', async () => {
  const post = await start()
  const call = resendCaller(post)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    ids.unshift((await call('POST', '/templates', { ...template, alias: name, name })).body.id)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const { body } = await call<Record<string, unknown>>('GET', '/templates/a')
  expect(body).toEqual({
    object: 'template',
    id: ids[2],
    name: 'a',
    alias: 'a',
    status: 'draft',
    published_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    from: template.from,
    subject: template.subject,
    reply_to: ['help@acme.test'],
    html: template.html,
    text: template.text,
    variables: [
      {
        key: 'PRODUCT',
        type: 'string',
        fallback_value: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
      {
        key: 'PRICE',
        type: 'number',
        fallback_value: 25,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
    has_unpublished_versions: true,
    current_version_id: expect.any(String),
  })
  const list = async (query: string): Promise<[boolean, string[]]> => {
    const { body: page } = await call<{ has_more: boolean; data: { id: string }[] }>(
      'GET',
      `/templates${query}`,
    )
    return [page.has_more, page.data.map(({ id }) => id)]
  }
  expect(await list('')).toEqual([false, ids])
  expect(await list('?limit=2')).toEqual([true, ids.slice(0, 2)])
  expect(await list(`?limit=2&after=${ids[1]}`)).toEqual([false, ids.slice(2)])
  expect(await list(`?limit=1&before=${ids[2]}`)).toEqual([true, ids.slice(1, 2)])
  expect((await call('GET', '/templates?after=none')).status).toBe(404)
})

test('a changed template is sent as it was until it is published again', async () => {
  const post = await start()
  const call = resendCaller(post)
  const id = await published(post)
  const draft = await call('POST', '/templates', { name: 'n', html: 'x', from: template.from, subject: 'x' })
  expect(await call('POST', '/emails', { to, template: { id: draft.body.id } })).toMatchObject({
    status: 422,
    body: { name: 'validation_error', message: containing('is a draft: publish it first') },
  })
  const shown = async (): Promise<Shown> => (await call<Shown>('GET', `/templates/${id}`)).body
  expect(await shown()).toMatchObject({ status: 'published', has_unpublished_versions: false })
  expect((await call('PATCH', `/templates/${id}`, { html: 'new', subject: 'New' })).status).toBe(200)
  expect(await shown()).toMatchObject({ status: 'published', has_unpublished_versions: true, html: 'new' })
  const variables = { PRODUCT: 'x' }
  await call('POST', '/emails', { to, template: { id, variables } })
  await post.inbox.waitFor({ subject: 'Order of x' })
  await call('POST', `/templates/${id}/publish`)
  expect(await shown()).toMatchObject({ has_unpublished_versions: false, html: 'new' })
  await call('POST', '/emails', { to, template: { id, variables } })
  await post.inbox.waitFor({ subject: 'New' })
  const { body: copy } = await call('POST', `/templates/${id}/duplicate`)
  expect((await call('GET', `/templates/${copy.id}`)).body).toMatchObject({
    name: 'order (Copy)',
    alias: null,
    status: 'draft',
    html: 'new',
  })
})

describe('a template is refused', () => {
  it.each<[why: string, change: object, message: string]>([
    ['without a name', { name: undefined }, 'name'],
    ['without html', { html: undefined }, 'html'],
    [
      'with an undeclared variable',
      { html: '{{{OTHER}}}' },
      "Variable 'OTHER' is used in the template but not defined",
    ],
    ['with two braces', { html: '{{PRODUCT}}' }, 'variables are written {{{NAME}}}'],
    ['with a block', { text: '{{#if PRODUCT}}x{{/if}}' }, 'variables are written {{{NAME}}}'],
    [
      'with a variable twice',
      { variables: [...template.variables, { key: 'PRICE', type: 'string' }] },
      'same key twice',
    ],
    ['with a wrong type', { variables: [{ key: 'A', type: 'list' }] }, 'type'],
    [
      'with a wrong fallback',
      { variables: [{ key: 'A', type: 'number', fallback_value: 'x' }] },
      'fallback_value',
    ],
    [
      'with 51 variables',
      { variables: Array.from({ length: 51 }, (_, i) => ({ key: `A${i}`, type: 'string' })) },
      '50',
    ],
    ['with a member that is not known', { other: 1 }, 'other'],
    ...['FIRST_NAME', 'LAST_NAME', 'EMAIL', 'UNSUBSCRIBE_URL', 'contact', 'this'].map(
      (key): [string, object, string] => [
        `with ${key}`,
        { variables: [{ key, type: 'string' }] },
        'reserved name',
      ],
    ),
  ])('%s', async (_, change, message) => {
    const post = await start()
    const { status, body } = await resendCaller(post)<ResendError>('POST', '/templates', {
      ...template,
      ...change,
    })
    expect([status, body.message]).toEqual([422, containing(message)])
  })

  it('with an alias that another has', async () => {
    const call = resendCaller(await start())
    await call('POST', '/templates', template)
    const again = await call<ResendError>('POST', '/templates', template)
    expect([again.status, again.body.message]).toEqual([409, containing('order-confirmation')])
  })
})

it.each<[why: string, variables: object, message: string]>([
  ['a variable is missing', {}, 'template.variables.PRODUCT'],
  ['a variable has another type', { PRODUCT: 'x', PRICE: '3' }, 'must be a number'],
  ['a name is reserved', { PRODUCT: 'x', FIRST_NAME: 'Ada' }, 'reserved name'],
])('an email is refused where %s', async (_, variables, message) => {
  const post = await start()
  const id = await published(post)
  const call = resendCaller(post)
  const { status, body } = await call<ResendError>('POST', '/emails', { to, template: { id, variables } })
  expect([status, body.message]).toEqual([422, containing(message)])
  const { from: _from, ...without } = template
  const nobody = await published(post, { ...without, alias: 'nobody' })
  const missing = await call<ResendError>('POST', '/emails', { to, template: { id: nobody } })
  expect([missing.status, missing.body.name]).toEqual([422, 'missing_required_field'])
})

it.each(['null', '1', '"x"', '[]', '{}', '{', '{"alias":1}', '{"variables":[null],"published":"x"}'])(
  'a template whose metadata has %s by another interface is listed and sent',
  async (resend) => {
    const post = await start()
    const call = resendCaller(post)
    await post.templates.put('x', { html: 'a', subject: 's', metadata: { resend } })
    expect(await call('GET', '/templates')).toMatchObject({ status: 200, body: { data: [{ id: 'x' }] } })
    expect((await call('GET', '/templates/x')).status).toBe(200)
    await published(post)
    const mail = { from: template.from, to, template: { id: template.alias, variables: { PRODUCT: 'x' } } }
    expect((await call('POST', '/emails', mail)).status).toBe(200)
  },
)

test('two published templates never have one alias', async () => {
  const post = await start()
  const call = resendCaller(post)
  const first = await published(post, { ...template, alias: 'first' })
  await call('PATCH', `/templates/${first}`, { alias: 'wanted' })
  await published(post, { ...template, alias: 'wanted' })
  const again = await call<ResendError>('POST', `/templates/${first}/publish`)
  expect([again.status, again.body.message]).toEqual([409, containing('wanted')])
})

test('metadata that another interface has set stays', async () => {
  const post = await start()
  const call = resendCaller(post)
  await post.templates.put('x', { html: 'a', subject: 's', metadata: { owner: 'ada' } })
  await call('PATCH', '/templates/x', { html: 'b' })
  expect((await post.templates.get('x')).metadata).toEqual({ owner: 'ada' })
  await call('POST', '/templates/x/publish')
  expect(await post.templates.get('x')).toMatchObject({ html: 'b', metadata: { owner: 'ada' } })
  const { body: copy } = await call('POST', '/templates/x/duplicate')
  await call('PATCH', `/templates/${copy.id}`, { html: 'c' })
  expect(await post.templates.get(copy.id)).toMatchObject({ html: 'c', metadata: { owner: 'ada' } })
})

test('the id of a draft stands for no template', async () => {
  const post = await start()
  const call = resendCaller(post)
  const id = await published(post)
  await call('PATCH', `/templates/${id}`, { html: '{{{PRODUCT}}} two' })
  const draft = `/templates/${id}.draft`
  for (const [method, path] of [
    ['GET', draft],
    ['PATCH', draft],
    ['DELETE', draft],
    ['POST', `${draft}/publish`],
    ['POST', `${draft}/duplicate`],
  ] as const) {
    const { status } = await call(method, path, method === 'PATCH' ? { html: 'x' } : undefined)
    expect([path, status]).toEqual([path, 404])
  }
  expect((await post.templates.list()).items.map((one) => one.id)).toEqual([id, `${id}.draft`])
})

test('a draft whose template another interface has removed can be removed by its own id, and nothing else', async () => {
  const post = await start()
  const call = resendCaller(post)
  const id = await published(post)
  await call('PATCH', `/templates/${id}`, { html: '{{{PRODUCT}}} two' })
  await post.templates.remove(id)
  expect((await call('GET', `/templates/${id}.draft`)).status).toBe(404)
  expect((await call('POST', `/templates/${id}.draft/publish`)).status).toBe(404)
  expect((await call('DELETE', `/templates/${id}.draft`)).status).toBe(200)
  expect((await post.templates.list()).count).toBe(0)
})

test('a template whose id ends as that of a draft is one of its own', async () => {
  const post = await start()
  const call = resendCaller(post)
  const text = { html: 'a', subject: 's', text: 'own' }
  await post.templates.put('x', text)
  await post.templates.put('x.draft', text)
  const { body } = await call<{ data: Shown[] }>('GET', '/templates')
  expect(body.data.map(({ id }) => id).toSorted()).toEqual(['x', 'x.draft'])
  expect((await call('GET', '/templates/x.draft')).status).toBe(200)
  expect(await call('GET', '/templates/x')).toMatchObject({ body: { has_unpublished_versions: false } })
  const refused = await call<ResendError>('PATCH', '/templates/x', { html: 'b' })
  expect([refused.status, refused.body.message]).toEqual([409, containing('x.draft')])
  expect((await post.templates.get('x.draft')).html).toBe('a')
  await call('DELETE', '/templates/x')
  expect((await post.templates.get('x.draft')).html).toBe('a')
})

test('two templates that are created at the same time do not get one alias', async () => {
  const call = resendCaller(await start())
  const answers = await Promise.all(
    ['a', 'b'].map((name) => call('POST', '/templates', { ...template, name })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
})

test('changes of one template at the same time all stay', async () => {
  const call = resendCaller(await start())
  const { body } = await call('POST', '/templates', template)
  const path = `/templates/${body.id}`
  await Promise.all([{ name: 'new' }, { from: 'new@acme.test' }].map((one) => call('PATCH', path, one)))
  expect((await call('GET', path)).body).toMatchObject({ name: 'new', from: 'new@acme.test' })
})
