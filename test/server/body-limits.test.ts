import { request } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { toOpenApi } from '../../src/server/openapi.ts'
import { maxBytesOf } from '../../src/server/body.ts'
import { bodyLimits, type Route } from '../../src/server/route.ts'
import { startShared } from '../support/instance.ts'
import { hollowApp } from './validate-response.ts'

const { routes } = hollowApp()
// The server reads the bodies of providers' routes in the same way; their answers have other forms.
const taking = routes.filter(({ body, face }) => body !== undefined && !face)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const limitOf = ({ body }: Route): number => (body ? maxBytesOf(body) : 0)
const cases = taking.map((route) => [nameOf(route), route] as const)
/** One route of each limit and type of body: all read their bodies in the same way. */
const kinds = new Map(taking.map((route) => [`${limitOf(route)} ${route.body?.bytesType}`, route])).values()
const onePerKind = [...kinds].map((route) => [nameOf(route), route] as const)

let post: Localpost
let url: string
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  url = (await post.listen()).url
  return shared.end
})

/** Asks with a body over a socket; the answer may come before the body is written. */
function answerOf(
  { method, path, body: wanted }: Route,
  headers: Record<string, string | number>,
  body: Buffer | null,
): Promise<{ status: number; name: string; message: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url + path.replace(/\{\w+\}/g, 'x'), {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${post.apiKey}`,
        'content-type': wanted?.bytesType ?? 'application/json',
        ...headers,
      },
    })
    asked.on('response', (response) => {
      response
        .toArray()
        .then((pieces) => {
          resolve({ status: response.statusCode ?? 0, ...JSON.parse(Buffer.concat(pieces).toString()) })
          asked.destroy()
        })
        .catch(reject)
    })
    // The connection may end while the rest of the body is written; the answer came before.
    asked.on('error', reject)
    asked.flushHeaders()
    if (body) asked.end(body)
  })
}

// White space is valid JSON so far, so that only the size decides.
const spaces = (bytes: number): Buffer => Buffer.alloc(bytes, ' ')

describe('the body of a request', () => {
  it('is accepted by many routes', () => {
    expect(cases.length).toBeGreaterThan(15)
    expect(onePerKind.length).toBeGreaterThan(3)
  })

  it.each(cases)('%s: one byte above the limit is 413 by its Content-Length', async (_, route) => {
    const answer = await answerOf(route, { 'content-length': limitOf(route) + 1 }, null)
    expect(answer).toMatchObject({ status: 413, name: 'payload_too_large' })
    expect(answer.message).toContain(`${limitOf(route)} bytes`)
  })

  it.each(onePerKind)('%s: one byte above the limit is 413 also without a length', async (_, route) => {
    const body = spaces(limitOf(route) + 1)
    const answer = await answerOf(route, { 'transfer-encoding': 'chunked' }, body)
    expect(answer).toMatchObject({ status: 413, name: 'payload_too_large' })
  })

  it.each(onePerKind)('%s: a body of exactly the limit is not too large', async (_, route) => {
    const body = spaces(limitOf(route))
    const answer = await answerOf(route, { 'content-length': body.length }, body)
    expect(answer.name).not.toBe('payload_too_large')
  })

  it.each(cases)('%s: the OpenAPI document states the limit', (_, { method, path, body }) => {
    const document = toOpenApi(routes, '0.0.0')
    const operation = document.paths[path]?.[method.toLowerCase()] as { requestBody: { description: string } }
    expect(operation.requestBody.description).toContain(`At most ${body && maxBytesOf(body)} bytes`)
  })

  it('may have 50 MiB for sends and imports only, 4 KiB for the sign-in, at most 5 MiB elsewhere', () => {
    const large = taking.filter((route) => limitOf(route) === bodyLimits.large)
    expect(large.map(nameOf).sort()).toEqual([
      'POST /dev/audiences/{id}/contacts',
      'POST /dev/emails',
      'POST /dev/inbox/import',
      'POST /v1/emails',
    ])
    const others = taking.filter((route) => !large.includes(route))
    expect(Math.max(...others.map(limitOf))).toBe(5 * 1024 * 1024)
    expect(limitOf(taking.find(({ path }) => path === '/dev/session') as Route)).toBe(4096)
  })
})
