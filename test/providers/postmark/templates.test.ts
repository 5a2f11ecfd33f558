import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { PostmarkTemplates } from '../../../src/providers/postmark/stored-templates.ts'
import { start } from '../../support/instance.ts'
import { containing, isoTime, mail, postmarkCaller, uuid, type Result } from './_postmark.ts'

interface Template {
  TemplateId: number
  Alias: string | null
  [member: string]: unknown
}
interface Section {
  ContentIsValid: boolean
  ValidationErrors: { Message: string; Line: number | null; CharacterPosition: number | null }[]
  RenderedContent: string | null
}
interface Checked {
  AllContentIsValid: boolean
  Subject: Section | null
  HtmlBody: Section | null
  TextBody: Section | null
  SuggestedTemplateModel: Record<string, unknown>
}

const welcome = {
  Name: 'Welcome',
  Alias: 'welcome',
  Subject: 'Hi {{name}}',
  HtmlBody: '<p>{{name}}</p>{{#each items}}<b>{{title}}</b>{{/each}}',
  TextBody: '{{name}}{{#vip}}, our guest{{/vip}}',
}
const { Subject: _subject, TextBody: _text, ...addressed } = mail

describe('templates', () => {
  test('are created, read, changed, listed and removed', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const created = await call<Template>('POST', '/templates/', welcome)
    const listed = {
      TemplateId: expect.any(Number) as number,
      Name: 'Welcome',
      Alias: 'welcome',
      Active: true,
      TemplateType: 'Standard',
      LayoutTemplate: null,
    }
    expect([created.status, created.body]).toEqual([200, listed])
    const whole = {
      ...created.body,
      Subject: welcome.Subject,
      HtmlBody: welcome.HtmlBody,
      TextBody: welcome.TextBody,
      AssociatedServerId: 1,
    }
    for (const name of ['welcome', created.body.TemplateId])
      expect((await call('GET', `/templates/${name}`)).body).toEqual(whole)
    const path = `/templates/${created.body.TemplateId}`
    const changed = await call<Template>('PUT', path, { Name: 'Hello', Subject: 'Hello', Alias: 'welcome' })
    expect(changed.body).toEqual({ ...created.body, Name: 'Hello' })
    expect((await call('GET', path)).body).toEqual({ ...whole, Name: 'Hello', Subject: 'Hello' })
    const { Alias: _alias, ...unnamed } = welcome
    const second = await call<Template>('POST', '/templates', unnamed)
    expect(second.body.Alias).toBeNull()
    const list = async (query: string): Promise<unknown[]> => {
      const { body } = await call<{ TotalCount: number; Templates: Template[] }>('GET', `/templates?${query}`)
      return [body.TotalCount, body.Templates.map(({ TemplateId }) => TemplateId)]
    }
    const both = [second.body.TemplateId, created.body.TemplateId]
    expect(await list('count=10&offset=0')).toEqual([2, both])
    expect(await list('Count=1&Offset=1&TemplateType=Standard')).toEqual([2, [both[1]]])
    expect(await list('count=10&offset=0&templateType=Layout')).toEqual([0, []])
    expect((await call('DELETE', path)).body).toEqual({
      ErrorCode: 0,
      Message: `Template ${created.body.TemplateId} removed.`,
    })
    const gone = await call('GET', path)
    expect([gone.status, gone.body.ErrorCode, gone.body.Message]).toEqual([
      422,
      1101,
      containing('no template'),
    ])
  })

  test('stay removed if they are changed at the same time', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    await call('POST', '/templates', welcome)
    // Not by requests, which may be read in another order.
    const stored = new PostmarkTemplates({ templates: post.templates, newUuid: randomUUID })
    await Promise.all([stored.change('welcome', { Name: 'Hello' }), stored.remove('welcome')])
    expect((await call('GET', '/templates/welcome')).status).toBe(422)
  })

  test('are those of Localpost, whose number is their id where that is one', async () => {
    const post = await start()
    await post.templates.put('1234567', { subject: 'Number {{n}}', text: 'x' })
    await post.templates.put('own', { subject: 'Own', text: 'x' })
    const call = postmarkCaller(post)
    const number = await call<Template>('GET', '/templates/1234567')
    expect([number.body.TemplateId, number.body.Alias, number.body['Name']]).toEqual([
      1234567,
      null,
      '1234567',
    ])
    expect((await call<Template>('GET', '/templates/own')).body.Alias).toBe('own')
    const given = { ...addressed, TemplateId: 1234567, TemplateModel: { n: 3 } }
    expect((await call('POST', '/email/withTemplate', given)).body.ErrorCode).toBe(0)
    await post.inbox.waitFor({ subject: 'Number 3' })
  })

  test.each([
    ['no body', { HtmlBody: undefined, TextBody: undefined }, 'HtmlBody'],
    ['no subject', { Subject: undefined }, 'Subject'],
    ['a block that stays open', { HtmlBody: '{{#each a}}' }, 'HtmlBody'],
    ['a layout', { TemplateType: 'Layout' }, 'TemplateType'],
    ['a template in a layout', { LayoutTemplate: 'base' }, 'LayoutTemplate'],
    ['an alias that is a number', { Alias: '17' }, 'Alias'],
    ['a subject with a line break', { Subject: 'a\r\nBcc: b' }, 'Subject'],
  ] as const)('refuse %s', async (_, wrong, name) => {
    const post = await start()
    const call = postmarkCaller(post)
    const { status, body } = await call('POST', '/templates', { ...welcome, ...wrong })
    expect([status, body.ErrorCode, body.Message]).toEqual([422, 1122, containing(name)])
    expect((await post.templates.list()).count).toBe(0)
  })

  test('are made once, also by several requests at once', async () => {
    const call = postmarkCaller(await start())
    const made = await Promise.all([1, 2, 3].map(() => call('POST', '/templates', welcome)))
    expect(made.map(({ status }) => status).sort()).toEqual([200, 422, 422])
  })

  test('refuse an alias that is taken, and a change of it', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    await call('POST', '/templates', welcome)
    const again = await call('POST', '/templates', welcome)
    expect([again.status, again.body.ErrorCode]).toEqual([422, 1122])
    const other = await call('PUT', '/templates/welcome', { Alias: 'hello' })
    expect([other.status, other.body.Message]).toEqual([422, containing("'Alias'")])
  })
})

