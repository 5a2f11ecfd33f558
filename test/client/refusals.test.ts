import { describe, expect, it } from 'vitest'
import { createClient, LocalpostError } from '../../src/client/index.ts'

const options = { url: 'http://localpost', apiKey: 'k' }
const answering = (body: string, status = 200) =>
  createClient({ ...options, fetch: async () => new Response(body, { status }) })

function thrownBy(given: Record<string, unknown>): unknown {
  try {
    createClient({ ...options, ...given })
  } catch (error) {
    return error
  }
  return undefined
}

describe('options of a client', () => {
  it.each([
    [{ url: 'http://user:secret@localpost' }, /^url .*without user/],
    [{ url: 'http://localpost?a=1' }, /^url .*query/],
    [{ url: 'http://localpost#f' }, /^url .*fragment/],
    [{ url: undefined }, /^url/],
    [{ apiKey: undefined }, /^apiKey .*undefined/],
    [{ apiKey: 'secret\nkey' }, /^apiKey/],
    [{ timeoutMs: -1 }, /^timeoutMs .*-1/],
    [{ timeoutMs: Number.NaN }, /^timeoutMs .*NaN/],
    [{ timeoutMs: 2 ** 40 }, /^timeoutMs/],
    [{ timeoutMS: 5 }, /"timeoutMS".*"timeoutMs"/],
  ])('%j is refused by name', (given, message) => {
    const error = thrownBy(given)
    expect(error).toBeInstanceOf(LocalpostError)
    expect(error).toMatchObject({ code: 'invalid_option', message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('secret')
  })

  it('may switch the limit off', async () => {
    const fetch = async () => Response.json({ id: 'x' })
    const client = createClient({ ...options, fetch, timeoutMs: Infinity })
    expect(await client.emails.get('x')).toEqual({ id: 'x' })
  })
})

describe('a request that cannot be made', () => {
  const mail = { from: 'a@acme.test', to: 'b@acme.test', subject: 'Hi', text: 'Hi' }

  it.each(['ключ', 'secret\nkey'])('has the idempotency key %j', async (idempotencyKey) => {
    const error: unknown = await answering('{}')
      .emails.send(mail, { idempotencyKey })
      .catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'validation_error' })
    expect(String(error)).not.toContain('secret')
  })

  it('has a member that JSON cannot represent', async () => {
    const request = { ...mail, variables: { n: 1n } } as unknown as typeof mail
    await expect(answering('{}').emails.send(request)).rejects.toMatchObject({ code: 'validation_error' })
  })
})

describe('an answer that does not match the interface', () => {
  it('is a list instead of a detail', async () => {
    await expect(answering('[]').emails.get('x')).rejects.toMatchObject({
      code: 'unexpected_response',
      status: 200,
    })
  })

  it('is reported with its status and its first characters', async () => {
    await expect(answering('{"data":[]}').emails.list()).rejects.toMatchObject({
      status: 200,
      message: expect.stringMatching(/answered 200 without a list of emails.*\{"data":\[\]\}/),
    })
  })

  it('keeps only the errors that name a field', async () => {
    const errors = [null, {}, { field: 1, message: 'x' }, { field: 'to', message: 'is missing' }]
    const body = JSON.stringify({ name: 'validation_error', message: 'no', errors })
    await expect(answering(body, 422).emails.get('x')).rejects.toMatchObject({
      errors: [{ field: 'to', message: 'is missing' }],
    })
  })
})
