import { request } from 'node:http'
import { expect, it } from 'vitest'
import { openOverSocket } from './helpers.ts'

it('access.trust-proxy: X-Forwarded-Proto counts for proxies of the option, and makes nobody local', async () => {
  for (const [trustProxy, isSecure] of [
    [['127.0.0.1'], true],
    [['192.0.2.1'], false],
  ] as const) {
    const face = await openOverSocket({ trustProxy: [...trustProxy], apiKeys: ['a-key'] })
    const headers = { 'content-type': 'application/json', 'x-forwarded-proto': 'https' }
    const cookie = await new Promise<string>((resolve, reject) => {
      const sent = request(`${face.post.url}/dev/session`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(String(response.headers['set-cookie']))
      })
      sent.on('error', reject).end('{"key":"a-key"}')
    })
    expect(cookie.includes('Secure')).toBe(isSecure)
    expect((await face.call('GET', '/dev/inbox', { headers })).status).toBe(401)
  }
})

it('access.trust-proxy: a client is the same in every spelling of its address', async () => {
  const face = await openOverSocket({ trustProxy: ['::ffff:127.0.0.1'], requireKey: true })
  const tryKey = async (client: string): Promise<number> =>
    (await face.call('GET', '/dev/health', { key: 'wrong', headers: { 'x-forwarded-for': client } })).status
  const spellings = ['198.51.100.1', '::ffff:198.51.100.1', '::FFFF:C633:6401', '[64:ff9b::c633:6401]:443']
  for (let i = 0; i < 100; i++) expect(await tryKey(spellings[i % spellings.length] ?? '')).toBe(401)
  for (const spelling of spellings) expect([spelling, await tryKey(spelling)]).toEqual([spelling, 429])
  expect(await tryKey('::ffff:198.51.100.2')).toBe(401)
})
