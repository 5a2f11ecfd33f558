import { expect, test } from 'vitest'
import { start } from '../../support/instance.ts'
import { containing } from '../_resend.ts'
import { mail, mailgunCaller, messages, settled, type FormValue } from './_mailgun.ts'

const path = '/v3/acme.test/templates'
const { text: _, subject: __, ...people } = mail

interface Answer {
  message?: string
  template: {
    name: string
    version?: { tag: string; template: string; active: boolean }
    versions?: { tag: string }[]
  }
}

test('templates are sent with Handlebars, by their active version or another one', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const created = await call<Answer>('POST', path, {
    form: {
      name: 'Welcome',
      description: 'For new people',
      createdBy: 'Ada',
      template:
        '<p>{{#if name}}Hi {{name}}{{else}}Hi you{{/if}}</p>{{#each items}}<i>{{this.id}}</i>{{/each}}{{#equal name "Eve"}}!{{/equal}}',
      headers: '{"Subject":"For {{name}}"}',
      comment: 'first',
      engine: 'handlebars',
    },
  })
  expect(created.body).toMatchObject({
    message: 'template has been stored',
    template: {
      name: 'welcome',
      description: 'For new people',
      createdBy: 'Ada',
      version: {
        tag: 'initial',
        active: true,
        engine: 'handlebars',
        comment: 'first',
        headers: { Subject: 'For {{name}}' },
      },
    },
  })
  await call('POST', `${path}/welcome/versions`, { form: { tag: 'v2', template: '<b>{{name}}</b>' } })
  const send = async (form: Record<string, FormValue>): Promise<[string, string]> => {
    const { status, body } = await call('POST', messages, {
      form: { ...people, template: 'welcome', ...form },
    })
    expect([status, body.message]).toEqual([200, 'Queued. Thank you.'])
    await settled(post)
    const [newest] = (await post.inbox.list({ limit: 1 })).items
    const { subject, html } = await post.inbox.get(newest?.id ?? '')
    return [subject, html]
  }
  const data = { name: 'Ada & Eve', items: [{ id: 1 }, { id: 2 }] }
  const whole = ['For Ada & Eve', '<p>Hi Ada &amp; Eve</p><i>1</i><i>2</i>']
  expect(await send({ 't:variables': JSON.stringify(data) })).toEqual(whole)
  expect(await send({ 'h:X-Mailgun-Variables': JSON.stringify(data) })).toEqual(whole)
  expect(await send({ 'v:name': 'Bob', subject: 'Own' })).toEqual(['Own', '<p>Hi Bob</p>'])
  expect(await send({ 'v:name': 'Bob', subject: 'x', 't:version': 'v2', 't:text': 'no' })).toEqual([
    'x',
    '<b>Bob</b>',
  ])
  const variables = { [mail.to]: { who: 'Carl' } }
  expect(
    await send({
      't:variables': '{"name":"%recipient.who%","items":[{"id":"%recipient.who%"}]}',
      'recipient-variables': JSON.stringify(variables),
    }),
  ).toEqual(['For Carl', '<p>Hi Carl</p><i>Carl</i>'])
  await call('PUT', `${path}/welcome/versions/v2`, { form: { active: 'yes', template: '<u>{{name}}</u>' } })
  expect(await send({ 'v:name': 'Dora', subject: 'x' })).toEqual(['x', '<u>Dora</u>'])
})

