import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hollowApp } from './validate-response.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'localpost-ui-'))
  await mkdir(join(folder, 'ui', 'assets', 'inner.js'), { recursive: true })
  await writeFile(join(folder, 'secret.js'), 'secret')
  await writeFile(join(folder, 'ui', 'index.html'), '<!doctype html><p>inbox')
  await writeFile(join(folder, 'ui', 'favicon.svg'), '<svg/>')
  await writeFile(join(folder, 'ui', 'secret.js'), 'secret')
  await writeFile(join(folder, 'ui', 'assets', 'main-Ab12.js'), 'run()')
  await writeFile(join(folder, 'ui', 'assets', 'main-Ab12.css'), 'a{}')
  await writeFile(join(folder, 'ui', 'assets', 'note.exe'), 'x')
  await writeFile(join(folder, 'ui', 'assets', '.hidden.js'), 'x')
})
afterAll(() => rm(folder, { recursive: true }))

describe('the page', () => {
  const get = (path: string, method = 'GET'): Promise<Response> =>
    hollowApp({ uiDir: join(folder, 'ui') }).fetch(new Request(`http://localhost${path}`, { method }))

  test('comes with a strict policy at / and /index.html', async () => {
    for (const path of ['/', '/index.html', '/?query=x']) {
      const response = await get(path)
      expect(await response.text()).toContain('inbox')
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const policy = (response.headers.get('content-security-policy') ?? '').split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ]),
      )
    }
  })

  test('has assets that can be cached for ever, since their names change with their content', async () => {
    const script = await get('/assets/main-Ab12.js')
    expect(await script.text()).toBe('run()')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toContain('immutable')
    // For those that are workers.
    expect(script.headers.get('content-security-policy')).toBe("default-src 'none'")
    expect((await get('/assets/main-Ab12.css')).headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect((await get('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml')
  })

  test('serves nothing else: no folder, no other type, nothing outside', async () => {
    for (const path of [
      '/assets',
      '/assets/inner.js',
      '/assets/note.exe',
      '/assets/.hidden.js',
      '/assets/..%2fsecret.js',
      '/assets/..%2f..%2fsecret.js',
      '/assets/%2e%2e%2fsecret.js',
      '/assets/..%5csecret.js',
      '/assets/%252e%252e%252fsecret.js',
      '/assets/main-Ab12.js%00',
      '/assets/../secret.js',
      '/secret.js',
      '/assets/a/main-Ab12.js',
      '/inbox/anything',
    ]) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ name: 'not_found' })
    }
  })

  test('explains how to build it where it is not built', async () => {
    const app = hollowApp({ uiDir: join(folder, 'nowhere') })
    const response = await app.fetch(new Request('http://localhost/'))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toContain('npx vite build ui')
    expect((await app.fetch(new Request('http://localhost/favicon.svg'))).status).toBe(404)
  })
})
