import { beforeAll, describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import type { Scope } from '../../src/keys/types.ts'
import type { Need, Route } from '../../src/server/route.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { needOf } from '../../src/server/auth.ts'
import type { Face } from '../../src/server/face.ts'
import { keyHeaders } from '../providers/_authorization.ts'
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
  'POST /dev/inbox/removals': 'full',
  'DELETE /dev/inbox/removals/{id}': 'full',
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
  'POST /dev/inbox/{id}/reply': 'full',
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
  'POST /dev/emails': 'send',
  'POST /dev/emails/{id}/events': 'full',
  'GET /dev/scheduled': 'read',
  'GET /dev/scheduled/{id}': 'read',
  'PATCH /dev/scheduled/{id}': 'full',
  'POST /dev/scheduled/{id}/send': 'full',
  'DELETE /dev/scheduled/{id}': 'full',
  'GET /dev/suppressions': 'read',
  'POST /dev/suppressions': 'full',
  'GET /dev/suppressions/{address}': 'read',
  'DELETE /dev/suppressions/{address}': 'full',
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
  'POST /dev/templates/render': 'read',
  'DELETE /dev/templates/{id}': 'full',
  'GET /dev/webhooks': 'read',
  'POST /dev/webhooks': 'full',
  'DELETE /dev/webhooks/{id}': 'full',
  'GET /dev/webhooks/deliveries': 'read',
  'DELETE /dev/webhooks/deliveries': 'full',
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
  'GET /metrics': 'read',
  'GET /dev/metrics': 'read',
  'GET /dev/missing': 'read',
  'POST /mcp': 'read',
  'POST /dev/reset': 'admin',
  'GET /dev/events': 'read',
  'GET /dev/requests': 'read',
  'GET /dev/smtp-sessions': 'read',
  'GET /dev/smtp-sessions/{id}': 'read',
  'GET /dev/openapi.json': 'read',
  'GET /dev/providers': 'read',
  'POST /resend/emails': 'send',
  'POST /resend/emails/batch': 'send',
  'GET /resend/emails': 'read',
  'GET /resend/emails/{id}': 'read',
  'PATCH /resend/emails/{id}': 'full',
  'POST /resend/emails/{id}/cancel': 'full',
  'POST /resend/domains': 'full',
  'GET /resend/domains': 'read',
  'GET /resend/domains/{id}': 'read',
  'PATCH /resend/domains/{id}': 'full',
  'POST /resend/domains/{id}/verify': 'full',
  'DELETE /resend/domains/{id}': 'full',
  'POST /resend/templates': 'full',
  'GET /resend/templates': 'read',
  'GET /resend/templates/{id}': 'read',
  'PATCH /resend/templates/{id}': 'full',
  'POST /resend/templates/{id}/publish': 'full',
  'POST /resend/templates/{id}/duplicate': 'full',
  'DELETE /resend/templates/{id}': 'full',
  'POST /resend/webhooks': 'full',
  'GET /resend/webhooks': 'read',
  'GET /resend/webhooks/{id}': 'full',
  'PATCH /resend/webhooks/{id}': 'full',
  'DELETE /resend/webhooks/{id}': 'full',
  'POST /postmark/email': 'send',
  'POST /postmark/email/batch': 'send',
  'GET /postmark/messages/outbound': 'read',
  'GET /postmark/messages/outbound/{id}/details': 'read',
  'GET /postmark/messages/outbound/{id}/dump': 'read',
  'GET /postmark/deliverystats': 'read',
  'GET /postmark/bounces': 'read',
  'GET /postmark/bounces/{id}': 'read',
  'GET /postmark/bounces/{id}/dump': 'read',
  'PUT /postmark/bounces/{id}/activate': 'full',
  'GET /postmark/webhooks': 'full',
  'GET /postmark/webhooks/{id}': 'full',
  'POST /postmark/webhooks': 'full',
  'PUT /postmark/webhooks/{id}': 'full',
  'DELETE /postmark/webhooks/{id}': 'full',
  'GET /postmark/message-streams/{stream}/suppressions/dump': 'read',
  'POST /postmark/message-streams/{stream}/suppressions': 'full',
  'POST /postmark/message-streams/{stream}/suppressions/delete': 'full',
  'POST /postmark/email/withTemplate': 'send',
  'POST /postmark/email/batchWithTemplates': 'send',
  'POST /postmark/templates': 'full',
  'GET /postmark/templates': 'read',
  'GET /postmark/templates/{id}': 'read',
  'PUT /postmark/templates/{id}': 'full',
  'DELETE /postmark/templates/{id}': 'full',
  'POST /postmark/templates/validate': 'read',
  'GET /postmark/server': 'read',
  'POST /sendgrid/v3/mail/send': 'send',
  'POST /sendgrid/v3/mail/batch': 'send',
  'POST /sendgrid/v3/user/scheduled_sends': 'full',
  'POST /sendgrid/v3/templates': 'full',
  'GET /sendgrid/v3/templates': 'read',
  'GET /sendgrid/v3/templates/{template_id}': 'read',
  'PATCH /sendgrid/v3/templates/{template_id}': 'full',
  'DELETE /sendgrid/v3/templates/{template_id}': 'full',
  'POST /sendgrid/v3/templates/{template_id}/versions': 'full',
  'GET /sendgrid/v3/templates/{template_id}/versions/{version_id}': 'read',
  'PATCH /sendgrid/v3/templates/{template_id}/versions/{version_id}': 'full',
  'POST /sendgrid/v3/templates/{template_id}/versions/{version_id}/activate': 'full',
  'DELETE /sendgrid/v3/templates/{template_id}/versions/{version_id}': 'full',
  'GET /sendgrid/v3/suppression/bounces': 'read',
  'GET /sendgrid/v3/suppression/bounces/{email}': 'read',
  'DELETE /sendgrid/v3/suppression/bounces': 'full',
  'DELETE /sendgrid/v3/suppression/bounces/{email}': 'full',
  'GET /sendgrid/v3/suppression/spam_reports': 'read',
  'GET /sendgrid/v3/suppression/spam_reports/{email}': 'read',
  'DELETE /sendgrid/v3/suppression/spam_reports': 'full',
  'DELETE /sendgrid/v3/suppression/spam_reports/{email}': 'full',
  'GET /sendgrid/v3/suppression/unsubscribes': 'read',
  'POST /sendgrid/v3/asm/suppressions/global': 'full',
  'GET /sendgrid/v3/asm/suppressions/global/{email}': 'read',
  'DELETE /sendgrid/v3/asm/suppressions/global/{email}': 'full',
  'POST /sendgrid/v3/user/webhooks/event/settings': 'full',
  'GET /sendgrid/v3/user/webhooks/event/settings/all': 'read',
  'GET /sendgrid/v3/user/webhooks/event/settings/{id}': 'read',
  'PATCH /sendgrid/v3/user/webhooks/event/settings/{id}': 'full',
  'DELETE /sendgrid/v3/user/webhooks/event/settings/{id}': 'full',
  'GET /sendgrid/v3/user/webhooks/event/settings/signed/{id}': 'read',
  'PATCH /sendgrid/v3/user/webhooks/event/settings/signed/{id}': 'full',
  'GET /sendgrid/v3/scopes': 'read',
  'GET /sendgrid/v3/user/profile': 'read',
  'GET /sendgrid/v3/user/email': 'read',
  'GET /sendgrid/v3/user/username': 'read',
  'POST /ses/v2/email/outbound-emails': 'send',
  'POST /ses/v2/email/outbound-bulk-emails': 'send',
  'POST /ses/v2/email/configuration-sets': 'full',
  'GET /ses/v2/email/configuration-sets': 'read',
  'POST /ses/v2/email/list-configuration-sets': 'read',
  'GET /ses/v2/email/configuration-sets/{set}': 'read',
  'DELETE /ses/v2/email/configuration-sets/{set}': 'full',
  'POST /ses/v2/email/configuration-sets/{set}/event-destinations': 'full',
  'GET /ses/v2/email/configuration-sets/{set}/event-destinations': 'read',
  'PUT /ses/v2/email/configuration-sets/{set}/event-destinations/{name}': 'full',
  'DELETE /ses/v2/email/configuration-sets/{set}/event-destinations/{name}': 'full',
  'POST /ses/v2/email/templates': 'full',
  'GET /ses/v2/email/templates': 'read',
  'GET /ses/v2/email/templates/{name}': 'read',
  'PUT /ses/v2/email/templates/{name}': 'full',
  'DELETE /ses/v2/email/templates/{name}': 'full',
  'POST /ses/v2/email/templates/{name}/render': 'read',
  'POST /ses/v2/email/identities': 'full',
  'GET /ses/v2/email/identities/{identity}': 'read',
  'GET /ses/v2/email/identities': 'read',
  'POST /ses/v2/email/list-identities': 'read',
  'DELETE /ses/v2/email/identities/{identity}': 'full',
  'PUT /ses/v2/email/suppression/addresses': 'full',
  'GET /ses/v2/email/suppression/addresses': 'read',
  'GET /ses/v2/email/suppression/addresses/{address}': 'read',
  'DELETE /ses/v2/email/suppression/addresses/{address}': 'full',
  'GET /ses/v2/email/account': 'read',
  'POST /ses-v1/': 'send',
  'POST /mailgun/v3/{domain}/messages': 'send',
  'POST /mailgun/v3/{domain}/messages.mime': 'send',
  'GET /mailgun/v3/domains/{domain}/messages/{key}': 'read',
  'GET /mailgun/v3/{domain}/events': 'read',
  'GET /mailgun/v3/{domain}/events/{page}': 'read',
  'GET /mailgun/v3/{domain}/bounces': 'read',
  'GET /mailgun/v3/{domain}/bounces/{address}': 'read',
  'POST /mailgun/v3/{domain}/bounces': 'full',
  'DELETE /mailgun/v3/{domain}/bounces/{address}': 'full',
  'DELETE /mailgun/v3/{domain}/bounces': 'full',
  'GET /mailgun/v3/{domain}/complaints': 'read',
  'GET /mailgun/v3/{domain}/complaints/{address}': 'read',
  'POST /mailgun/v3/{domain}/complaints': 'full',
  'DELETE /mailgun/v3/{domain}/complaints/{address}': 'full',
  'DELETE /mailgun/v3/{domain}/complaints': 'full',
  'GET /mailgun/v3/{domain}/unsubscribes': 'read',
  'GET /mailgun/v3/{domain}/unsubscribes/{address}': 'read',
  'POST /mailgun/v3/{domain}/unsubscribes': 'full',
  'DELETE /mailgun/v3/{domain}/unsubscribes/{address}': 'full',
  'DELETE /mailgun/v3/{domain}/unsubscribes': 'full',
  'GET /mailgun/v4/domains': 'read',
  'POST /mailgun/v4/domains': 'full',
  'GET /mailgun/v4/domains/{domain}': 'read',
  'PUT /mailgun/v4/domains/{domain}/verify': 'full',
  'DELETE /mailgun/v4/domains/{domain}': 'full',
  'GET /mailgun/v3/domains': 'read',
  'POST /mailgun/v3/domains': 'full',
  'GET /mailgun/v3/domains/{domain}': 'read',
  'PUT /mailgun/v3/domains/{domain}/verify': 'full',
  'DELETE /mailgun/v3/domains/{domain}': 'full',
  'GET /mailgun/v3/domains/{domain}/webhooks': 'read',
  'GET /mailgun/v3/domains/{domain}/webhooks/{name}': 'read',
  'POST /mailgun/v3/domains/{domain}/webhooks': 'full',
  'PUT /mailgun/v3/domains/{domain}/webhooks/{name}': 'full',
  'DELETE /mailgun/v3/domains/{domain}/webhooks/{name}': 'full',
  'GET /mailgun/v5/accounts/http_signing_key': 'full',
  'POST /mailgun/v3/{domain}/templates': 'full',
  'GET /mailgun/v3/{domain}/templates': 'read',
  'GET /mailgun/v3/{domain}/templates/{name}': 'read',
  'PUT /mailgun/v3/{domain}/templates/{name}': 'full',
  'DELETE /mailgun/v3/{domain}/templates/{name}': 'full',
  'GET /mailgun/v3/{domain}/templates/{name}/versions': 'read',
  'POST /mailgun/v3/{domain}/templates/{name}/versions': 'full',
  'GET /mailgun/v3/{domain}/templates/{name}/versions/{tag}': 'read',
  'PUT /mailgun/v3/{domain}/templates/{name}/versions/{tag}': 'full',
  'DELETE /mailgun/v3/{domain}/templates/{name}/versions/{tag}': 'full',
  'GET /api/v1/messages': 'read',
  'PUT /api/v1/messages': 'full',
  'DELETE /api/v1/messages': 'full',
  'GET /api/v1/search': 'read',
  'DELETE /api/v1/search': 'full',
  'GET /api/v1/message/{id}': 'read',
  'GET /api/v1/message/{id}/headers': 'read',
  'GET /api/v1/message/{id}/raw': 'read',
  'GET /api/v1/message/{id}/part/{part}': 'read',
  'GET /api/v1/message/{id}/part/{part}/thumb': 'read',
  'POST /api/v1/message/{id}/release': 'full',
  'GET /api/v1/message/{id}/html-check': 'read',
  'GET /api/v1/message/{id}/link-check': 'full',
  'GET /api/v1/message/{id}/sa-check': 'read',
  'POST /api/v1/send': 'send',
  'GET /api/v1/tags': 'read',
  'PUT /api/v1/tags': 'full',
  'PUT /api/v1/tags/{tag}': 'full',
  'DELETE /api/v1/tags/{tag}': 'full',
  'GET /api/v1/info': 'read',
  'GET /api/v1/webui': 'read',
  'GET /api/v1/chaos': 'read',
  'PUT /api/v1/chaos': 'full',
  'GET /api/events': 'read',
  'GET /api/v2/messages': 'read',
  'GET /api/v2/search': 'read',
  'GET /api/v1/messages/{id}': 'read',
  'GET /api/v1/messages/{id}/download': 'read',
  'DELETE /api/v1/messages/{id}': 'full',
  'GET /view/{id}.html': 'read',
  'GET /view/{id}.txt': 'read',
}

