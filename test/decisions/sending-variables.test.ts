import { describe, expect, it } from 'vitest'
import type { EmailDetail } from '../../src/emails/types.ts'
import { open, shared, type Face, type List, type Over } from './helpers.ts'

const face = shared()
const warnings = async (of: Face = face()): Promise<string[]> => (await of.logged()).warnings

async function sent(over: Over): Promise<EmailDetail> {
  return face().detail(await face().send(over))
}
const filled = async (text: string, variables: Record<string, unknown>): Promise<string> =>
  (await sent({ text, variables })).text

describe('placeholders', () => {
  it('sending.placeholders: they are filled in html, text and subject, and nowhere else', async () => {
    const id = await face().send({
      from: '{{name}} <hi@acme.test>',
      subject: 'Hi {{name}}',
      html: '<p>{{name}}</p>',
      text: '{{name}}, hello',
      variables: { name: 'Ada' },
    })
    const email = await face().settled(id)
    expect(email).toMatchObject({ subject: 'Hi Ada', html: '<p>Ada</p>', text: 'Ada, hello' })
    expect(email.from).toBe('{{name}} <hi@acme.test>')
    expect(await face().mail(id)).toMatchObject({ subject: 'Hi Ada', html: '<p>Ada</p>', text: 'Ada, hello' })
  })

  it('sending.placeholders: spaces inside the braces are optional', async () => {
    const text = '{{name}} {{ name }} {{  name}} {{name\t}} {{\nname\n}}'
    expect(await filled(text, { name: 'Ada' })).toBe('Ada Ada Ada Ada Ada')
  })

  it.each([
    'a',
    'Name',
    '_x',
    'a1',
    'user.name',
    'first-name',
    'A_b-c.9',
    '__defineGetter__',
    '__proto__',
    'hasOwnProperty',
    'valueOf',
    'constructor',
    'toString',
  ])('sending.placeholders: %s is a name', async (name) => {
    expect(await filled(`<{{${name}}}>`, Object.fromEntries([[name, 'v']]))).toBe('<v>')
  })

  it.each(['1a', '-a', '.a', 'a b', 'a$', 'é', '', 'a/b', '#if', '>x', '{a}'])(
    'sending.placeholders: %s is not, and stays as written',
    async (name) => {
      expect(await filled(`<{{${name}}}>`, { [name]: 'v' })).toBe(`<{{${name}}}>`)
    },
  )

  it('sending.placeholders: names are case-sensitive', async () => {
    expect(await filled('{{name}} {{Name}} {{NAME}}', { name: 'a', Name: 'b' })).toBe('a b {{NAME}}')
  })

  it('sending.placeholders: they are filled in one pass: braces in a value stay unchanged', async () => {
    expect(await filled('{{a}} {{b}} {{c}}{{d}}', { a: '{{b}}', b: '{{a}}', c: '{', d: '{a}}' })).toBe(
      '{{b}} {{a}} {{a}}',
    )
    // Replacement patterns in a value have no effect either.
    expect(await filled('{{a}}', { a: "$& $1 $$ $` $'" })).toBe("$& $1 $$ $` $'")
  })
})

describe('variables', () => {
  it('sending.variables: a string is used as it is; of an object `value` is used, or `default` for null and absent', async () => {
    const variables = {
      plain: 'p',
      empty: '',
      both: { value: 'v', default: 'd' },
      alone: { value: 'v' },
      nulled: { value: null, default: 'd' },
      absent: { default: 'd' },
      emptied: { value: '', default: 'd' },
      byDefault: { value: null, default: '' },
    }
    const text = Object.keys(variables)
      .map((name) => `${name}={{${name}}}`)
      .join(' ')
    expect(await filled(text, variables)).toBe(
      'plain=p empty= both=v alone=v nulled=d absent=d emptied= byDefault=',
    )
  })

  it('sending.variables: neither value nor default is 422 missing_variable, with all such variables', async () => {
    const answer = await face().refusal({
      text: '{{a}} {{b}} {{c}}',
      variables: { a: { value: null }, b: {}, c: { default: 'd' } },
    })
    expect(answer).toMatchObject({ status: 422, name: 'missing_variable' })
    expect(answer.fields).toEqual(['variables.a', 'variables.b'])
  })

  it.each([3, null, true, ['x'], { value: 3 }, { default: null }])(
    'sending.variables: %j is no variable',
    async (value) => {
      const answer = await face().refusal({ variables: { name: value } })
      expect(answer).toMatchObject({ status: 422, name: 'validation_error' })
      expect(answer.fields[0]).toMatch(/^variables\.name/)
    },
  )

  it('sending.unanswered-names: a name without variable stays as written, with one warning', async () => {
    const email = await sent({ subject: 'Hi {{ who }}', text: '{{who}}{{name}}', variables: { name: 'Ada' } })
    expect(email).toMatchObject({ subject: 'Hi {{ who }}', text: '{{who}}Ada' })
    expect((await warnings()).filter((warning) => warning.includes('who'))).toHaveLength(1)
    expect((await warnings()).join()).not.toContain('name}}')
    // The same without any variables.
    expect((await sent({ text: '{{who}}' })).text).toBe('{{who}}')
    expect((await warnings()).join()).toContain('{{who}}')
  })
})

