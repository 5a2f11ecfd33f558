import { beforeAll, describe, expect, it } from 'vitest'
import { mailpitFace } from '../../../src/providers/mailpit/face.ts'
import { needOf } from '../../../src/server/auth.ts'
import { hollowApp } from '../../server/validate-response.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

const routes = hollowApp().routes.filter(({ face, access }) => face === mailpitFace && access === 'local')

describe('Mailpit’s API on this machine', () => {
  let server: MailpitServer
  let id = ''
  const html = '<p>Hi</p><img src="https://example.com/x.png"><a href="http://127.0.0.1:1/">x</a>'
  beforeAll(async () => {
    server = await openMailpit()
    id = await server.submit({ from: 'a@example.com', to: 'b@example.com', subject: 'Hi', html })
    return server.end
  })
  const isUnread = async (): Promise<boolean> => {
    const { unread } = await server.post.inbox.get(id)
    await server.post.inbox.update(id, { unread: true })
    return unread
  }

  it.each<[what: string, headers: Record<string, string>, unread: boolean]>([
    ['a program', {}, false],
    ['a script of the own origin', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, false],
    ['a person who follows a link', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }, true],
    ['a link in a mail', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' }, true],
    ['a frame', { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' }, true],
    ['an old browser', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, true],
    ['an image in an old browser', { accept: 'image/avif,image/webp,*/*' }, true],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'empty' }, true],
    ['a page of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'empty' }, true],
    ['a script in an old browser', { 'user-agent': 'Mozilla/5.0', accept: '*/*' }, true],
    ['a page of another origin', { origin: 'https://evil.example' }, true],
    ['an image of a mail', { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' }, true],
  ])('a read by %s leaves the message unread: only where it did not mean to', async (_, headers, unread) => {
    await server.call('GET', `/api/v1/message/${id}`, undefined, headers)
    expect(await isUnread()).toBe(unread)
  })

  it('refuses other origins, hosts and embedding at every operation, in plain text', async () => {
    const foreign: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' },
    ]
    for (const { method, path } of routes) {
      const filled = path.replace('{id}', id).replace(/\{\w+\}/, '1')
      for (const headers of foreign) {
        const answer = await server.call(method, filled, undefined, headers)
        expect(answer.status, `${method} ${path}`).toBe(403)
        if (path !== '/api/v1/send') expect(answer.headers.get('content-type')).toContain('text/plain')
      }
    }
    expect((await server.call('GET', '/api/v1/messages')).json()).toMatchObject({ total: 1 })
    expect((await server.call('POST', '/api/v1/nothing')).status).toBe(404)
    const wrong = await server.call('PATCH', '/api/v1/messages')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PUT'])
  })

  it('refuses an unknown parameter of the query at every operation, so that a mistake selects nothing', async () => {
    for (const { method, path } of routes) {
      const filled = path.replace('{id}', id).replace(/\{\w+\}/, '1')
      const answer = await server.call(method, `${filled}?nope=1`)
      expect([answer.status, answer.text], `${method} ${path}`).toEqual([
        400,
        expect.stringContaining('nope'),
      ])
    }
    expect((await server.call('GET', '/api/v1/messages')).json()).toMatchObject({ total: 1 })
  })

  it('shows a browser HTML that connects to nothing, and a program the HTML itself', async () => {
    const path = `/view/${id}.html`
    const exact = await server.call('GET', path)
    const cypress = await server.call('GET', path, undefined, { 'user-agent': 'Mozilla/5.0', accept: '*/*' })
    expect([exact.text.trim(), cypress.text.trim()]).toEqual([html, html])
    const shown = await server.call('GET', path, undefined, { 'sec-fetch-dest': 'document' })
    const old = await server.call('GET', path, undefined, { accept: 'text/html,*/*;q=0.8' })
    for (const { text } of [shown, old]) expect(text).toMatch(/^<html>/)
    for (const { headers } of [exact, shown]) {
      const policy = headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain('img-src data:')
      expect(policy).not.toContain('allow-scripts')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('requests links for a program only', async () => {
    const path = `/api/v1/message/${id}/link-check`
    const others: Record<string, string>[] = [
      { 'sec-fetch-dest': 'document' },
      { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-site' },
      { 'user-agent': 'Mozilla/5.0' },
    ]
    for (const headers of others)
      expect((await server.call('GET', path, undefined, headers)).status).toBe(403)
    expect((await server.call('GET', path)).json()).toMatchObject({
      Errors: 2,
      Links: [{ URL: 'http://127.0.0.1:1/' }, { URL: 'https://example.com/x.png' }],
    })
  })
})

describe('Mailpit’s API with keys', () => {
  let server: MailpitServer
  const keys = new Map<string, string>()
  let other = ''
  beforeAll(async () => {
    server = await openMailpit({ requireKey: true })
    const { post } = server
    keys.set('full', post.apiKey)
    for (const scope of ['send', 'read'] as const) {
      const made = await post.fetch(
        new Request('http://localhost/dev/keys', {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${post.apiKey}` },
          body: JSON.stringify({ scope }),
        }),
      )
      keys.set(scope, ((await made.json()) as { value: string }).value)
    }
    other = (await post.accounts.create({ name: 'other' })).api_key
    return server.end
  })
  const bearer = (scope: string): Record<string, string> => ({ authorization: `Bearer ${keys.get(scope)}` })
  const basic = (key: string): Record<string, string> => ({
    authorization: `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`,
  })

  it('takes a key as Bearer or as the password of Basic authentication, and asks for it', async () => {
    const none = await server.call('GET', '/api/v1/messages')
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="localpost"'])
    expect((await server.call('GET', '/api/v1/messages', undefined, basic('wrong'))).status).toBe(401)
    for (const headers of [bearer('full'), bearer('read'), basic(server.post.apiKey)])
      expect((await server.call('GET', '/api/v1/messages', undefined, headers)).status).toBe(200)
  })

  it('asks each operation for its scope', async () => {
    for (const route of routes) {
      const { method, path } = route
      const need = needOf(route)('')
      for (const scope of ['send', 'read']) {
        const { status } = await server.call(
          method,
          path.replace(/\{\w+\}/g, 'none'),
          undefined,
          bearer(scope),
        )
        expect(status === 403, `${scope} ${method} ${path}`).toBe(need !== scope)
      }
    }
  })

  it('marks a message as read for a key of full scope only', async () => {
    const id = await server.submit({ from: 'a@example.com', to: 'b@example.com', text: 'x' })
    const path = `/api/v1/message/${id}`
    await server.call('GET', path, undefined, bearer('read'))
    expect((await server.post.inbox.get(id)).unread).toBe(true)
    await server.call('GET', path, undefined, bearer('full'))
    expect((await server.post.inbox.get(id)).unread).toBe(false)
  })

  it('shows and changes nothing of another account, at any operation', async () => {
    const subject = 'xylophone'
    const sent = await server.post.emails.send({
      from: 'a@b.test',
      to: 'c@d.test',
      subject,
      text: 'x',
      html: 'x',
    })
    await server.post.inbox.waitFor({ id: sent.id })
    await server.post.inbox.update(sent.id, { tags: [subject] })
    const bodies: Readonly<Record<string, unknown>> = {
      'PUT /api/v1/messages': { IDs: [sent.id], Read: true },
      'DELETE /api/v1/messages': { IDs: [sent.id] },
      'PUT /api/v1/tags': { IDs: [sent.id], Tags: ['taken'] },
      'PUT /api/v1/tags/{tag}': { Name: 'taken' },
      'POST /api/v1/message/{id}/release': { To: ['a@b.test'] },
    }
    const before = await server.post.inbox.get(sent.id)
    for (const { method, path } of routes) {
      const name = `${method} ${path}`
      const filled = path.replace('{id}', sent.id).replace('{part}', '1').replace('{tag}', subject)
      const query = path === '/api/v1/search' ? `?query=id:${sent.id}` : ''
      const answer = await server.call(method, filled + query, bodies[name], basic(other))
      if (path.includes('{')) expect([400, 404], name).toContain(answer.status)
      expect(answer.text.replace(filled, '').replace(`"${subject}"`, ''), name).not.toContain(subject)
      const named = await server.call(method, `${filled}?account=default`, bodies[name], basic(other))
      expect(named.status, name).toBe(404)
    }
    expect(await server.post.inbox.get(sent.id)).toEqual(before)
    expect((await server.call('GET', '/api/v1/messages', undefined, basic(other))).json()).toMatchObject({
      total: 0,
    })
  })
})
