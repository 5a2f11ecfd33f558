import type { lookup as dnsLookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { guardedRequest, reasonOf, type GuardedRequest } from '../../src/net/guarded-request.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'

async function openEcho(): Promise<{ port: number; paths: string[] }> {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`)
    request.pipe(response.writeHead(request.url === '/moved' ? 302 : 200, { location: '/there' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, paths }
}

const given = (over: Partial<GuardedRequest> = {}): GuardedRequest => ({
  method: 'POST',
  headers: {},
  body: 'hello',
  signal: AbortSignal.timeout(5000),
  problemOf: createOutgoing([]).problemOf,
  ...over,
})

/** A resolver that knows only these addresses. */
const resolving = (...addresses: string[]): typeof dnsLookup =>
  ((_name: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof dnsLookup

describe('a guarded request', () => {
  it('returns the answer, and follows no redirect', async () => {
    const { port, paths } = await openEcho()
    const answer = await guardedRequest(new URL(`http://127.0.0.1:${port}/moved`), given())
    expect([answer.statusCode, await text(answer)]).toEqual([302, 'hello'])
    expect(paths).toEqual(['POST /moved'])
  })

  it('connects to a name whose addresses are all allowed', async () => {
    const { port } = await openEcho()
    const lookup = resolving('127.0.0.1')
    const answer = await guardedRequest(new URL(`http://hooks.test:${port}/`), given({ lookup }))
    expect(await text(answer)).toBe('hello')
  })

  it.each([
    ['http://169.254.169.254/', [], /^169\.254\.169\.254 is a link-local/],
    ['http://[fe80::1]/', [], /^fe80::1 is a link-local/],
    ['http://name.test/', ['127.0.0.1', '169.254.169.254'], /name\.test is 169\.254\.169\.254, which/],
    ['http://name.test/', [], /has no address|ENOTFOUND/],
  ])('does not connect to %s at %j', async (url, addresses, reason) => {
    const refused = guardedRequest(new URL(url), given({ lookup: resolving(...addresses) }))
    await expect(refused.catch((error: unknown) => reasonOf(error))).resolves.toMatch(reason)
  })
})