describe('POST /email/withTemplate', () => {
  test('renders a template by its alias and by its number', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const { TemplateId } = (await call<Template>('POST', '/templates', welcome)).body
    const TemplateModel = { name: '<Ada>', items: [{ title: 'A' }, { title: 'B' }], vip: { since: 2020 } }
    const given = { ...addressed, Tag: 'hi', InlineCss: true, TemplateModel }
    for (const named of [{ TemplateAlias: 'welcome' }, { TemplateId }]) {
      const { status, body } = await call('POST', '/email/withTemplate/', { ...given, ...named })
      expect([status, body]).toEqual([
        200,
        { To: mail.To, SubmittedAt: isoTime, MessageID: uuid, ErrorCode: 0, Message: 'OK' },
      ])
      const { html, text, tags } = await post.inbox.waitFor({ subject: 'Hi <Ada>' })
      expect([html, text.trim(), tags]).toEqual([
        '<p>&lt;Ada&gt;</p><b>A</b><b>B</b>',
        '<Ada>, our guest',
        ['hi'],
      ])
      await post.inbox.removeAll()
    }
  })

  test.each([
    ['an unknown alias', { TemplateAlias: 'none', TemplateModel: {} }, 1101, '"none"'],
    ['an unknown number', { TemplateId: 17, TemplateModel: {} }, 1101, '"17"'],
    ['no template', { TemplateModel: {} }, 300, "'TemplateId'"],
    ['two templates', { TemplateId: 17, TemplateAlias: 'none', TemplateModel: {} }, 300, "'TemplateId'"],
    ['no model', { TemplateAlias: 'welcome' }, 300, "'TemplateModel'"],
    ['a model that is a list', { TemplateAlias: 'welcome', TemplateModel: [] }, 300, "'TemplateModel'"],
    ['a subject', { TemplateAlias: 'welcome', TemplateModel: {}, Subject: 'x' }, 300, 'Subject'],
    [
      'a subject with a line break',
      { TemplateAlias: 'welcome', TemplateModel: { name: 'a\nb' } },
      300,
      'Subject',
    ],
  ] as const)('refuses %s', async (_, given, code, text) => {
    const post = await start()
    const call = postmarkCaller(post)
    await call('POST', '/templates', welcome)
    const { status, body } = await call('POST', '/email/withTemplate', { ...addressed, ...given })
    expect([status, body.ErrorCode, body.Message]).toEqual([422, code, containing(text)])
    expect((await post.inbox.list()).count).toBe(0)
  })
})

