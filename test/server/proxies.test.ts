import { request, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { forwardingHeaders } from '../../src/server/forwarded.ts'
import { describeBoth, openInProcess, openOverSocket, type Face } from './_face.ts'

/** A header of each row of the table, as a proxy would write it. */
const forwarded = forwardingHeaders.map((name) => name.replace('*', 'for'))

/** How the common proxies, content networks and tunnels describe a client. */
const seen: readonly (readonly [by: string, headers: Record<string, string>])[] = [
  ['RFC 7239', { Forwarded: 'for=192.0.2.60;proto=https;by=203.0.113.43' }],
  ['nginx', { 'X-Real-IP': '192.0.2.60' }],
  ['Caddy', { 'X-Forwarded-For': '192.0.2.60', 'X-Forwarded-Host': 'x.test', 'X-Forwarded-Proto': 'https' }],
  ['Traefik', { 'X-Forwarded-Server': 'a1b2', 'X-Forwarded-Port': '443' }],
  ['Squid, Varnish', { Via: '1.1 vegur' }],
  ['Cloudflare', { 'CF-Connecting-IP': '192.0.2.60', 'CF-Ray': '230b030023ae2822-SJC' }],
  ['Fly.io', { 'Fly-Client-IP': '192.0.2.60' }],
  ['Akamai', { 'True-Client-IP': '192.0.2.60' }],
  ['Codespaces', { 'X-Original-Host': 'x-8025.app.github.dev', 'X-Original-Proto': 'https' }],
  ['Azure', { 'X-Original-URL': '/dev/keys' }],
  ['a load balancer of AWS', { 'X-Amzn-Trace-Id': 'Root=1-67891233-abcdef012345678912345678' }],
  ['Tailscale', { 'Tailscale-User-Login': 'ada@example.com' }],
]

function ask(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; headers: IncomingMessage['headers'] }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
    })
    sent.on('error', reject).end()
  })
}

const portOf = (face: Face): number => Number(new URL(face.base).port)

describeBoth('a request that a proxy passed on', (open) => {
  test('requires a key at /dev, although it comes from loopback by a loopback name', async () => {
    const { call, post } = await open()
    expect((await call('GET', '/dev/keys')).status).toBe(200)
    for (const headers of [
      ...seen.map(([, given]) => given),
      ...forwarded.map((name) => ({ [name]: '1' })),
    ]) {
      for (const path of ['/dev/keys', '/dev/inbox', '/dev/nothing']) {
        const refused = await call('GET', path, { headers })
        expect([headers, path, refused.status]).toEqual([headers, path, 401])
        expect(await refused.text()).not.toContain(post.apiKey)
      }
      const shown = await call('GET', '/dev/keys', { headers, key: post.apiKey })
      expect([headers, shown.status]).toEqual([headers, 200])
      expect(await shown.text()).not.toContain(post.apiKey)
    }
  })

  test('is distinguished from requests of browsers, curl and fetch on this machine', async () => {
    const { call } = await open()
    const local = { 'user-agent': 'curl/8.5.0', accept: '*/*', 'x-request-id': '1', traceparent: '00-1-1-00' }
    expect((await call('GET', '/dev/keys', { headers: local })).status).toBe(200)
  })
})

describe('requireKey', () => {
  test('requires a key on loopback, where the page may still load', async () => {
    const face = await openOverSocket({ requireKey: true })
    const port = portOf(face)
    for (const path of ['/dev/keys', '/dev/inbox', '/dev/health', '/dev/events', '/dev/nothing'])
      expect([path, (await ask(port, path, {})).status]).toEqual([path, 401])
    const shown = await ask(port, '/dev/keys', { authorization: `Bearer ${face.post.apiKey}` })
    expect([shown.status, shown.body.includes(face.post.apiKey)]).toEqual([200, false])
    expect((await ask(port, '/', {})).status).toBe(200)
  })

  test('requires a key in process as well', async () => {
    const { call, post } = await openInProcess({ requireKey: true })
    expect((await call('GET', '/dev/inbox')).status).toBe(401)
    expect((await call('GET', '/dev/inbox', { key: post.apiKey })).status).toBe(200)
  })
})

describe('the session cookie', () => {
  const signIn = async (face: Face, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await face.call('POST', '/dev/session', { body: { key: face.post.apiKey }, headers })
    return answer.headers.get('set-cookie') ?? ''
  }

  test('has the port in its name, so that two instances on one host do not end each other’s sessions', async () => {
    const [one, other] = [
      await openOverSocket({ requireKey: true }),
      await openOverSocket({ requireKey: true }),
    ]
    const cookies = [await signIn(one), await signIn(other)].map((cookie) => cookie.split(';')[0])
    expect(cookies.map((cookie) => cookie?.split('=')[0])).toEqual([
      `localpost_session_${portOf(one)}`,
      `localpost_session_${portOf(other)}`,
    ])
    const headers = { cookie: cookies.join('; ') }
    for (const face of [one, other])
      expect((await face.call('GET', '/dev/inbox', { headers })).status).toBe(200)
    const wrong = { cookie: cookies[1] ?? '' }
    expect((await one.call('GET', '/dev/inbox', { headers: wrong })).status).toBe(401)
  })

  test('is Secure over HTTPS: according to a proxy, or to an https publicUrl', async () => {
    const face = await openOverSocket({ publicUrl: 'https://mail.example.org' })
    expect(await signIn(face)).not.toContain('Secure')
    for (const headers of [
      { 'x-forwarded-proto': 'https' },
      { 'x-forwarded-proto': 'https, http' },
      { forwarded: 'for=192.0.2.60;proto=https' },
      { 'x-real-ip': '192.0.2.60' },
    ] as Record<string, string>[])
      expect([headers, await signIn(face, headers)]).toEqual([headers, expect.stringMatching(/; Secure$/)])
    const plain = await openOverSocket()
    expect(await signIn(plain, { 'x-forwarded-proto': 'http' })).not.toContain('Secure')
    expect(await signIn(plain, { 'x-forwarded-proto': 'https' })).toContain('Secure')
  })
})