describe('the rendered size', () => {
  const refused = async (over: Over): Promise<{ status: number; name: string; fields: string[] }> => {
    const before = (await face().get<List>('/v1/emails')).count
    const { status, name, fields } = await face().refusal(over)
    expect((await face().get<List>('/v1/emails')).count).toBe(before)
    return { status, name, fields }
  }

  it.each([
    ['as given', { subject: 'x'.repeat(3993) }],
    ['in bytes of UTF-8', { subject: 'ä'.repeat(1997) }],
    ['with variables filled in', { subject: '{{a}}'.repeat(500), variables: { a: 'x'.repeat(1_000_000) } }],
    ['with a default', { subject: '{{a}}', variables: { a: { value: null, default: 'x'.repeat(3993) } } }],
  ])('sending.rendered-size: a subject over the limit is refused, %s', async (_, over) => {
    expect(await refused(over)).toEqual({ status: 422, name: 'validation_error', fields: ['subject'] })
  })

  it.each(['html', 'text'])('sending.rendered-size: %s that grows beyond 40 MB is refused', async (body) => {
    const variables = { a: 'ä'.repeat(500_000) }
    expect(await refused({ [body]: '{{a}}'.repeat(41), variables })).toMatchObject({
      status: 413,
      name: 'message_too_large',
    })
  })

  it('sending.rendered-size: the bodies share the limit', async () => {
    const over = {
      html: '{{a}}'.repeat(21),
      text: '{{a}}'.repeat(20),
      variables: { a: 'x'.repeat(1_000_000) },
    }
    expect(await refused(over)).toMatchObject({ status: 413, name: 'message_too_large' })
  })

  it('sending.rendered-size: more than 100,000 pairs of braces are refused, placeholders or not', async () => {
    const over = { html: '{{a}}'.repeat(50_000), text: '{{'.repeat(50_001) }
    expect(await refused(over)).toEqual({ status: 422, name: 'validation_error', fields: ['text'] })
  })

  it('sending.rendered-size: the largest subject is accepted', async () => {
    const { subject } = await sent({ subject: '{{a}}', variables: { a: 'ä'.repeat(1996) } })
    expect(subject).toBe('ä'.repeat(1996))
  })
})

describe('escaping', () => {
  const value = `<b>"Tom" & 'Jerry'</b>`
  const over = { html: '<p>{{v}}</p>', text: '{{v}}', subject: '{{v}}', variables: { v: value } }

  it('sending.escaping: values are inserted unescaped', async () => {
    expect(await sent(over)).toMatchObject({ html: `<p>${value}</p>`, text: value, subject: value })
  })

  it.each(['<', '>', '&', '"'])(
    'sending.escaping: a value with %s in html is warned of, elsewhere not',
    async (sign) => {
      const about = async (): Promise<string[]> =>
        (await warnings()).filter((text) => text.includes('unescaped'))
      await face().send({ html: '{{v}}', variables: { v: `a${sign}b` } })
      expect(await about()).toEqual([expect.stringContaining('"v"')])
      await face().send({ text: '{{v}}', subject: '{{v}}', variables: { v: `a${sign}b` } })
      expect(await about()).toEqual([])
    },
  )

  it('sending.escaping: the option `escapeHtml` escapes them in html only, without a warning', async () => {
    const escaping = await open({ escapeHtml: true })
    const email = await escaping.detail(await escaping.send(over))
    expect(email).toMatchObject({
      html: `<p>&lt;b&gt;&quot;Tom&quot; &amp; 'Jerry'&lt;/b&gt;</p>`,
      text: value,
      subject: value,
    })
    expect((await warnings(escaping)).join()).not.toContain('unescaped')
  })
})

