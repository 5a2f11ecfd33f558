import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'
import { hollowApp } from './validate-response.ts'

let post: Localpost
let port: number
beforeAll(async () => {
  const shared = await startShared({ allowHosts: ['mail.test'] })
  post = shared.post
  port = Number(new URL((await post.listen()).url).port)
  return shared.end
})

/** Sends the bytes of a request, and waits for the end of the answer. */
async function send(
  requestLine: string,
  ...headers: readonly string[]
): Promise<{ status: number; body: string }> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const key = `Authorization: Bearer ${post.apiKey}`
  socket.write([requestLine, ...headers, key, 'Connection: close', '', ''].join('\r\n'))
  const answer = await text(socket)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
    body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
  }
}

// A GET route of each rule of access, the page, and what is no route.
const routes = hollowApp().routes.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
const kinds = [...new Set(routes.map(({ access }) => access))]
const live = /events|wait/
const paths = [
  ...kinds.flatMap((kind) =>
    routes
      .filter(({ access, path }) => access === kind && !live.test(path))
      .map(({ path }) => path)
      .slice(0, 3),
  ),
  '/',
  '/v1/nothing',
  '/dev/nothing',
]

describe.each(paths)('GET %s', (path) => {
  const expected = async (): Promise<number> =>
    (await send(`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`)).status

  it('in HTTP/1.0 is answered without a Host', async () => {
    const { status } = await send(`GET ${path} HTTP/1.0`)
    expect(status).toBe(await expected())
    expect(status).not.toBe(400)
    expect((await send(`GET ${path} HTTP/1.0`, 'Host: evil.test')).status).toBe(403)
  })

  it('in HTTP/1.1 is refused without a Host', async () => {
    expect((await send(`GET ${path} HTTP/1.1`)).status).toBe(400)
    expect((await send(`GET http://localhost${path} HTTP/1.1`)).status).toBe(400)
  })

  it.each(['HTTP/1.0', 'HTTP/1.1'])(
    'in absolute form in %s is judged by the host of its target',
    async (version) => {
      const asked = (authority: string, ...headers: string[]): Promise<{ status: number; body: string }> =>
        send(`GET http://${authority}${path} ${version}`, ...headers)
      const own = `localhost:${port}`
      const status = await expected()
      expect((await asked(own, `Host: ${own}`)).status).toBe(status)
      // Of two names, the one that is not of this machine counts.
      expect((await asked(own, 'Host: evil.test')).status).toBe(403)
      for (const host of ['evil.test', `evil.test:${port}`, 'localhost@evil.test', '']) {
        const refused = await asked(host, `Host: ${own}`)
        expect([host, refused.status]).toEqual([host, 403])
        expect(JSON.parse(refused.body)).toMatchObject({ name: 'forbidden_host' })
      }
    },
  )
})

it('an allowed host is not local, in the target or in Host', async () => {
  const withoutKey = async (target: string, host: string): Promise<number> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return Number((await text(socket)).slice(9, 12))
  }
  expect(await withoutKey('http://localhost/dev/inbox', 'localhost')).toBe(200)
  expect(await withoutKey('http://localhost/dev/inbox', 'mail.test')).toBe(401)
  expect(await withoutKey('http://mail.test/dev/inbox', 'localhost')).toBe(401)
})

it('a request without a Host is not local, whatever its target', async () => {
  const withoutKey = async (target: string, ...headers: readonly string[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write([`GET ${target} HTTP/1.0`, ...headers, '', ''].join('\r\n'))
    return (await text(socket)).slice(9, 12)
  }
  const local = routes.filter(({ access, path }) => access === 'local' && !live.test(path))
  expect(local.length).toBeGreaterThan(5)
  for (const { path } of local) {
    const answers = [
      await withoutKey(path),
      await withoutKey(`http://localhost:${port}${path}`),
      await withoutKey(`http://127.0.0.1:${port}${path}`),
    ]
    expect([path, ...answers]).toEqual([path, '401', '401', '401'])
    expect([path, await withoutKey(path, `Host: localhost:${port}`)]).not.toEqual([path, '401'])
  }
})

it('the origin of a page is compared with the host of the target', async () => {
  const asked = (target: string, host: string, origin: string): Promise<{ status: number }> =>
    send(`GET ${target} HTTP/1.1`, `Host: ${host}`, `Origin: ${origin}`)
  expect((await asked('http://mail.test/dev/inbox', 'localhost', 'http://mail.test')).status).toBe(200)
  expect((await asked('http://mail.test/dev/inbox', 'localhost', 'http://localhost')).status).toBe(403)
})

it('a target in absolute form keeps its query, and may lack a path', async () => {
  const listed = await send('GET http://localhost/dev/inbox?limit=x HTTP/1.1', 'Host: localhost')
  expect(listed.status).toBe(422)
  expect((await send('GET http://localhost HTTP/1.1', 'Host: localhost')).status).toBe(
    (await send('GET / HTTP/1.1', 'Host: localhost')).status,
  )
})
