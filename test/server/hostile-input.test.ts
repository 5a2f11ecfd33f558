import { describe, expect, test } from 'vitest'
import { openInProcess } from './_face.ts'
import { bearerOf } from '../../src/server/auth.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { goodMail } from '../support/mail.ts'

interface Refused {
  name: string
  message: string
  errors: { field: string; message: string }[]
}

const members = (count: number, value: unknown = ''): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, value]))
const json = { 'content-type': 'application/json' }
const attachment = { filename: 'a.txt', path: 'data:,x' }
const many = 200_000
const mostVariables = 1000

describe('a send request with 200,000', () => {
  test('unknown members is accepted, once, and answered 200 with bounded warnings', async () => {
    const { call } = await openInProcess()
    expect((await call('POST', '/v1/emails', { body: { ...goodMail, ...members(many) } })).status).toBe(200)
    expect(await (await call('GET', '/v1/emails')).json()).toMatchObject({ count: 1 })
    const { warnings } = await lastLogged(call)
    expect(warnings).toHaveLength(102) // and one about the domain
    expect(warnings[0]).toBe('member "m0" is not known and was ignored')
    expect(warnings[100]).toBe('and 199900 more')
  })

  test('members in one attachment are ignored as unknown members are', async () => {
    const { call } = await openInProcess()
    const wrong = { ...attachment, ...members(many), filename: 'a/b' }
    const refused = await call('POST', '/v1/emails', { body: { ...goodMail, attachments: [wrong] } })
    expect([refused.status, ((await refused.json()) as Refused).name]).toEqual([422, 'invalid_attachment'])
    const good = { ...attachment, ...members(many) }
    expect((await call('POST', '/v1/emails', { body: { ...goodMail, attachments: [good] } })).status).toBe(
      200,
    )
    const { warnings } = await lastLogged(call)
    expect(warnings).toHaveLength(102) // and one about the domain
    expect(warnings[0]).toBe('member "attachments[0].m0" is not known and was ignored')
  })

  test('attachments or recipients in an array is 422 with one error', async () => {
    const { call } = await openInProcess()
    for (const name of ['attachments', 'to']) {
      const response = await call('POST', '/v1/emails', {
        body: { ...goodMail, [name]: Array(many).fill(1) },
      })
      expect(response.status).toBe(422)
      expect(((await response.json()) as Refused).errors).toEqual([
        { field: name, message: 'must have at most 100 entries, not 200000' },
      ])
    }
  })
})

describe('a send request with 1000', () => {
  test('unused variables is accepted', async () => {
    const { call } = await openInProcess()
    const response = await call('POST', '/v1/emails', {
      body: { ...goodMail, variables: members(mostVariables) },
    })
    expect(response.status).toBe(200)
    expect((await lastLogged(call)).warnings[100]).toBe('and 900 more')
  })

  test('wrong variables is 422 with 100 errors and a count', async () => {
    const { call } = await openInProcess()
    const response = await call('POST', '/v1/emails', {
      body: { ...goodMail, variables: members(mostVariables, 1) },
    })
    expect(response.status).toBe(422)
    const { message, errors } = (await response.json()) as Refused
    expect(errors).toHaveLength(101)
    expect(errors[100]).toEqual({ field: 'body', message: 'and 900 more' })
    expect(message).toContain('(and 999 more, see errors)')
  })

  test('variables without a value is 422 with 100 errors and a count', async () => {
    const { call } = await openInProcess()
    const variables = members(mostVariables, {})
    const response = await call('POST', '/v1/emails', { body: { ...goodMail, variables } })
    expect(response.status).toBe(422)
    expect(((await response.json()) as Refused).errors).toHaveLength(101)
  })
})

