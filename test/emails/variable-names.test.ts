import { describe, expect, it } from 'vitest'
import { start } from '../support/instance.ts'

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
const good = { from: 'hi@acme.test', to: 'ada@x.test' }

/** Variables as in a JSON body: own members, whatever their names. */
const parsed = (name: string, value: unknown): never =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as never

const noneAbout = (name: string): unknown => expect.not.arrayContaining([expect.stringContaining(name)])

describe.each(names)('a variable named %s', (name) => {
  it.each([
    ['a string', 'v'],
    ['an object with a value', { value: 'v' }],
    ['an object with a default', { value: null, default: 'v' }],
  ])('is filled in over HTTP, in the library and in a template: %s', async (_, value) => {
    const post = await start()
    const content = { subject: `s {{${name}}}`, text: `t {{${name}}}`, html: `h {{${name}}}` }
    const filled = { subject: 's v', text: 't v', html: 'h v' }
    await post.templates.put('t', content)
    for (const source of [content, { template_id: 't' }]) {
      const request = { ...good, ...source, variables: parsed(name, value) }
      const { id } = await post.emails.send(request)
      expect(await post.inbox.get(id)).toMatchObject(filled)
      const answer = await post.fetch(
        new Request('http://localhost/v1/emails', {
          method: 'POST',
          headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(request),
        }),
      )
      expect(answer.status).toBe(200)
      const sent = (await answer.json()) as { id: string }
      expect(await post.emails.get(sent.id)).toMatchObject(filled)
    }
    const log = await (await post.fetch(new Request('http://localhost/dev/requests'))).json()
    // By HTTP, and in the library, with the variable in the request and in the template.
    const warnings = noneAbout(name)
    expect(log).toMatchObject({ requests: [{ warnings }, { warnings }, { warnings }, { warnings }] })
  })

  it('is named in the error where it has neither value nor default, or is of another type', async () => {
    const post = await start()
    const request = { ...good, subject: 'x', text: `{{${name}}}` }
    await expect(post.emails.send({ ...request, variables: parsed(name, {}) })).rejects.toMatchObject({
      code: 'missing_variable',
      errors: [{ field: `variables.${name}` }],
    })
    await expect(post.emails.send({ ...request, variables: parsed(name, 1) })).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: `variables.${name}` }],
    })
  })

  it('stays as written where no variable has the name: in an email, and in a broadcast', async () => {
    const post = await start()
    const text = `{{${name}}}`
    const { id } = await post.emails.send({ ...good, subject: text, text, variables: { other: 'x' } })
    expect(await post.inbox.get(id)).toMatchObject({ subject: text, text })
    const audience = await post.audiences.create({ name: 'all' })
    await post.audiences.contacts.add(audience.id, { email: 'ada@x.test' })
    const sent = await post.broadcasts.send({
      audience_id: audience.id,
      from: good.from,
      subject: text,
      html: '',
      text,
    })
    expect(sent.email_ids).toHaveLength(1)
    expect(await post.inbox.get(sent.email_ids[0] ?? '')).toMatchObject({ subject: text, text })
  })
})
