import { describe, expect, test } from 'vitest'
import type { CreatedAccount, Localpost } from '../../src/index.ts'
import { hollowApp } from '../server/validate-response.ts'
import { start } from '../support/instance.ts'
import { caller, fill, stateOf, type Filled } from './_worlds.ts'

const secret = 'xylophone'
const guarded = hollowApp().routes.filter(({ access }) => access === 'key' || access === 'local')

/** Which id of the other account stands for a parameter, by the beginning of the path. */
const idIn = (path: string, name: string, ids: Filled): string => {
  if (name === 'index') return '0'
  if (name === 'path') return '1'
  if (name === 'contactId') return ids['contact'] ?? ''
  if (path.startsWith('/ses/')) return ids[name] ?? 'none'
  if (name === 'email') return ids['address'] ?? ''
  if (name === 'template_id') return ids['template_id'] ?? ''
  if (path.startsWith('/mailgun/')) return ids[inMailgun[name] ?? name] ?? 'none'
  const [, surface = '', what = ''] = path.split('/')
  if (name === 'id' && /^(?:view|api)$/.test(surface)) return ids['email'] ?? ''
  return ids[`${surface}/${what}`] ?? ids[idsByRoom[what] ?? ''] ?? 'none'
}
const inMailgun: Readonly<Record<string, string>> = { domain: 'identity', key: 'email', name: 'event' }
/** What Mailgun has for any domain, also for one that is not registered. */
const isOfAnyDomain = (path: string): boolean =>
  /^\/mailgun\/v3\/(?:domains\/)?\{domain\}\/[\w.]+$/.test(path)
const idsByRoom: Readonly<Record<string, string>> = {
  emails: 'email',
  scheduled: 'scheduled',
  suppressions: 'suppression',
  inbox: 'email',
  domains: 'domain',
  audiences: 'audience',
  templates: 'template',
  webhooks: 'webhook',
  keys: 'key',
  accounts: 'account',
}

/** Bodies with which a request would change something, if it found what it names. Others are sent without a body. */
const bodies: Readonly<Record<string, unknown>> = {
  'PATCH /dev/inbox/{id}': { unread: false },
  'POST /dev/inbox/{id}/reply': { text: 'Eve' },
  'POST /dev/inbox/{id}/release': { to: 'ada@example.test' },
  'POST /dev/emails/{id}/events': { status: 'opened', recipient: `${secret}@reader.test` },
  'PATCH /dev/scheduled/{id}': { send_at: 0 },
  'PATCH /dev/domains/{id}': { open_tracking_enabled: true },
  'PATCH /dev/audiences/{id}': { name: 'taken over' },
  'POST /dev/audiences/{id}/contacts': { email: 'eve@example.test' },
  'PATCH /dev/audiences/{id}/contacts/{contactId}': { first_name: 'Eve' },
  'POST /dev/domains/{id}/verify': {},
  'PATCH /dev/accounts/{name}': { is_disabled: true },
  'PUT /ses/v2/email/templates/{name}': { TemplateContent: { Subject: 'Eve' } },
  'POST /ses/v2/email/templates/{name}/render': { TemplateData: '{}' },
  'PUT /postmark/templates/{id}': { Name: 'taken over' },
  'PUT /postmark/webhooks/{id}': { Triggers: { Open: { Enabled: true } } },
  'PUT /mailgun/v3/domains/{domain}/webhooks/{name}': { url: 'http://127.0.0.1:9/eve' },
  'POST /ses/v2/email/configuration-sets/{set}/event-destinations': {
    EventDestinationName: 'eve',
    EventDestination: { MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: 'eve' } },
  },
  'PUT /ses/v2/email/configuration-sets/{set}/event-destinations/{name}': {
    EventDestination: { MatchingEventTypes: ['SEND'], SnsDestination: { TopicArn: 'eve' } },
  },
  'PATCH /resend/webhooks/{id}': { status: 'disabled' },
  'PATCH /resend/emails/{id}': { scheduled_at: 'in 1 min' },
  'PATCH /resend/domains/{id}': { open_tracking: true },
  'PATCH /sendgrid/v3/templates/{template_id}': { name: 'taken over' },
  'POST /sendgrid/v3/templates/{template_id}/versions': { name: 'a', subject: 'taken over' },
  'PATCH /sendgrid/v3/templates/{template_id}/versions/{version_id}': { subject: 'taken over' },
  'PATCH /sendgrid/v3/user/webhooks/event/settings/signed/{id}': { enabled: true },
  'PATCH /resend/templates/{id}': { html: 'taken over' },
  'POST /api/v1/message/{id}/release': { To: ['ada@example.test'] },
  'PUT /api/v1/tags/{tag}': { Name: 'taken over' },
  'PATCH /dev/inbox': { unread: false },
  'PATCH /dev/inbox/tags': { tag: 'kept', color: 'blue' },
}

