import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import type { SendingRequest } from '../../src/sending/types.ts'
import { startShared } from '../support/instance.ts'

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

/** Calls `POST /dev/emails`. */
async function send(body: unknown, key?: string): Promise<{ status: number; body: any }> {
  const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) }
  const request = new Request('http://localhost/dev/emails', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const answer = await post.fetch(request)
  return { status: answer.status, body: await answer.json() }
}

describe('whole requests', () => {
  it('are accepted one by one and as an array', async () => {
    const one = await send(mail)
    expect(one).toEqual({
      status: 200,
      body: { emails: [{ id: expect.stringMatching(/^em_/), warnings: expect.any(Array) }] },
    })
    const several = await send([mail, { ...mail, subject: 'Second' }])
    const [first, second] = several.body.emails
    expect((await post.emails.get(first.id)).subject).toBe('Hello')
    expect((await post.emails.get(second.id)).subject).toBe('Second')
  })

  it('are stored together or not at all', async () => {
    const before = (await post.emails.list()).count
    const { status, body } = await send([mail, { ...mail, to: 'nobody' }, mail])
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'validation_error', errors: [{ field: '[1].to' }] })
    expect((await post.emails.list()).count).toBe(before)
  })
})
