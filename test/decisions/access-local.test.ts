import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { open, openOverSocket, type Face } from './helpers.ts'

/** The status of an answer over the socket, with the given headers. */
function statusOf({ post }: Face, headers: Record<string, string>, path = '/dev/inbox'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${post.url}${path}`, { headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject).end()
  })
}

describe('the control API', () => {
  it('access.local: in-process calls, and requests to a loopback name from loopback, need no key', async () => {
    const face = await openOverSocket({ allowHosts: ['mail.test'] })
    expect((await face.post.fetch(new Request('http://mail.test/dev/inbox'))).status).toBe(200)
    for (const host of ['localhost', '127.0.0.1:8025', '[::1]:8025', 'x.localhost'])
      expect([host, await statusOf(face, { host })]).toEqual([host, 200])
    expect(await statusOf(face, { host: 'mail.test' })).toBe(401)
    const others = await openOverSocket({ host: '0.0.0.0' })
    expect(await statusOf(others, { host: 'localhost' })).toBe(401)
  })

  it('access.forwarded: a request with a header of a proxy needs a key, with any Host', async () => {
    const face = await openOverSocket()
    for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip', 'cf-ray'])
      expect([name, await statusOf(face, { host: 'localhost', [name]: '1' })]).toEqual([name, 401])
    // The headers of nginx's proxy_pass alone.
    expect(await statusOf(face, { host: '127.0.0.1:8025' })).toBe(200)
  })

  it('access.require-key: with `requireKey` every request needs a key', async () => {
    const face = await openOverSocket({ requireKey: true })
    expect(await statusOf(face, { host: 'localhost' })).toBe(401)
    const inProcess = await open({ requireKey: true })
    expect((await inProcess.call('GET', '/dev/inbox')).status).toBe(401)
    expect((await inProcess.call('GET', '/dev/inbox', { key: inProcess.post.apiKey })).status).toBe(200)
  })

  it('access.page-origin: pages of its Host and of publicUrl are accepted, and no others', async () => {
    const face = await openOverSocket({ publicUrl: 'https://mail.example.test' })
    const authorization = `Bearer ${face.post.apiKey}`
    const by = (host: string, origin: string): Promise<number> =>
      statusOf(face, { host, origin, authorization })
    for (const host of ['localhost:8025', 'mail.example.test']) {
      expect(await by(host, `https://${host}`)).toBe(200)
      expect(await by(host, 'https://mail.example.test')).toBe(200)
      for (const origin of [
        'https://other.test',
        'http://localhost:5173',
        'https://mail.example.test:444',
        'null',
      ])
        expect([origin, await by(host, origin)]).toEqual([origin, 403])
    }
    const none = await openOverSocket()
    expect(await statusOf(none, { host: 'localhost', origin: 'null', authorization })).toBe(403)
  })
})
