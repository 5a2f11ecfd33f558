import { describe, expect, it } from 'vitest'
import { open, openOverSocket, refusalOf, shared, type Face } from './helpers.ts'
import { goodMail } from '../support/mail.ts'

const face = shared()
const limit = 50 * 1024 * 1024
const json = { 'content-type': 'application/json' }
const post = (
  path: string,
  raw: BodyInit,
  headers: Record<string, string> = json,
  of = face(),
): Promise<Response> => of.call('POST', path, { raw, headers })

describe.each(['/v1/emails', '/v1/domains'])('bodies of POST %s', (path) => {
  it.each(['', ' ', '{', '{"a":1,}', "{'a':1}", '{} {}', 'from=a', '\xff', 'undefined', 'NaN'])(
    'access.bodies: %j is 400 invalid_json',
    async (raw) => {
      expect(await refusalOf(await post(path, raw))).toMatchObject({ status: 400, name: 'invalid_json' })
    },
  )

  it('access.bodies: bytes that are not UTF-8 are 400 invalid_json', async () => {
    const answer = await refusalOf(await post(path, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])))
    expect(answer).toMatchObject({ status: 400, name: 'invalid_json' })
  })

  it.each(['[]', '"text"', '7', 'null', 'true', '[{}]'])(
    'access.bodies: %s is no object: 422',
    async (raw) => {
      expect(await refusalOf(await post(path, raw))).toMatchObject({ status: 422, name: 'validation_error' })
    },
  )

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
  ])('access.bodies: the Content-Type %s is 415', async (type) => {
    const answer = await refusalOf(await post(path, '{}', { 'content-type': type }))
    expect(answer).toMatchObject({ status: 415, name: 'unsupported_media_type' })
  })

  it('access.bodies: without a Content-Type it is 415, and parameters of application/json do not matter', async () => {
    expect((await post(path, new TextEncoder().encode('{}'), {})).status).toBe(415)
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      expect((await post(path, '{}', { 'content-type': type })).status, type).toBe(422)
    }
  })

  it('access.bodies: a member of the wrong type is 422 with its name', async () => {
    const [body, fields] = path.endsWith('emails')
      ? [{ ...goodMail, subject: 7, variables: [] }, ['subject', 'variables']]
      : [{ name: 7 }, ['name']]
    expect(await refusalOf(await post(path, JSON.stringify(body)))).toMatchObject({ status: 422, fields })
  })
})

describe('the ends of paths and answers', () => {
  const get = async (path: string, headers: Record<string, string> = {}, strict = false) => {
    const { post } = await open({ strict })
    const authorization = `Bearer ${post.apiKey}`
    const response = await post.fetch(
      new Request(`http://localhost${path}`, { headers: { authorization, ...headers } }),
    )
    return { status: response.status, text: await response.text() }
  }

  it('access.trailing-slash: it is accepted, and 404 with `strict`', async () => {
    expect((await get('/v1/emails/')).status).toBe(200)
    expect((await get('/v1/emails/', {}, true)).status).toBe(404)
  })

  it('access.terminal: only a plain call with curl gets a line end', async () => {
    const curl = { 'user-agent': 'curl/8.5.0', accept: '*/*' }
    expect((await get('/v1/emails', curl)).text).toMatch(/\}\n$/)
    expect((await get('/v1/emails', { ...curl, accept: 'application/json' })).text).toMatch(/\}$/)
    expect((await get('/v1/emails')).text).toMatch(/\}$/)
  })
})

describe('large bodies', () => {
  // White space is allowed in JSON, so that only the size decides.
  const padded = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(bytes).fill(0x20)
  const tooLarge = { status: 413, name: 'payload_too_large' }

  it('access.bodies: 50 MiB are read, a byte more is 413 before it is parsed', async () => {
    expect((await post('/v1/emails', padded(limit))).status).toBe(400)
    expect(await refusalOf(await post('/v1/emails', padded(limit + 1)))).toMatchObject(tooLarge)
  })

  it('access.bodies: an announced length above the limit is refused before the body is read', async () => {
    let pulled = 0
    const raw = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const headers = { ...json, 'content-length': String(limit + 1) }
    expect(await refusalOf(await post('/v1/emails', raw, headers))).toMatchObject(tooLarge)
    expect(pulled).toBe(0)
  })

  it('access.bodies: the same over a socket', async () => {
    const listening = await openOverSocket()
    const answer = await refusalOf(await post('/v1/emails', padded(limit + 1), json, listening))
    expect(answer).toMatchObject(tooLarge)
  })
})

const page = ['/', '/index.html', '/favicon.svg']
const nowhere = [
  '/v1',
  '/v1/',
  '/v1/nope',
  '/v1/email',
  '/v1/emails/a/b',
  '/v1/audiences/x',
  '/v1/domains/x/verify',
  '/dev',
  '/dev/nope',
  '/v2/emails',
  '/v0/emails',
  '/emails',
  '/other/v1/emails',
  '/nope',
  '/assets/nope.js',
  '/assets/../../package.json',
  '/assets/..%2F..%2Fpackage.json',
  '/index.htm',
  '/inbox/em_x',
  '/.git/config',
  '/%',
  '/%00',
]

