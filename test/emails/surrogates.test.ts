import { describe, expect, it } from 'vitest'
import { isErrorOf } from '../../src/core/errors.ts'
import { start } from '../support/instance.ts'

const good = { from: 'hi@acme.test', to: 'ada@x.test', subject: 'x', text: 'x' }
const attachment = { filename: 'a.txt', path: 'data:,x' }

/** Every member of a send request that is written into a header field, each with half of a pair in it. */
const bound = (half: string): [field: string, request: object][] => [
  ['from', { from: `A${half} <hi@acme.test>` }],
  ['from', { from: `hi${half}@acme.test` }],
  ['from', { from: `hi@acme${half}.test` }],
  ['to', { to: `"A${half}" <ada@x.test>` }],
  ['to', { to: [`ada${half}@x.test`] }],
  ['cc', { cc: `ada${half}@x.test` }],
  ['bcc', { bcc: `bob@x.test, ada${half}@x.test` }],
  ['reply_to', { reply_to: `"a${half}"@x.test` }],
  ['subject', { subject: half }],
  ['subject', { subject: '{{a}}', variables: { a: half } }],
  ['subject', { subject: '{{a}}', variables: { a: { value: null, default: half } } }],
  ['attachments[0].filename', { attachments: [{ ...attachment, filename: `a${half}.txt` }] }],
  ['attachments[0].content_type', { attachments: [{ ...attachment, content_type: `text/${half}` }] }],
]

describe.each([
  ['a high', '\ud800'],
  ['a low', '\udc00'],
  ['a pair in the wrong order', '\udc00\ud800'],
])('half of a surrogate pair (%s)', (_, half) => {
  it('is 422 in every value that is written into a header field, over HTTP and in the library', async () => {
    const post = await start()
    for (const [field, over] of bound(half)) {
      const request = { ...good, ...over }
      const answer = await post.fetch(
        new Request('http://localhost/v1/emails', {
          method: 'POST',
          headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(request),
        }),
      )
      const { errors } = (await answer.json()) as { errors: { field: string }[] }
      expect([answer.status, errors.map((error) => error.field)]).toEqual([422, [field]])
      await expect(post.emails.send(request)).rejects.toSatisfy((error) =>
        isErrorOf(error, 'validation_error', 'invalid_attachment'),
      )
    }
    expect((await post.emails.list()).count).toBe(0)
  })

  it('is refused in the names of contacts and the subjects of templates and broadcasts', async () => {
    const post = await start()
    const { id } = await post.audiences.create({ name: 'all' })
    const email = 'ada@x.test'
    await expect(post.audiences.contacts.add(id, { email, first_name: half })).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(post.templates.put('t', { subject: half, text: 'x' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    const broadcast = { audience_id: id, from: good.from, subject: half, html: '', text: 'x' }
    await expect(post.broadcasts.send(broadcast)).rejects.toMatchObject({ code: 'validation_error' })
  })
})

it('a whole pair is accepted like any other character', async () => {
  const post = await start()
  const { id } = await post.emails.send({
    ...good,
    to: '"🎉" <ada@x.test>',
    subject: '{{a}}🎉',
    variables: { a: '🎉' },
  })
  expect((await post.inbox.get(id)).subject).toBe('🎉🎉')
})
