import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import type { SendingRequest } from '../../src/sending/types.ts'
import { startShared } from '../support/instance.ts'
import { sendWhole, type Answered } from './_send.ts'

let post: Localpost
let end: () => Promise<void>
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  end = shared.end
})
afterAll(() => end())

const mail: SendingRequest = {
  from: 'Acme <hi@acme.test>',
  to: 'Ada <ada@example.com>',
  subject: 'Hello',
  text: 'Hello',
}

const send = (body: unknown, key?: string): Promise<Answered> => sendWhole(post, body, key)

describe('whole requests', () => {
  it('are accepted one by one and as an array', async () => {
    const one = await send(mail)
    expect(one).toEqual({
      status: 200,
      body: { emails: [{ id: expect.stringMatching(/^em_/), warnings: expect.any(Array) }] },
    })
    const several = await send([mail, { ...mail, subject: 'Second' }])
    const [first, second] = several.body.emails
    expect((await post.emails.get(first?.id ?? '')).subject).toBe('Hello')
    expect((await post.emails.get(second?.id ?? '')).subject).toBe('Second')
  })

  it('have a bound on their recipients together, and on Reply-To', async () => {
    const before = (await post.emails.list()).count
    const to = Array.from({ length: 900 }, (_, i) => `a${i}@example.com`)
    const many = Array.from({ length: 25 }, () => ({ ...mail, to }))
    expect(await send(many)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'body', message: expect.stringContaining('22500 recipients') }] },
    })
    const reply_to = [Array.from({ length: 1001 }, () => 'a@x.test').join(), 'not an address']
    expect(await send({ ...mail, reply_to })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'reply_to', message: 'must have at most 1000 addresses' }] },
    })
    expect((await post.emails.list()).count).toBe(before)
  })

  it('are stored together or not at all', async () => {
    const before = (await post.emails.list()).count
    const { status, body } = await send([mail, { ...mail, to: 'nobody' }, mail])
    expect(status).toBe(422)
    expect(body).toMatchObject({ name: 'validation_error', errors: [{ field: '[1].to' }] })
    expect((await post.emails.list()).count).toBe(before)
  })

  it('of which each error says the place, whatever it is', async () => {
    const wrong: [object, string, string | null][] = [
      [{ ...mail, text: undefined }, 'validation_error', '[1].html'],
      [{ ...mail, template_id: 'none' }, 'template_not_found', null],
      [{ ...mail, variables: { a: { value: null } } }, 'missing_variable', '[1].variables.a'],
      [
        { ...mail, attachments: [{ name: 'a', content: '?' }] },
        'invalid_attachment',
        '[1].attachments[0].content',
      ],
    ]
    for (const [request, name, field] of wrong) {
      const { body } = await send([mail, request])
      expect(body).toMatchObject({ name, message: expect.stringMatching(/^\[1\]/) })
      if (field !== null) expect(body.errors[0]?.field).toBe(field)
    }
    expect((await send([mail, 17])).body.errors).toEqual([{ field: '[1]', message: expect.any(String) }])
  })

  it('are 1 to 1000', async () => {
    for (const requests of [[], Array.from({ length: 1001 }, () => mail)]) {
      const { status, body } = await send(requests)
      expect({ status, message: body.message }).toEqual({
        status: 422,
        message: expect.stringContaining('1 to 1000'),
      })
    }
  })

  it('may be long', async () => {
    const content = Buffer.alloc(900_000, 'a').toString('base64')
    const requests = [1, 2].map((i) => ({
      ...mail,
      subject: `Long ${i}`,
      attachments: [{ name: 'a.txt', content }],
    }))
    const { status, body } = await send(requests)
    expect(status).toBe(200)
    expect((await post.inbox.get(body.emails[1]?.id ?? '')).subject).toBe('Long 2')
    const wrong = await send([requests[0], { ...requests[1], to: 'nobody' }])
    expect(wrong.body.errors[0]?.field).toBe('[1].to')
  })
})

describe('an idempotency key', () => {
  it('covers all requests of a call, whatever id a provider gives this time', async () => {
    const call = (id: string): Promise<Answered> =>
      send([mail, { ...mail, subject: 'Second', provider: { name: 'acme', message_id: id } }], 'batch-1')
    const first = await call('first')
    const again = await call('second')
    expect(first.body.emails[1]?.message_id).toBe('first')
    expect(again.body.emails).toEqual(first.body.emails.map((one) => ({ ...one, warnings: [] })))
    const other = await send([mail], 'batch-1')
    expect(other).toMatchObject({ status: 409, body: { name: 'idempotency_conflict' } })
  })

  it('is another one for each surface', async () => {
    const key = { idempotencyKey: 'shared' }
    const plain = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'a', text: 'b' }
    const { id } = await post.emails.send(plain, key)
    const own = await send(mail, 'shared')
    expect(own.status).toBe(200)
    expect(own.body.emails[0]?.id).not.toBe(id)
    // Also where a key of the interface looks like one of another surface.
    const { id: third } = await post.emails.send(plain, { idempotencyKey: 'dev\nshared' })
    expect([id, own.body.emails[0]?.id]).not.toContain(third)
  })

  it('gives one answer to calls at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send([mail, mail], 'at-once')))
    const ids = new Set(answers.map(({ body }) => JSON.stringify(body.emails.map(({ id }) => id))))
    expect(ids.size).toBe(1)
  })
})