/** The status of the answer of a provider to a key of another scope, and the beginning of its body. */
function refusalOf(face: Face, path: string): [status: number, text: string] {
  const { status, body } = face.errorAnswer(new LocalpostError('insufficient_scope', 'no scope'), path)
  const text = typeof body === 'string' ? body : ''
  return [status, text.slice(0, text.indexOf('no scope'))]
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
    const key = keyHeaders(path, keys.get(scope) ?? '')
    return post.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { ...key, ...(body !== undefined && json) },
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
      // Nothing arrives, so a wait would take its whole time.
      const query = name === 'GET /dev/inbox/wait' ? '?timeout_ms=0' : ''
      const answer = await call(scope, route.method, path + query)
      if (scope === 'full' || scope === need) {
        // Nothing with the id `none` exists, and no body was sent: the request itself may be refused.
        expect([401, 403, 500], name).not.toContain(answer.status)
        await answer.body?.cancel()
        continue
      }
      const text = await answer.text()
      const [status, beginning] = route.face
        ? refusalOf(route.face, route.path)
        : [403, '{"statusCode":403,"name":"insufficient_scope"']
      expect([answer.status, text.startsWith(beginning)], `${name}: ${text}`).toEqual([status, true])
      expect(text).toContain(`${route.method} ${path} needs`)
      expect(text).toContain(need === 'admin' ? 'scope `full`' : `scope \`${need}\``)
      expect(text).not.toContain(keys.get(scope))
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
    // A request with a key is for the account of the key, whatever the session beside it may see.
    for (const path of ['/dev/inbox', '/api/v1/messages']) {
      const headers = { cookie, authorization: 'Bearer unknown' }
      expect([path, (await fetch(url + path, { headers })).status]).toEqual([path, 401])
    }
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