test('POST /email/batchWithTemplates answers for each email', async () => {
  const post = await start()
  const call = postmarkCaller(post)
  await call('POST', '/templates', welcome)
  const one = (TemplateAlias: string, name: string): object => ({
    ...addressed,
    TemplateAlias,
    TemplateModel: { name },
  })
  const Messages = [one('welcome', 'Ada'), one('none', 'Bob'), { ...one('welcome', 'Eve'), To: 'nobody' }]
  const { status, body } = await call<Result[]>('POST', '/email/batchWithTemplates', { Messages })
  expect([status, body.map(({ ErrorCode }) => ErrorCode)]).toEqual([200, [0, 1101, 300]])
  await post.inbox.waitFor({ subject: 'Hi Ada' })
  expect((await post.emails.list()).count).toBe(1)
  const many = Array.from({ length: 501 }, () => one('welcome', 'Ada'))
  const more = await call('POST', '/email/batchWithTemplates', { Messages: many })
  expect([more.status, more.body.ErrorCode]).toEqual([422, 410])
})

describe('POST /templates/validate', () => {
  test('renders right texts, and suggests what the model lacks', async () => {
    const post = await start()
    const { status, body } = await postmarkCaller(post)<Checked>('POST', '/templates/validate', {
      Subject: 'Hi {{name}}',
      HtmlBody: '<p>{{name}}</p>{{product.title}}{{toString}}',
      TestRenderModel: { name: '<Ada>' },
      InlineCssForHtmlTestRender: false,
    })
    expect([status, body]).toEqual([
      200,
      {
        AllContentIsValid: true,
        Subject: { ContentIsValid: true, ValidationErrors: [], RenderedContent: 'Hi <Ada>' },
        HtmlBody: { ContentIsValid: true, ValidationErrors: [], RenderedContent: '<p>&lt;Ada&gt;</p>' },
        TextBody: null,
        SuggestedTemplateModel: {
          name: '<Ada>',
          product: { title: 'title_Value' },
          toString: 'toString_Value',
        },
      },
    ])
    expect((await post.templates.list()).count).toBe(0)
  })

  test('suggests each name of many in one object once, and refuses a path that is too deep', async () => {
    const post = await start()
    const call = postmarkCaller(post)
    const names = Array.from({ length: 3000 }, (_, i) => `n${i}`)
    const { body } = await call<Checked>('POST', '/templates/validate', {
      TextBody: names.map((name) => `{{a.b.${name}}}`).join(''),
      TestRenderModel: { a: { b: Object.fromEntries([...names, 'x'].slice(1500).map((name) => [name, 1])) } },
    })
    expect(Object.keys((body.SuggestedTemplateModel as { a: { b: object } }).a.b)).toHaveLength(3001)
    const deep = await call<Checked>('POST', '/templates/validate', {
      TextBody: `{{a${'.a'.repeat(20_000)}}}`,
    })
    expect([deep.status, deep.body.AllContentIsValid]).toEqual([200, false])
  })

  test('says where a text is wrong', async () => {
    const post = await start()
    const { body } = await postmarkCaller(post)<Checked>('POST', '/templates/validate', {
      HtmlBody: 'a\n{{#each items}}',
      TextBody: '{{name}}',
    })
    expect([body.AllContentIsValid, body.HtmlBody, body.TextBody?.RenderedContent]).toEqual([
      false,
      {
        ContentIsValid: false,
        ValidationErrors: [{ Message: containing('line 2'), Line: 2, CharacterPosition: 1 }],
        RenderedContent: null,
      },
      '',
    ])
    const none = await postmarkCaller(post)('POST', '/templates/validate', {})
    expect([none.status, none.body.ErrorCode, none.body.Message]).toEqual([422, 1122, containing('Subject')])
  })
})