describe.each([
  ['in process', async (): Promise<Face> => face()],
  ['over a socket', (): Promise<Face> => openOverSocket()],
])('paths, %s', (_, opened) => {
  it('access.unknown-path: an unknown path is 404 in the error shape, whatever the method and Accept', async () => {
    const here = await opened()
    for (const path of nowhere) {
      // For files of the page, only the form of the path is known.
      for (const method of path.startsWith('/assets/') ? ['GET'] : ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const response = await here.call(method, path, {
          key: here.post.apiKey,
          headers: { accept: 'text/html' },
        })
        expect(response.headers.get('content-type'), `${method} ${path}`).toMatch(/^application\/json/)
        expect(await refusalOf(response), `${method} ${path}`).toMatchObject({
          status: 404,
          name: 'not_found',
        })
      }
    }
  })

  it('access.unknown-path: a known path with another method is 405, with Allow', async () => {
    const here = await opened()
    const allowed: Record<string, string> = {
      '/v1/emails': 'GET, HEAD, POST',
      '/v1/emails/x': 'GET, HEAD',
      '/v1/domains': 'GET, HEAD, POST',
      '/v1/domains/x': 'GET, HEAD',
      '/v1/audiences': 'GET, HEAD',
      '/v1/audiences/x/contacts': 'GET, HEAD',
      '/dev/health': 'GET, HEAD',
      '/': 'GET, HEAD',
    }
    for (const [path, allow] of Object.entries(allowed)) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allow.includes(method)) continue
        const response = await here.call(method, path, { key: here.post.apiKey })
        const answer = await refusalOf(response)
        expect(answer, `${method} ${path}`).toMatchObject({ status: 405, name: 'method_not_allowed' })
        expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow)
      }
    }
  })

  it('access.unknown-path: the page answers its own paths', async () => {
    const here = await opened()
    for (const path of page.slice(0, 2)) {
      const response = await here.call('GET', path)
      expect([response.status, response.headers.get('content-type')], path).toEqual([
        200,
        expect.stringMatching(/^text\//),
      ])
    }
  })
})

describe('other write operations', () => {
  const described = async (): Promise<string[]> => {
    const { paths } = await face().get<{ paths: Record<string, object> }>('/dev/openapi.json')
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
  }

  it('access.other-writes: under /v1 there are the eight operations and their description, and no others', async () => {
    expect((await described()).filter((operation) => operation.includes(' /v1')).sort()).toEqual([
      'GET /v1/audiences',
      'GET /v1/audiences/{audienceId}/contacts',
      'GET /v1/domains',
      'GET /v1/domains/{id}',
      'GET /v1/emails',
      'GET /v1/emails/{id}',
      'GET /v1/openapi.json',
      'POST /v1/domains',
      'POST /v1/emails',
    ])
    for (const path of ['/v1/audiences', '/v1/audiences/x/contacts']) {
      expect((await face().call('POST', path, { body: {} })).status).toBe(405)
    }
    for (const path of ['/v1/templates', '/v1/broadcasts', '/v1/contacts', '/v1/webhooks']) {
      expect((await face().call('POST', path, { body: {} })).status).toBe(404)
    }
  })

  it('access.other-writes: /dev creates audiences, contacts and templates, and /v1 shows them', async () => {
    const { id } = await face().create<{ id: string }>('/dev/audiences', { name: 'over http' })
    await face().create(`/dev/audiences/${id}/contacts`, { email: 'ada@x.test', is_subscribed: false })
    const body = { subject: 'S', text: 'T' }
    expect((await face().call('PUT', '/dev/templates/http', { body })).status).toBe(200)
    const { audiences } = await face().get<{ audiences: object[] }>('/v1/audiences')
    expect(audiences).toContainEqual(expect.objectContaining({ id, contact_count: 1, unsubscribers: 1 }))
    expect(await face().get(`/v1/audiences/${id}/contacts`)).toMatchObject({
      contacts: [{ email: 'ada@x.test' }],
    })
    await face().send({ template_id: 'http', subject: undefined, text: undefined })
  })

  it('access.other-writes: the library creates them as well', async () => {
    const { audiences, templates } = face().post
    const { id } = await audiences.create({ name: 'by library' })
    await audiences.contacts.add(id, { email: 'bob@x.test' })
    await templates.put('library', { subject: 'S', text: 'T' })
    expect(await face().get(`/v1/audiences/${id}/contacts`)).toMatchObject({
      contacts: [{ email: 'bob@x.test' }],
    })
    await face().send({ template_id: 'library', subject: undefined, text: undefined })
  })

  it('access.other-writes: the library and POST /dev/broadcasts create broadcasts', async () => {
    const { audiences, broadcasts } = face().post
    const { id } = await audiences.create({ name: 'to be told' })
    await audiences.contacts.add(id, { email: 'ada@x.test' })
    const request = { audience_id: id, from: 'news@acme.test', subject: 'News', text: 'Hi' }
    const byLibrary = await broadcasts.send(request)
    const answer = await face().call('POST', '/dev/broadcasts', { body: request })
    expect(answer.status).toBe(200)
    const byHttp = (await answer.json()) as typeof byLibrary
    for (const { email_ids, count } of [byLibrary, byHttp]) {
      expect(count).toBe(1)
      expect(await face().get(`/v1/emails/${email_ids[0]}`)).toMatchObject({ type: 'broadcast' })
    }
  })

  it('access.versions: /v1 is the only version', async () => {
    // Other paths: the control API, the tools for agents, the addresses in tracked mail, the metrics, and the probes.
    const first = (await described()).map((operation) => operation.split(' ')[1]?.split('/')[1] ?? '')
    expect(
      [...new Set(first)].filter((name) => !['dev', 'mcp', 't', 'livez', 'metrics', 'readyz'].includes(name)),
    ).toEqual(['v1'])
    for (const path of ['/v2/emails', '/v0/emails', '/v1.1/emails', '/V1/emails', '/emails']) {
      const answer = await refusalOf(await face().call('GET', path, { key: face().post.apiKey }))
      expect(answer, path).toMatchObject({ status: 404 })
    }
  })
})
