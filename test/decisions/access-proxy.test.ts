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