describe('templates', () => {
  const none = { subject: undefined, html: undefined, text: undefined }

  it('sending.template: it gives subject, html and text, with their placeholders filled', async () => {
    await face().post.templates.put('welcome', { subject: 'Hi {{n}}', html: '<p>{{n}}</p>', text: 'T {{n}}' })
    const email = await sent({ ...none, template_id: 'welcome', variables: { n: 'Ada' } })
    expect(email).toMatchObject({
      template_id: 'welcome',
      subject: 'Hi Ada',
      html: '<p>Ada</p>',
      text: 'T Ada',
    })
    expect((await sent({})).template_id).toBeNull()
  })

  it.each(['subject', 'html', 'text'] as const)(
    'sending.template: the request’s own %s wins',
    async (member) => {
      const template = { subject: 'S', html: '<p>H</p>', text: 'T' }
      await face().post.templates.put('t', template)
      for (const own of ['own', '']) {
        const email = await sent({ ...none, template_id: 't', [member]: own })
        expect(email).toMatchObject({ ...template, [member]: own })
      }
    },
  )

  it('sending.template: an email keeps the content of the template at the time of the send', async () => {
    await face().post.templates.put('old', { subject: 'S', text: 'before' })
    const id = await face().send({ ...none, template_id: 'old' })
    await face().post.templates.put('old', { subject: 'S', text: 'after' })
    expect((await face().detail(id)).text).toBe('before')
  })

  it('sending.template: an unknown one is 404 template_not_found', async () => {
    for (const own of [none, {}]) {
      const answer = await face().refusal({ ...own, template_id: 'no-such' })
      expect(answer).toMatchObject({ status: 404, name: 'template_not_found' })
    }
  })
})

describe('templates in other languages', () => {
  const blocks = '{{#each items}}{{this}};{{/each}}{{name}}'

  it('sending.engines: a template is rendered by its engine, from data of any form', async () => {
    const { post } = await open()
    await post.templates.put('list', { subject: 'x', html: blocks, engine: 'handlebars' })
    const request = { from: 'hi@acme.test', to: 'ada@example.com', template_id: 'list' }
    const { id } = await post.sending.send({ ...request, data: { items: ['<', 2], name: 'Ada' } })
    expect((await post.emails.get(id)).html).toBe('&lt;;2;Ada')
    await post.templates.put('list', { subject: 'x', html: blocks })
    const { id: plain } = await post.sending.send({ ...request, data: { name: 'Ada' } })
    expect((await post.emails.get(plain)).html).toBe('{{#each items}}{{this}};{{/each}}Ada')
    for (const html of ['{{> other}}', '{{* other}}', '{{log x}}', '{{other x}}', '{{#if x}}'])
      await expect(post.templates.put('wrong', { html, engine: 'handlebars' })).rejects.toMatchObject({
        code: 'invalid_template',
      })
  })

  it('sending.missing-data: what data lacks is empty with a warning, or an error that names it', async () => {
    const { post } = await open()
    const request = {
      from: 'hi@acme.test',
      to: 'ada@example.com',
      subject: 'x',
      text: `${blocks}{{a.b}}`,
      data: {},
    }
    const rendering = { engine: 'handlebars' } as const
    const { id, warnings } = await post.sending.send({ ...request, rendering })
    expect((await post.emails.get(id)).text).toBe('')
    expect(warnings.filter((one) => one.includes('no data'))).toHaveLength(2)
    const strict = { ...request, rendering: { ...rendering, missing: 'error' } as const }
    await expect(post.sending.send(strict)).rejects.toMatchObject({
      code: 'missing_variable',
      errors: [{ field: 'data.name' }, { field: 'data.a.b' }],
    })
  })
})