describe('a caller of one account who knows everything of another one', () => {
  async function worlds(): Promise<{
    post: Localpost
    owner: CreatedAccount
    ids: Filled
    keys: [string, string][]
  }> {
    const post = await start({ requireKey: true })
    const owner = await post.accounts.create({ name: 'owner' })
    const other = await post.accounts.create({ name: 'other' })
    const keys: [string, string][] = [
      ['another account', other.api_key],
      ['default', post.apiKey],
    ]
    return { post, owner, ids: await fill(post, owner, secret), keys }
  }

  test('gets nothing of it at any route, and changes nothing', async () => {
    const { post, owner, ids, keys } = await worlds()
    const before = await stateOf(post, owner, ids)
    const wrong: string[] = []
    for (const [who, key] of keys) {
      const call = caller(post, key)
      for (const { method, path } of guarded) {
        if (path === '/dev/events' || path === '/dev/inbox/wait') continue
        // The account `default` manages accounts.
        if (path.startsWith('/dev/accounts') && who === 'default') continue
        const name = `${method} ${path}`
        const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => idIn(path, param, ids))
        const query =
          name === 'PATCH /dev/inbox' || name === 'DELETE /dev/inbox' ? `?query=id:${ids['email']}` : ''
        const { status, text } = await call(method, filled + query, bodies[name])
        // A refusal may quote what the caller sent.
        const tells = text.includes(secret) && !filled.includes(secret)
        // A stream has no owner: each account has all names.
        const isOwned = !path.includes('{stream}') && path !== '/dev/templates/{id}' && !isOfAnyDomain(path)
        const mustMiss = path.includes('{') && isOwned
        const isRefused =
          [400, 403, 404, 409, 415, 422].includes(status) ||
          text.startsWith('tag not found') ||
          /^(?:\[\]|\{\})$/.test(text)
        if (tells || status === 500 || (mustMiss && !isRefused))
          wrong.push(`${who}: ${name} ${status} ${text.slice(0, 200)}`)
        if (!path.startsWith('/dev/')) continue
        const named = await call(method, `${filled}?account=owner`, bodies[name])
        if (named.status !== 404) wrong.push(`${who}: ${name}?account=owner ${named.status}`)
      }
    }
    expect(wrong).toEqual([])
    expect(await stateOf(post, owner, ids)).toEqual(before)
  })

  test('gets no event, no wait and no webhook of it', async () => {
    const { post, owner, keys } = await worlds()
    const other = post.account('other')
    const events = await Promise.all(
      keys.map(async ([, key]) => {
        const headers = { authorization: `Bearer ${key}` }
        const answer = await post.fetch(new Request('http://localhost/dev/events', { headers }))
        return answer.body?.pipeThrough(new TextDecoderStream()).getReader()
      }),
    )
    const waits = [post, other].map((side) => side.inbox.expectNone({ subject: 'again' }, { timeoutMs: 300 }))
    const mail = { from: 'a@b.test', to: 'c@d.test', text: 'x' }
    const hidden = await post.account('owner').emails.send({ ...mail, subject: `again ${secret}` })
    const shown = [
      await other.emails.send({ ...mail, subject: 'a' }),
      await post.emails.send({ ...mail, subject: 'a' }),
    ]
    await Promise.all(waits)
    for (const [at, reader] of events.entries()) {
      let seen = ''
      while (!seen.includes(shown[at]?.id ?? '?')) {
        const { done = true, value = '' } = (await reader?.read()) ?? {}
        expect(done).toBe(false)
        seen += value
      }
      expect(seen).not.toContain(hidden.id)
      expect(seen).not.toContain(secret)
      await reader?.cancel()
    }
    expect((await post.account('owner').inbox.latest())?.subject).toBe(`again ${secret}`)
    expect(owner.counts).toEqual({ emails: 0, unread: 0 })
  })

  test('cannot use its idempotency keys, cursors, templates or tracking addresses', async () => {
    const { post, ids, keys } = await worlds()
    const owner = post.account('owner')
    const other = post.account('other')
    const mail = { from: 'a@b.test', to: 'c@d.test', subject: 'once', text: 'x' }
    const first = await owner.emails.send(mail, { idempotencyKey: 'order-1' })
    const second = await other.emails.send({ ...mail, subject: 'other' }, { idempotencyKey: 'order-1' })
    expect(second.id).not.toBe(first.id)
    expect((await other.emails.get(second.id)).subject).toBe('other')
    const page = await owner.emails.list({ limit: 1 })
    expect(page.cursor).not.toBeNull()
    const beyond = await other.emails.list({ cursor: page.cursor ?? '' })
    expect(beyond.items.map(({ id }) => id)).toEqual([])
    await expect(
      other.emails.send({ from: 'a@b.test', to: 'c@d.test', template_id: 'welcome' }),
    ).rejects.toThrow()
    const created = await owner.domains.update(ids['domain'] ?? '', { open_tracking_enabled: true })
    expect(created).toBeDefined()
    await owner.emails.send({ ...mail, from: `hi@${secret}.test`, subject: 'tracked', html: '<p>hello</p>' })
    const tracked = await owner.inbox.waitFor({ subject: 'tracked' })
    const pixel = /http:\/\/[^"]*\/t\/o\/[\w.-]+/.exec(await owner.inbox.html(tracked.id))?.[0] ?? ''
    expect(pixel).toMatch(/\/a\/acc_\w+\/t\/o\//)
    const { pathname } = new URL(pixel)
    const others = (await post.accounts.list()).filter(({ name }) => name === 'other')
    const anonymous = caller(post)
    const wrong = [pathname.replace(/^\/a\/acc_\w+/, ''), pathname.replace(/acc_\w+/, others[0]?.id ?? '')]
    for (const path of wrong) expect((await anonymous('GET', path)).status).toBe(404)
    for (const path of [pathname.replace(/\/t\/.*/, '/v1/emails'), pathname.replace(/\/t\/.*/, '/dev/inbox')])
      expect((await anonymous('GET', path)).status).toBe(404)
    expect((await anonymous('GET', pathname)).status).toBe(200)
    expect((await owner.emails.get(tracked.id)).last_event?.status).toBe('opened')
    expect(keys.length).toBe(2)
  })

  test('without a key: the query names the account on loopback, and needs a key elsewhere', async () => {
    const post = await start()
    const { name, api_key } = await post.accounts.create({ name: 'owner' })
    await post.account(name).emails.send({ from: 'a@b.test', to: 'c@d.test', subject: secret, text: 'x' })
    await post.account(name).inbox.waitFor({ subject: secret })
    const local = caller(post)
    expect((await local('GET', '/dev/inbox?account=owner')).text).toContain(secret)
    expect((await local('GET', '/dev/inbox?account=default')).text).not.toContain(secret)
    expect((await local('GET', '/dev/inbox')).text).not.toContain(secret)
    expect((await local('GET', '/dev/inbox?account=nobody')).status).toBe(404)
    expect((await local('GET', '/v1/emails?account=owner')).status).toBe(401)
    expect((await caller(post, api_key)('GET', '/dev/inbox?account=owner')).text).toContain(secret)
    const strict = await start({ requireKey: true })
    await strict.accounts.create({ name: 'owner' })
    const answers = await Promise.all(
      ['owner', 'nobody', 'default'].map((account) => caller(strict)('GET', `/dev/inbox?account=${account}`)),
    )
    // A stranger does not learn which accounts there are.
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(401)
  })
})
