import { describe, expect, test } from 'vitest'
import type { Localpost } from '../../../src/index.ts'
import { start } from '../../support/instance.ts'
import { mail, sendgridCaller, type SendGridErrors } from './_caller.ts'

interface Version {
  id: string
  name: string
  active: number
  subject: string
  html_content: string
  plain_content: string
}
interface Template {
  id: string
  name: string
  versions: Version[]
}

const first = {
  name: 'First',
  subject: 'Hi {{name}}',
  html_content: '<p>{{{name}}}</p>',
  plain_content: 'Hi {{name}}',
}

async function made(post: Localpost): Promise<{ path: string; id: string }> {
  const call = sendgridCaller(post)
  const { status, body } = await call<Template>('POST', '/templates', {
    name: 'Welcome',
    generation: 'dynamic',
  })
  expect([status, body.id, body.versions]).toEqual([201, expect.stringMatching(/^d-[\da-f]{32}$/), []])
  return { path: `/templates/${body.id}`, id: body.id }
}

describe('dynamic templates', () => {
  test('send with the data of each personalization, escaped as SendGrid does', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const { path, id } = await made(post)
    expect((await call<Version>('POST', `${path}/versions`, first)).body).toMatchObject({
      ...first,
      active: 1,
    })
    const answer = await call('POST', '/mail/send', {
      from: mail.from,
      template_id: id,
      subject: 'Not used',
      content: [{ type: 'text/plain', value: 'Not used' }],
      personalizations: ['Ada & Co', 'Bob'].map((name) => ({
        to: [{ email: 'ada@example.com' }],
        dynamic_template_data: { name },
      })),
    })
    expect(answer.status).toBe(202)
    const found = await post.inbox.waitFor({ subject: 'Hi Ada &amp; Co' })
    expect([found.html, found.text.trim()]).toEqual([
      expect.stringContaining('<p>Ada & Co</p>'),
      'Hi Ada &amp; Co',
    ])
    await post.inbox.waitFor({ subject: 'Hi Bob' })
  })

  test('have one active version, and keep the others', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const { path, id } = await made(post)
    const versions = async (): Promise<[string, number, string][]> => {
      const { body } = await call<Template>('GET', path)
      return body.versions.map(({ name, active, subject }) => [name, active, subject])
    }
    const one = (await call<Version>('POST', `${path}/versions`, { ...first, active: 0 })).body
    const two = (
      await call<Version>('POST', `${path}/versions`, { ...first, name: 'Second', subject: 'Two' })
    ).body
    expect(await versions()).toEqual([
      ['First', 1, 'Hi {{name}}'],
      ['Second', 0, 'Two'],
    ])
    expect((await post.templates.get(id)).subject).toBe('Hi {{name}}')
    expect((await call('POST', `${path}/versions/${two.id}/activate`)).body).toMatchObject({ active: 1 })
    expect((await post.templates.get(id)).subject).toBe('Two')
    expect((await call('PATCH', `${path}/versions/${one.id}`, { subject: 'One' })).body).toMatchObject({
      ...first,
      subject: 'One',
      active: 0,
    })
    expect((await call('PATCH', path, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed' })
    expect(await versions()).toEqual([
      ['First', 0, 'One'],
      ['Second', 1, 'Two'],
    ])
    expect((await call('DELETE', `${path}/versions/${two.id}`)).status).toBe(204)
    expect((await call('GET', `${path}/versions/${two.id}`)).status).toBe(404)
    const send = { ...mail, template_id: id, subject: undefined, content: undefined }
    const refused = await call<SendGridErrors>('POST', '/mail/send', send)
    expect([refused.status, refused.body.errors[0]?.field]).toEqual([400, 'subject'])
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
    expect((await post.templates.list()).count).toBe(0)
  })

  test('keep every version of many that are made at once', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const { path } = await made(post)
    const names = Array.from({ length: 10 }, (_, i) => `Version ${i}`)
    await Promise.all(names.map((name) => call('POST', `${path}/versions`, { ...first, name })))
    const { versions } = (await call<Template>('GET', path)).body
    expect(versions.map(({ name }) => name).sort()).toEqual(names)
    expect(versions.filter(({ active }) => active === 1)).toHaveLength(1)
  })

  test('are listed in pages, with those that were stored otherwise', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    await made(post)
    await post.templates.put('welcome', { subject: 'Own', html: 'x', engine: 'handlebars' })
    await post.templates.put('wrong', { subject: 'Own', metadata: { 'sendgrid:versions': '{' } })
    interface Page {
      result: Template[]
      _metadata: { next?: string; count: number }
    }
    const page = await call<Page>('GET', '/templates?generations=legacy,dynamic&page_size=2')
    const { next = '', count } = page.body._metadata
    expect([page.body.result.map(({ name }) => name), count]).toEqual([['Welcome', 'welcome'], 3])
    expect(page.body.result[1]?.versions[0]).not.toHaveProperty('html_content')
    const rest = (await call<Page>('GET', next.replace('/sendgrid/v3', ''))).body
    expect([rest.result.map(({ name }) => name), rest._metadata.next]).toEqual([['wrong'], undefined])
    expect((await call('GET', '/templates?generations=legacy')).body).toEqual({ templates: [] })
    expect((await call('GET', '/templates?generations=legacy&page_size=9')).body).toMatchObject({
      result: [],
    })
    const { templates } = (await call<{ templates: Template[] }>('GET', '/templates')).body
    expect(templates.map(({ name }) => name)).toEqual(['Welcome', 'welcome', 'wrong'])
    const { versions } = (await call<Template>('GET', '/templates/welcome')).body
    expect(versions).toMatchObject([{ active: 1, subject: 'Own', html_content: 'x', plain_content: '' }])
    const version = `/templates/welcome/versions/${versions[0]?.id}`
    expect((await call<Version>('PATCH', version, { subject: 'Changed' })).body.html_content).toBe('x')
    expect(await post.templates.get('welcome')).toMatchObject({ subject: 'Changed', html: 'x' })
  })

  test.each<[what: string, version: object, field: string]>([
    ['no subject', { name: 'x' }, 'subject'],
    ['a line break in the subject', { name: 'x', subject: 'a\nb' }, 'subject'],
    ['a block without end', { name: 'x', subject: 'x', html_content: '{{#if a}}' }, 'html_content'],
    ['an unknown member', { name: 'x', subject: 'x', htm_content: 'x' }, 'null'],
  ])('refuse a version with %s', async (_, version, field) => {
    const post = await start()
    const { path } = await made(post)
    const answer = await sendgridCaller(post)<SendGridErrors>('POST', `${path}/versions`, version)
    expect([answer.status, String(answer.body.errors[0]?.field)]).toEqual([400, field])
    expect((await sendgridCaller(post)<Template>('GET', path)).body.versions).toEqual([])
  })

  test('of another engine keep it where their name changes, and have no versions here', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const own = { name: 'Welcome', subject: 'Hi', text: 'Text', html: null, engine: 'mustachio' } as const
    await post.templates.put('other', own)
    await call('PATCH', '/templates/other', { name: 'New' })
    expect(await post.templates.get('other')).toMatchObject({ ...own, name: 'New' })
    const [version] = (await call<Template>('GET', '/templates/other')).body.versions
    const answers = [
      await call('POST', '/templates/other/versions', { name: 'a', subject: 'b' }),
      await call('DELETE', `/templates/other/versions/${version?.id}`),
    ]
    for (const { status, body } of answers)
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('mustachio') as string])
    expect(await post.templates.get('other')).toMatchObject({ ...own, name: 'New' })
  })

  test('are not legacy ones', async () => {
    const post = await start()
    for (const generation of ['legacy', undefined]) {
      const answer = await sendgridCaller(post)<SendGridErrors>('POST', '/templates', {
        name: 'x',
        generation,
      })
      expect([answer.status, answer.body.errors[0]?.field]).toEqual([400, 'generation'])
    }
    expect((await post.templates.list()).count).toBe(0)
  })
})
