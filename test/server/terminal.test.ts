import { expect, test } from 'vitest'
import { hollowApp } from './validate-response.ts'
import { openInProcess } from './_face.ts'

const curl = { 'user-agent': 'curl/8.5.0', accept: '*/*' }

test('answers of /v1 end with a line end for curl only', async () => {
  const { post } = await openInProcess()
  const text = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<string> => {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { authorization: `Bearer ${post.apiKey}`, ...headers },
    })
    return (await post.fetch(request)).text()
  }
  for (const path of ['/v1/emails', '/v1/emails/em_none', '/v1/nothing', '/v1/domains']) {
    const plain = await text(path, {})
    expect(plain).toMatch(/\}$/)
    expect(await text(path, curl)).toBe(`${plain}\n`)
    expect(await text(path, { ...curl, accept: 'application/json' })).toBe(plain)
    expect(await text(path, { ...curl, 'user-agent': 'node' })).toBe(plain)
  }
})

test('a slash at the end of a path of /v1 causes a warning, and 404 with strict', async () => {
  const paths = hollowApp()
    .routes.filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/openapi.json')
    .map(({ method, path }) => [method, `${path.replace(/\{\w+\}/g, 'x_1')}/`] as const)
  expect(paths.length).toBe(8)
  // The document has no such path, which the usual call would complain of.
  const fetchOf = ({ post }: typeof strict, method: string, path: string): Promise<Response> =>
    post.fetch(
      new Request(`http://localhost${path}`, { method, headers: { authorization: `Bearer ${post.apiKey}` } }),
    )
  const lax = await openInProcess()
  const strict = await openInProcess({ strict: true })
  for (const [method, path] of paths) {
    await lax.call(method, path, { body: method === 'POST' ? {} : undefined })
    const { requests } = (await (await lax.call('GET', '/dev/requests?limit=1')).json()) as {
      requests: { warnings: string[] }[]
    }
    expect(requests[0]?.warnings.join(), path).toContain(
      `The path is ${path.slice(0, -1)}, without the trailing slash`,
    )
    const refused = await fetchOf(strict, method, path)
    expect([path, refused.status]).toEqual([path, 404])
    expect(await refused.json()).toMatchObject({
      name: 'not_found',
      message: expect.stringContaining('slash') as string,
    })
  }
  expect((await fetchOf(strict, 'DELETE', '/v1/emails/')).status).toBe(404)
  expect((await lax.call('GET', '/v1/emails/')).status).toBe(200)
})

const others = hollowApp()
  .routes.filter(({ access }) => access !== 'key')
  .map(({ method, path }) => [method, `${path.replace(/\{\w+\}/g, 'x_1')}/`] as const)

test.each(others)(
  'a slash at the end of a path is 404 with strict, else a warning: %s %s',
  async (method, path) => {
    const call = async (strict: boolean): Promise<Response> => {
      const { post } = await openInProcess({ strict, waitTimeoutMs: 1 })
      const answer = await post.fetch(new Request(`http://localhost${path}`, { method }))
      if (answer.headers.get('content-type')?.startsWith('text/event-stream')) await answer.body?.cancel()
      return answer
    }
    const refused = await call(true)
    expect(refused.status).toBe(404)
    expect(await refused.text()).toContain(`The path is ${path.slice(0, -1)}, without the trailing slash.`)
    const answer = await call(false)
    expect(answer.headers.get('warning')).toMatch(/^299 localpost "the path .* is 404 with strict\./)
  },
)

test('a path without a slash at its end has no warning', async () => {
  const { post } = await openInProcess({ strict: true })
  const answer = await post.fetch(new Request('http://localhost/dev/inbox'))
  expect([answer.status, answer.headers.get('warning')]).toEqual([200, null])
})

test('many warnings are named once each, and counted where a header has no room for them', async () => {
  const { post } = await openInProcess()
  const warningOf = async (domains: readonly string[]): Promise<string> => {
    const emails = domains.map((domain) => ({ from: `a@${domain}`, to: 'b@c.test', subject: 'x', text: 'x' }))
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost/dev/emails', {
      method: 'POST',
      headers,
      body: JSON.stringify(emails),
    })
    const answer = await post.fetch(request)
    expect(answer.status).toBe(200)
    return answer.headers.get('warning') ?? ''
  }
  const once = await warningOf(Array.from({ length: 300 }, () => 'acme.test'))
  expect(once).toMatch(/^299 localpost "domain \\"acme\.test\\" is not registered[^,]*"$/)
  const many = await warningOf(Array.from({ length: 300 }, (_, at) => `acme${at}.test`))
  expect(many.length).toBeLessThan(5000)
  expect(many).toMatch(/, 299 localpost "and 2\d\d more"$/)
})