describe('a send request', () => {
  test('with 200,000 variables is 422 with one error, right or wrong', async () => {
    const { call } = await openInProcess()
    for (const value of [5, {}, 'x']) {
      const variables = Object.fromEntries(Array.from({ length: many }, (_, i) => [`v${i}`, value]))
      const response = await call('POST', '/v1/emails', { body: { ...goodMail, variables } })
      expect(response.status).toBe(422)
      expect(((await response.json()) as Refused).errors).toEqual([
        { field: 'variables', message: 'must have at most 1000 variables, not 200000' },
      ])
    }
  })

  test('has one error for a member of the wrong type', async () => {
    const { call } = await openInProcess()
    const response = await call('POST', '/v1/emails', { body: { ...goodMail, from: [], template_id: [] } })
    expect(((await response.json()) as Refused).errors).toEqual([
      { field: 'from', message: 'must be a string, not []' },
      { field: 'template_id', message: 'must be a string, not []' },
    ])
    const { message } = (await (await call('GET', '/dev/inbox?limit=ten')).json()) as { message: string }
    expect(message).toBe('limit: must be a number')
  })

  test('whose variables or attachments are a long string is 422', async () => {
    const { call } = await openInProcess()
    for (const name of ['variables', 'attachments']) {
      const body = { ...goodMail, [name]: 'x'.repeat(20_000_000) }
      const response = await call('POST', '/v1/emails', { body })
      expect(response.status).toBe(422)
      expect(((await response.json()) as Refused).errors[0]).toMatchObject({ field: name })
    }
  })

  test('with an address string longer than 20,000 characters is 422', async () => {
    const { call } = await openInProcess()
    const to = `${'x '.repeat(10_000)}<ada@example.com>`
    expect((await call('POST', '/v1/emails', { body: { ...goodMail, to } })).status).toBe(422)
  })

  test('of 19 million umlauts is 413 at once, and does not fail later', async () => {
    const { call } = await openInProcess()
    const response = await call('POST', '/v1/emails', { body: { ...goodMail, text: 'ü'.repeat(19_000_000) } })
    expect([response.status, ((await response.json()) as Refused).name]).toEqual([413, 'message_too_large'])
    expect(await (await call('GET', '/v1/emails')).json()).toMatchObject({ count: 0 })
  })
})

describe('the request log', () => {
  test('shows a body that is not JSON', async () => {
    const { call } = await openInProcess()
    const headers = { 'content-type': 'application/json' }
    expect((await call('POST', '/v1/emails', { raw: '{"to": ', headers })).status).toBe(400)
    expect(await lastLogged(call)).toMatchObject({ status: 400, request_body: '{"to": ' })
  })

  test('keeps at most 500 characters of a warning, with keys masked', async () => {
    const { call, post } = await openInProcess()
    const text = `{{${'a'.repeat(100_000)}}}`
    await call('POST', '/v1/emails', { body: { ...goodMail, text, [post.apiKey]: 1 } })
    const { warnings } = await lastLogged(call)
    expect(warnings).toHaveLength(3)
    expect(warnings.join()).not.toContain(post.apiKey)
    expect(Math.max(...warnings.map(({ length }) => length))).toBe(500)
  })
})

describe('a body', () => {
  test.each([
    ['[', ']'],
    ['{"to":', '}'],
    ['{"to":[{"a":', '}]}'],
  ])('of 200,000 times %s is refused, with a key and without', async (open, close) => {
    const { call } = await openInProcess()
    for (const [path, headers, depth] of [
      ['/v1/emails', json, many],
      ['/v1/emails', { ...json, 'idempotency-key': 'k' }, many],
      // As deep as the size limit of its body allows.
      ['/v1/domains', json, 3000],
      ['/dev/templates/x', json, many],
    ] as const) {
      const raw = `${open.repeat(depth)}1${close.repeat(depth)}`
      const response = await call(path.startsWith('/dev') ? 'PUT' : 'POST', path, { raw, headers })
      const { name, message } = (await response.json()) as Refused
      expect([response.status, name]).toEqual([400, 'invalid_json'])
      expect(message).toContain('nested deeper than 100 levels')
    }
  })

  test('may be nested 100 levels deep', async () => {
    const { call } = await openInProcess()
    const raw = `{"to":${'['.repeat(99)}${']'.repeat(99)}}`
    const response = await call('POST', '/v1/emails', { raw, headers: { ...json, 'idempotency-key': 'k' } })
    expect(response.status).toBe(422)
  })
})

test('a key is read from an Authorization header in linear time', () => {
  const keyOf = (value: string): string | null => bearerOf(new Headers({ authorization: value }))
  expectLinearCost((size) => keyOf(`Bearer a${' \t'.repeat(size / 2)}b`), 8000)
  expectLinearCost((size) => keyOf(`Bearer${' \t'.repeat(size / 2)}`), 8000)
  expect(keyOf('beaRER \t a b \t')).toBe('a b')
  expect(keyOf('Bearer \t')).toBe(null)
  expect(keyOf('Bearera')).toBe(null)
})

async function lastLogged(call: (method: string, path: string) => Promise<Response>): Promise<LoggedRequest> {
  const { requests } = (await (await call('GET', '/dev/requests')).json()) as { requests: LoggedRequest[] }
  const last = requests.find(({ method }) => method === 'POST')
  if (!last) throw new Error('nothing is logged')
  return last
}
