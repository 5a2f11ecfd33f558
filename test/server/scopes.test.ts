import { beforeAll, describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import type { Scope } from '../../src/keys/types.ts'
import type { Need, Route } from '../../src/server/route.ts'
import { needOf } from '../../src/server/auth.ts'
import { start, startShared } from '../support/instance.ts'
import { ask } from './_ask.ts'
import { hollowApp } from './validate-response.ts'

const guarded = hollowApp().routes.filter(({ access }) => access === 'key' || access === 'local')
const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const scopes: readonly Scope[] = ['full', 'send', 'read']
const json = { 'content-type': 'application/json' }

/** What each route needs: a new one must be added here, with what a caller can do by it in mind. */
const routeNeeds: Readonly<Record<string, Need>> = {
  'POST /v1/emails': 'send',
  'GET /v1/emails': 'read',
  'GET /v1/emails/{id}': 'read',
  'POST /v1/domains': 'full',
  'GET /v1/domains': 'read',
  'GET /v1/domains/{id}': 'read',
  'GET /v1/audiences': 'read',
  'GET /v1/audiences/{audienceId}/contacts': 'read',
  'GET /dev/inbox': 'read',
  'DELETE /dev/inbox': 'full',
  'PATCH /dev/inbox': 'full',
  'GET /dev/inbox/bulk': 'read',
  'DELETE /dev/inbox/bulk/{id}': 'full',
  'GET /dev/inbox/tags': 'read',
  'PATCH /dev/inbox/tags': 'full',
  'GET /dev/inbox/wait': 'read',
  'POST /dev/inbox/import': 'full',
  'GET /dev/inbox/export': 'read',
  'GET /dev/inbox/{id}': 'read',
  'GET /dev/inbox/{id}/checks': 'read',
  'POST /dev/inbox/{id}/consent': 'read',
  'GET /dev/inbox/{id}/client-support': 'read',
  'GET /dev/inbox/{id}/compare/{other}': 'read',
  'PATCH /dev/inbox/{id}': 'full',
  'DELETE /dev/inbox/{id}': 'full',
  'POST /dev/inbox/{id}/release': 'full',
  'GET /dev/inbox/{id}/preview': 'read',
  'GET /dev/inbox/{id}/raw': 'read',
  'GET /dev/inbox/{id}/html': 'read',
  'GET /dev/inbox/{id}/attachments/{index}': 'read',
  'GET /dev/inbox/{id}/structure': 'read',
  'GET /dev/inbox/{id}/parts/{index}': 'read',
  'GET /dev/inbox/{id}/messages/{path}': 'read',
  'GET /dev/inbox/{id}/messages/{path}/html': 'read',
  'GET /dev/inbox/{id}/messages/{path}/attachments/{index}': 'read',
  'POST /dev/emails/{id}/events': 'full',
  'GET /dev/domains': 'read',
  'PATCH /dev/domains/{id}': 'full',
  'DELETE /dev/domains/{id}': 'full',
  'POST /dev/domains/{id}/verify': 'full',
  'GET /dev/domains/{id}/records': 'read',
  'GET /dev/domains/{id}/zone': 'read',
  'POST /dev/audiences': 'full',
  'PATCH /dev/audiences/{id}': 'full',
  'DELETE /dev/audiences/{id}': 'full',
  'POST /dev/audiences/{id}/contacts': 'full',
  'PATCH /dev/audiences/{id}/contacts/{contactId}': 'full',
  'DELETE /dev/audiences/{id}/contacts/{contactId}': 'full',
  'GET /dev/broadcasts': 'read',
  'GET /dev/broadcasts/{id}': 'read',
  'POST /dev/broadcasts': 'full',
  'GET /dev/templates': 'read',
  'GET /dev/templates/{id}': 'read',
  'PUT /dev/templates/{id}': 'full',
  'GET /dev/templates/{id}/versions': 'read',
  'POST /dev/templates/{id}/versions/{version}/restore': 'full',
  'POST /dev/templates/preview': 'read',
  'DELETE /dev/templates/{id}': 'full',
  'GET /dev/webhooks': 'read',
  'POST /dev/webhooks': 'full',
  'DELETE /dev/webhooks/{id}': 'full',
  'GET /dev/webhooks/deliveries': 'read',
  'POST /dev/webhooks/deliveries/{id}/replay': 'full',
  'GET /dev/rules': 'read',
  'PUT /dev/rules': 'full',
  'GET /dev/faults': 'read',
  'PUT /dev/faults': 'full',
  'DELETE /dev/faults': 'full',
  'GET /dev/accounts': 'read',
  'POST /dev/accounts': 'admin',
  'GET /dev/accounts/{name}': 'read',
  'PATCH /dev/accounts/{name}': 'admin',
  'POST /dev/accounts/{name}/smtp-password': 'admin',
  'DELETE /dev/accounts/{name}': 'admin',
  'GET /dev/keys': 'read',
  'POST /dev/keys': 'admin',
  'DELETE /dev/keys/{id}': 'admin',
  'GET /dev/health': 'read',
  'GET /dev/ca.pem': 'read',
  'GET /dev/metrics': 'read',
  'POST /dev/reset': 'admin',
  'GET /dev/events': 'read',
  'GET /dev/requests': 'read',
  'GET /dev/smtp-sessions': 'read',
  'GET /dev/smtp-sessions/{id}': 'read',
  'GET /dev/openapi.json': 'read',
}

describe('scopes of API keys', () => {
  let post: Localpost
  const keys = new Map<Scope, string>()

  beforeAll(async () => {
    const shared = await startShared({ requireKey: true })
    post = shared.post
    keys.set('full', post.apiKey)
    for (const scope of ['send', 'read'] as const) keys.set(scope, (await makeKey(scope)).value)
    return shared.end
  })

  async function makeKey(scope: unknown): Promise<{ id: string; value: string; scope: string }> {
    const answer = await call('full', 'POST', '/dev/keys', { scope })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { id: string; value: string; scope: string }
  }

  function call(scope: Scope, method: string, path: string, body?: unknown): Promise<Response> {
    const authorization = `Bearer ${keys.get(scope)}`
    return post.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { authorization, ...(body !== undefined && json) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  }

  test('are those of the list for every route that asks who calls', () => {
    expect(Object.fromEntries(guarded.map((route) => [nameOf(route), needOf(route)('')]))).toEqual(routeNeeds)
  })

  test.each(scopes)('%s is enough for its routes and for no other', async (scope) => {
    for (const route of guarded) {
      const name = nameOf(route)
      const need = routeNeeds[name]
      const path = route.path.replace(/\{\w+\}/g, 'none')
      const answer = await call(scope, route.method, path)
      if (scope === 'full' || scope === need) {
        // Nothing with the id `none` exists, and no body was sent: the request itself may be refused.
        expect([401, 403, 500], name).not.toContain(answer.status)
        await answer.body?.cancel()
        continue
      }
      const body = (await answer.json()) as { name: string; message: string }
      expect([answer.status, body.name], name).toEqual([403, 'insufficient_scope'])
      expect(body.message).toContain(`${route.method} ${path} needs`)
      expect(body.message).toContain(need === 'admin' ? 'scope `full`' : `scope \`${need}\``)
      expect(body.message).not.toContain(keys.get(scope))
      expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    }
  })

  test('read follows no links of a mail', async () => {
    expect((await call('read', 'GET', '/dev/inbox/none/checks?live=true')).status).toBe(403)
    expect((await call('read', 'GET', '/dev/inbox/none/checks?live=false')).status).toBe(404)
    expect((await call('full', 'GET', '/dev/inbox/none/checks?live=true')).status).toBe(404)
  })

  test('are refused where they are unknown, and a key without one is full', async () => {
    expect((await call('full', 'POST', '/dev/keys', { scope: 'write' })).status).toBe(422)
    expect((await makeKey(undefined)).scope).toBe('full')
  })

  test('read opens the page, which then changes nothing; send does not open it', async () => {
    const { port, url } = await post.listen()
    const open = (scope: Scope): ReturnType<typeof ask> =>
      ask(port, '/dev/session', json, 'POST', JSON.stringify({ key: keys.get(scope) }))
    const refused = await open('send')
    expect([refused.status, JSON.parse(refused.body).name]).toEqual([403, 'insufficient_scope'])
    expect(refused.headers['set-cookie']).toBeUndefined()
    const cookie = (await open('read')).headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect((await fetch(`${url}/dev/inbox`, { headers: { cookie } })).status).toBe(200)
    expect((await fetch(`${url}/dev/inbox?all=true`, { method: 'DELETE', headers: { cookie } })).status).toBe(
      403,
    )
  })

  test('hold for a local caller with a key of a narrow scope, which sees only masked keys', async () => {
    const local = await start()
    const made = await local.fetch(
      new Request('http://localhost/dev/keys', { method: 'POST', headers: json, body: '{"scope":"read"}' }),
    )
    const { value } = (await made.json()) as { value: string }
    const headers = { authorization: `Bearer ${value}` }
    const shown = await (await local.fetch(new Request('http://localhost/dev/keys', { headers }))).text()
    expect(shown).not.toContain(local.apiKey)
    const removal = new Request('http://localhost/dev/inbox?all=true', { method: 'DELETE', headers })
    expect((await local.fetch(removal)).status).toBe(403)
    expect(await (await local.fetch(new Request('http://localhost/dev/keys'))).text()).toContain(local.apiKey)
  })
})