test('templates and versions are listed, changed and removed', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  for (const name of ['a', 'b', 'c']) await call('POST', path, { form: { name, template: 'x', tag: 'one' } })
  const list = async (query: string): Promise<string[]> => {
    const { body } = await call<{ items: { name: string }[] }>('GET', `${path}?${query}`)
    return body.items.map(({ name }) => name)
  }
  expect(await list('limit=2')).toEqual(['a', 'b'])
  expect(await list('limit=2&page=next&p=b')).toEqual(['c'])
  expect(await list('limit=2&page=previous&p=c')).toEqual(['a', 'b'])
  expect((await call('PUT', `${path}/A`, { form: { description: 'Changed' } })).body).toEqual({
    message: 'template has been updated',
    template: { name: 'a' },
  })
  await call('POST', `${path}/a/versions`, { query: { tag: 'two', template: 'y', active: 'yes' } })
  const got = await call<Answer>('GET', `${path}/a?active=yes`)
  expect(got.body.template).toMatchObject({
    description: 'Changed',
    version: { tag: 'two', template: 'y', active: true },
  })
  const versions = await call<Answer>('GET', `${path}/a/versions`)
  expect(versions.body.template.versions).toMatchObject([
    { tag: 'one', active: false },
    { tag: 'two', active: true },
  ])
  expect((await call<Answer>('GET', `${path}/a/versions/one`)).body.template.version?.template).toBe('x')
  expect(await call('DELETE', `${path}/a/versions/two`)).toMatchObject({
    status: 400,
    body: { message: containing('active') },
  })
  expect((await call('DELETE', `${path}/a/versions/one`)).body).toEqual({
    message: 'version has been deleted',
    template: { name: 'a', version: { tag: 'one' } },
  })
  for (const name of ['a', 'b', 'c']) expect((await call('DELETE', `${path}/${name}`)).status).toBe(200)
  expect((await post.templates.list()).count).toBe(0)
})

test('mail is sent from templates whose names have capital letters', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const bodyOf = async (form: Record<string, string>): Promise<string> => {
    const sent = await call('POST', messages, { form: { ...people, subject: 'x', ...form } })
    expect(sent).toMatchObject({ status: 200 })
    await settled(post)
    const [newest] = (await post.inbox.list({ limit: 1 })).items
    return (await post.inbox.get(newest?.id ?? '')).html
  }
  await call('POST', path, { form: { name: 'Created', template: 'here' } })
  for (const template of ['Created', 'created', 'CREATED']) expect(await bodyOf({ template })).toBe('here')
  await post.templates.put('Made', { html: 'elsewhere', engine: 'handlebars' })
  expect(await bodyOf({ template: 'Made' })).toBe('elsewhere')
  expect(await bodyOf({ template: 'Made', 't:version': 'initial' })).toBe('elsewhere')
  await call('POST', `${path}/Made/versions`, { form: { tag: 'two', template: 'second' } })
  expect(await bodyOf({ template: 'Made', 't:version': 'two' })).toBe('second')
  const unknown: Record<string, string>[] = [{ template: 'made' }, { template: 'Made', 't:version': 'three' }]
  for (const form of unknown)
    expect(await call('POST', messages, { form: { ...people, subject: 'x', ...form } })).toMatchObject({
      status: 400,
      body: { message: containing('emplate') },
    })
})

test('templates that were made elsewhere keep what their changes do not name', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const own = { name: 'Welcome', subject: 'Hi', text: 'Text', html: 'x', engine: 'handlebars' } as const
  await post.templates.put('Hello', own)
  await call('PUT', `${path}/Hello`, { form: { description: 'Changed' } })
  expect(await post.templates.get('Hello')).toMatchObject(own)
  await call('PUT', `${path}/Hello/versions/initial`, { form: { template: 'y' } })
  expect(await post.templates.get('Hello')).toMatchObject({ ...own, html: 'y' })
  await call('POST', `${path}/Hello/versions`, { form: { tag: 'two', template: 'z', active: 'yes' } })
  expect(await post.templates.get('Hello')).toMatchObject({ ...own, html: 'z', text: null, subject: null })
  const { body } = await call<Answer>('GET', `${path}/Hello/versions/initial`)
  expect(body.template.version?.template).toBe('y')
  expect(await call('POST', path, { form: { name: 'Hello', template: 'z' } })).toMatchObject({
    status: 400,
    body: { message: containing('already exists') },
  })
  await post.templates.put('other', { ...own, engine: 'mustachio' })
  for (const [method, at, form] of [
    ['PUT', 'other/versions/initial', { template: 'y' }],
    ['POST', 'other/versions', { tag: 'two', template: 'z' }],
  ] as const)
    expect(await call(method, `${path}/${at}`, { form })).toMatchObject({
      status: 400,
      body: { message: containing('engine "mustachio"') },
    })
  expect(await post.templates.get('other')).toMatchObject({ ...own, engine: 'mustachio' })
})

