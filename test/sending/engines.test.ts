import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'
import { sendWhole } from './_send.ts'

let post: Localpost
let end: () => Promise<void>
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  end = shared.end
})
afterAll(() => end())

const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com' }

async function sent(body: object): Promise<{ subject: string; html: string; text: string }> {
  const { body: answer, status } = await sendWhole(post, body)
  expect(answer).toMatchObject({ emails: [{}] })
  expect(status).toBe(200)
  const { subject, html, text } = await post.emails.get(answer.emails[0]?.id ?? '')
  return { subject, html, text }
}

it('a stored template is rendered by its engine, from data or from variables', async () => {
  const texts = { subject: 'Hi {{name}}', html: '<p>{{name}}</p>{{#each items}}<i>{{this}}</i>{{/each}}' }
  await post.templates.put('hb', { ...texts, engine: 'handlebars', name: 'Welcome', metadata: { a: 'b' } })
  expect(await post.templates.get('hb')).toMatchObject({
    engine: 'handlebars',
    name: 'Welcome',
    metadata: { a: 'b' },
  })
  const data = { name: '<A>', items: [1, 2] }
  expect(await sent({ ...mail, template_id: 'hb', data })).toEqual({
    subject: 'Hi <A>',
    html: '<p>&lt;A&gt;</p><i>1</i><i>2</i>',
    text: '',
  })
  expect(await sent({ ...mail, template_id: 'hb', variables: { name: 'A' } })).toMatchObject({
    html: '<p>A</p>',
  })
  const { id } = await post.emails.send({ ...mail, template_id: 'hb', variables: { name: { default: 'B' } } })
  expect(await post.emails.get(id)).toMatchObject({ subject: 'Hi B', html: '<p>B</p>' })
  await post.templates.put('mu', { subject: '{{a.b}}', text: '{{#a}}{{b}}{{/a}}', engine: 'mustachio' })
  expect(await sent({ ...mail, template_id: 'mu', data: { a: { b: 'x' } } })).toMatchObject({
    subject: 'x',
    text: 'x',
  })
})

it('a template with placeholders takes data that has only texts, numbers and truth values', async () => {
  await post.templates.put('plain', { subject: '{{a}} {{b}} {{c}}', text: '{{#a}}' })
  expect(await sent({ ...mail, template_id: 'plain', data: { a: 'x', b: 1, c: true } })).toMatchObject({
    subject: 'x 1 true',
    text: '{{#a}}',
  })
  expect(await sendWhole(post, { ...mail, template_id: 'plain', data: { a: [1] } })).toMatchObject({
    status: 422,
    body: { name: 'validation_error', errors: [{ field: 'data.a' }] },
  })
})

it('the texts of a request are rendered by the engine that it names', async () => {
  const rendering = { engine: 'handlebars', missing: 'error', escape: 'none', helpers: 'basic' }
  const texts = { subject: '{{a}}', html: '{{a}}' }
  expect(await sent({ ...mail, ...texts, data: { a: '<' }, rendering })).toMatchObject({ html: '<' })
  expect(await sendWhole(post, { ...mail, ...texts, data: {}, rendering })).toMatchObject({
    status: 422,
    body: { name: 'missing_variable', errors: [{ field: 'data.a' }] },
  })
  const html = 'a\n{{#if a}}'
  expect(await sendWhole(post, { ...mail, subject: 'x', html, rendering })).toMatchObject({
    status: 422,
    body: {
      name: 'invalid_template',
      errors: [{ field: 'html', message: expect.stringContaining('line 2') }],
    },
  })
  for (const wrong of [{ engine: 'x' }, { missing: 'x' }, { escape: 'x' }, { helpers: 'x' }, { other: 1 }])
    expect((await sendWhole(post, { ...mail, ...texts, rendering: wrong })).status).toBe(422)
  const both = { ...mail, ...texts, data: {}, variables: {} }
  expect(await sendWhole(post, both)).toMatchObject({ status: 422, body: { errors: [{ field: 'data' }] } })
})

it('loops that take too many steps are refused, and long ones are rendered', async () => {
  const data = { list: Array.from({ length: 1000 }, (_, i) => i) }
  const rendering = { engine: 'handlebars' }
  const loop = (depth: number): string =>
    '{{#each @root.list}}'.repeat(depth) + 'x' + '{{/each}}'.repeat(depth)
  const two = '{{#each @root.list}}{{#each @root.list}}x{{/each}}{{/each}}'
  expect(await sendWhole(post, { ...mail, subject: 'x', text: two, data, rendering })).toMatchObject({
    status: 422,
    body: { name: 'invalid_template' },
  })
  const many = { list: Array.from({ length: 50_000 }, () => 1) }
  expect((await sent({ ...mail, subject: 'x', text: loop(1), data: many, rendering })).text).toHaveLength(
    50_000,
  )
})

it('what is not in the language of the engine is not stored', async () => {
  for (const engine of ['handlebars', 'mustachio'] as const) {
    await expect(post.templates.put('wrong', { text: 'a\n{{#each b}}', engine })).rejects.toMatchObject({
      code: 'invalid_template',
      errors: [{ field: 'text', message: expect.stringMatching(/^line 2/) }],
    })
    await expect(post.templates.get('wrong')).rejects.toMatchObject({ code: 'not_found' })
  }
  await post.templates.put('wrong', { text: '{{#each b}}' })
})

it('a version keeps the engine of its texts', async () => {
  await post.templates.put('changing', { text: '{{a}}' })
  await post.templates.put('changing', { text: '{{a}}', engine: 'handlebars', name: 'N' })
  const [first] = (await post.templates.versions('changing')).items
  expect(first).toMatchObject({ engine: 'placeholders' })
  expect(await post.templates.restore('changing', first?.id ?? '')).toMatchObject({
    engine: 'placeholders',
    name: 'N',
  })
})
