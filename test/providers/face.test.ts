import { beforeAll, describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import type { Face, UnsupportedOperation } from '../../src/server/face.ts'
import { facesOf, prefixesOf } from '../../src/server/faces.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { hollowApp } from '../server/validate-response.ts'
import { startShared } from '../support/instance.ts'

const faces = facesOf(hollowApp().routes)
const filled = (path: string): string => path.replace(/\{\w+\}/g, 'x').replace('/**', '')

interface Answer {
  status: number
  text: string
  headers: Headers
}

describe.each(faces.map((face) => [face.title, face] as const))('the API of %s', (_, face) => {
  let post: Localpost
  beforeAll(async () => {
    const shared = await startShared()
    post = shared.post
    return shared.end
  })

  /** Every answer of an error has to have the form of the provider. */
  async function ask(method: string, path: string, key: string | null = post.apiKey): Promise<Answer> {
    const headers: Record<string, string> = key === null ? {} : headersWith(face, key)
    const response = await post.fetch(new Request(`http://localhost${path}`, { method, headers }))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    if (response.status >= 400 && isJson) face.errorSchema.parse(JSON.parse(text))
    else expect(text).not.toBe('')
    return { status: response.status, text, headers: response.headers }
  }

  test.skipIf(face.access === 'local')(
    'needs a key for paths that exist, and for those that do not',
    async () => {
      expect(face.key.headerForms).not.toEqual([])
      const expected = face.errorAnswer(new LocalpostError('missing_api_key', ''), face.prefix).status
      for (const path of ['/emails', '/nothing', '', '/%65mails']) {
        const { status, text } = await ask('GET', face.prefix + path, null)
        expect([path, status]).toEqual([path, expected])
        expect(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toContain(
          face.key.headerForms.map((form) => `\`${form}\``).join(' or '),
        )
        expect((await ask('GET', face.prefix + path, 'no-such-key')).status).toBeLessThan(404)
      }
    },
  )

  test('answers unknown paths and methods', async () => {
    expect((await ask('GET', `${face.prefix}/nothing`)).status).toBe(404)
    expect((await ask('GET', face.prefix)).status).toBeOneOf([404, 405])
    const refused = await ask('PUT', `${face.prefix}/openapi.json`)
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('names what it has not', async () => {
    for (const { method = 'GET', path, what } of face.unsupported)
      for (const end of path.endsWith('/**') ? ['', '/x', '/x/y'] : ['']) {
        const { status, text } = await ask(method, face.prefix + filled(path) + end)
        expect([path + end, status]).toEqual([path + end, 501])
        expect(text).toContain(what)
      }
  })

  test('has no route for what it has not', () => {
    const routes = new Set(hollowApp().routes.map(({ method, path }) => `${method} ${path}`))
    const both = face.unsupported.filter(({ method, path }: UnsupportedOperation) =>
      routes.has(`${method ?? 'GET'} ${face.prefix}${path}`),
    )
    expect(both).toEqual([])
  })

  test('has a document of its own, which needs no key', async () => {
    const { status, text } = await ask('GET', `${face.prefix}/openapi.json`, null)
    expect(status).toBe(200)
    const { paths } = JSON.parse(text) as { paths: Record<string, unknown> }
    const described = Object.keys(paths).every((path) =>
      prefixesOf(face).some((prefix) => path.startsWith(`${prefix}/`)),
    )
    expect([Object.keys(paths).length >= 2, described]).toEqual([true, true])
  })

  test.skipIf(face.access === 'local')('has faults that name its paths, and no others', async () => {
    const { api_key } = await post.accounts.create({ name: 'faulty' })
    const account = post.account('faulty')
    for (const other of faces) {
      if (other.access === 'local') continue
      const path = `${other.prefix}/*`
      const isOwn = other === face
      for (const status of [503, 429, 500, 418]) {
        await account.faults.set({ http: [{ path, method: 'GET', status }] })
        const answer = await ask('GET', `${face.prefix}/nothing`, api_key)
        const expected = face.errorAnswer(faultOf(status), face.prefix).status
        expect([other.name, answer.status]).toEqual([other.name, isOwn ? expected : 404])
        if (isOwn) expect(answer.text).toContain('A fault of /dev/faults answers this request')
      }
      await account.faults.set({ http: [{ path, disconnect: true }] })
      const cut = ask('GET', `${face.prefix}/nothing`, api_key)
      if (isOwn) await expect(cut).rejects.toThrow('fetch failed')
      else expect((await cut).status).toBe(404)
      await account.faults.set({ http: [{ path, delay_ms: 30 }] })
      const began = performance.now()
      expect((await ask('GET', `${face.prefix}/nothing`, api_key)).status).toBe(404)
      if (isOwn) expect(performance.now() - began).toBeGreaterThan(25)
    }
    await account.faults.clear()
    await post.accounts.remove('faulty')
  })

  test.skipIf(face.access === 'local')(
    'has faults and rate limits in its own form, and is logged without its key',
    async () => {
      const own = await post.accounts.create({ name: 'logged' })
      const account = post.account('logged')
      await account.faults.set({
        http: [{ path: '*', status: 503, count: 1 }],
        rate_limit: { requests: 1, per_ms: 60_000 },
      })
      const path = `${face.prefix}/nothing?key=${own.api_key}`
      const answers = [await ask('GET', path, own.api_key), await ask('GET', path, own.api_key)]
      const limited = await ask('GET', path, own.api_key)
      expect([...answers, limited].map(({ status }) => status)).toEqual([503, 404, 429])
      expect(limited.headers.get('retry-after')).toMatch(/^\d+$/)
      const { items } = await account.requests.list()
      expect(items.map(({ status }) => status)).toEqual([429, 404, 503])
      expect(JSON.stringify(items)).not.toContain(own.api_key)
      expect(items[0]?.api_key).toMatch(/…/)
    },
  )
})

/** The error of a fault with this status. */
function faultOf(status: number): LocalpostError {
  const codes = { 503: 'service_unavailable', 429: 'rate_limit_exceeded', 500: 'internal_error' } as const
  const code = status in codes ? codes[status as keyof typeof codes] : 'injected_fault'
  return new LocalpostError(code, '', { status })
}

test('a fault for a path that has none is refused, and the message names the paths that have', async () => {
  const { post, end } = await startShared()
  for (const path of ['/dev/inbox', '/emails', '/api/v1/messages', '/resendx', ''])
    await expect(post.faults.set({ http: [{ path, status: 503 }] })).rejects.toMatchObject({
      errors: [{ field: 'http[0].path', message: expect.stringContaining('/v1, /resend, /ses') as string }],
    })
  await end()
})

/** The headers with which a provider's client sends a key. */
function headersWith({ key }: Face, value: string): Record<string, string> {
  const [name = '', form = ''] = (key.headerForms[0] ?? '').split(/: (.*)/s)
  const encoded = form.replace('<api:API_KEY in base64>', Buffer.from(`api:${value}`).toString('base64'))
  return { [name]: encoded.replace('<API_KEY>', value) }
}