test('the content of a template that was made elsewhere is its version "initial"', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const content = { html: 'first', engine: 'handlebars' } as const
  await post.templates.put('Hello', content)
  const tags = async (): Promise<Answer['template']['versions']> =>
    (await call<Answer>('GET', `${path}/Hello/versions`)).body.template.versions
  expect(await tags()).toMatchObject([{ tag: 'initial', active: true }])
  for (const active of ['no', 'yes'])
    expect(
      await call('POST', `${path}/Hello/versions`, { form: { tag: 'initial', template: 'x', active } }),
    ).toMatchObject({ status: 400, body: { message: containing('already exists') } })
  expect(await post.templates.get('Hello')).toMatchObject(content)
  await call('POST', `${path}/Hello/versions`, { form: { tag: 'a', template: 'second' } })
  expect(await tags()).toMatchObject([
    { tag: 'a', active: false },
    { tag: 'initial', active: true },
  ])
  await call('PUT', `${path}/Hello/versions/a`, { form: { active: 'yes' } })
  expect(await tags()).toMatchObject([
    { tag: 'a', active: true },
    { tag: 'initial', active: false },
  ])
  expect((await call('DELETE', `${path}/Hello`)).status).toBe(200)
  expect((await post.templates.list()).count).toBe(0)
})

test('templates are made once, also by several requests at once', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  const made = ['x', 'y', 'z'].map((template) => call('POST', path, { form: { name: 'a', template } }))
  expect((await Promise.all(made)).map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('templates that are wrong are refused', async () => {
  const post = await start()
  const call = mailgunCaller(post)
  await call('POST', path, { form: { name: 'a', template: 'x' } })
  const wrong: [Record<string, string>, string][] = [
    [{ name: 'a', template: 'x' }, 'already exists'],
    [{ name: 'b' }, "'template' parameter"],
    [{ name: 'b', template: '{{#if x}}' }, "'template' parameter"],
    [{ name: 'b c', template: 'x' }, "'name' parameter"],
    [{ name: 'b.V.c', template: 'x' }, "'name' parameter"],
    [{ name: 'b.v', template: 'x' }, "'name' parameter"],
    [{ name: 'b', template: 'x', engine: 'go' }, "'engine' parameter must be handlebars"],
    [{ name: 'b', template: 'x', headers: '{"From":"a@b.test"}' }, "'headers' parameter"],
    [{ name: 'b', template: 'x', headers: 'x' }, "'headers' parameter"],
    [{ name: 'b', template: 'x', tag: 'a b' }, "'tag' parameter"],
    [{ name: 'b', template: 'x', mjml: 'x' }, "'mjml' parameter is not supported"],
  ]
  for (const [form, message] of wrong)
    expect(await call('POST', path, { form })).toMatchObject({
      status: 400,
      body: { message: containing(message) },
    })
  for (const at of ['none', 'a.v.initial', 'none/versions', 'a/versions/none'])
    expect(await call('GET', `${path}/${at}`)).toMatchObject({ status: 404 })
  const wrongUses: Record<string, string>[] = [
    { template: 'none' },
    { template: 'a', 't:version': 'none' },
    { template: 'a', 't:text': 'yes' },
  ]
  for (const form of wrongUses)
    expect(await call('POST', messages, { form: { ...people, subject: 'x', ...form } })).toMatchObject({
      status: 400,
    })
  expect([(await post.templates.list()).count, (await post.emails.list()).count]).toEqual([2, 0])
})
