import { expect, test } from 'vitest'
import { describeBoth, outcome } from './_face.ts'

describeBoth('paths and methods', (open) => {
  test('unknown paths are 404 in the error shape', async () => {
    const { call } = await open()
    for (const path of [
      '/v2/emails',
      '/nothing',
      '/v1/nothing',
      '/dev/nothing',
      '/dev',
      '/%ff',
      '/<script>',
      '/assets/',
      '/assets/x.js',
      '/index.htm',
    ]) {
      const response = await call('GET', path)
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect([path, ...(await outcome(response))]).toEqual([path, 404, 'not_found'])
    }
  })

  test('a browser gets a page that leads back for an unknown path, and programs get JSON', async () => {
    const { call, post, base } = await open()
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const [path, home] of [
      ['/nothing', './'],
      ['/nothing/', '../'],
      ['/a/b/%3Cscript%3E', '../../'],
      ['/<script>alert(1)</script>', '../'],
      [`/${'x/'.repeat(2000)}`, '/'],
    ] as const) {
      const opened = new Request(base + path, { headers: { accept, 'sec-fetch-dest': 'document' } })
      const response = await post.fetch(opened)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ])
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      const html = await response.text()
      expect(html).toContain('There is no such page')
      expect(html).toContain(`href="${home}"`)
      expect(html).not.toContain('<script')
    }
    for (const [method, path] of [
      ['GET', '/v1/nothing'],
      ['GET', '/dev/nothing'],
      ['POST', '/nothing'],
    ] as const) {
      const response = await call(method, path, { headers: { accept, 'sec-fetch-dest': 'document' } })
      expect([path, ...(await outcome(response))]).toEqual([path, 404, 'not_found'])
    }
  })

  test('a known path with another method is 405 with Allow', async () => {
    const { call } = await open()
    for (const [method, path, allow] of [
      ['PUT', '/v1/emails', 'GET, HEAD, POST'],
      ['DELETE', '/v1/emails/x', 'GET, HEAD'],
      ['OPTIONS', '/v1/emails', 'GET, HEAD, POST'],
      ['POST', '/dev/health', 'GET, HEAD'],
      ['GET', '/dev/reset', 'POST'],
      ['DELETE', '/dev/inbox/wait', 'GET, HEAD'],
      ['POST', '/', 'GET, HEAD'],
      ['OPTIONS', '/dev/inbox', 'DELETE, GET, HEAD, PATCH'],
    ] as const) {
      const response = await call(method, path)
      expect([method, path, response.headers.get('allow')]).toEqual([method, path, allow])
      expect(await outcome(response)).toEqual([405, 'method_not_allowed'])
    }
  })

  test('HEAD answers as GET, without a body', async () => {
    const { call } = await open()
    for (const path of [
      '/v1/emails',
      '/v1/emails/x',
      '/dev/health',
      '/dev/openapi.json',
      '/dev/events',
      '/livez',
      '/readyz',
      '/',
    ]) {
      const get = path === '/dev/events' ? null : await call('GET', path)
      const head = await call('HEAD', path)
      expect(await head.text()).toBe('')
      if (!get) continue
      expect([path, head.status]).toEqual([path, get.status])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      const { byteLength } = await get.arrayBuffer()
      // A long answer is written while it is read, so its length is not known before.
      const length = byteLength > 256 * 1024 ? null : String(byteLength)
      expect([path, head.headers.get('content-length')]).toEqual([path, length])
    }
  })

  test('never get a CORS header', async () => {
    const { call } = await open()
    const headers = { origin: 'http://evil.test', 'access-control-request-method': 'POST' }
    for (const [method, path] of [
      ['OPTIONS', '/v1/emails'],
      ['GET', '/v1/emails'],
      ['OPTIONS', '/dev/inbox'],
      ['GET', '/nothing'],
    ] as const) {
      const response = await call(method, path, { headers })
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})
