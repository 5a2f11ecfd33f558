import { expect, onTestFinished } from 'vitest'
import type { CreatedAccount, Localpost, LocalpostOptions } from '../../src/index.ts'
import { openLocalpost } from '../../src/instance/open.ts'
import { keyHeaders } from '../providers/_authorization.ts'
import { placeOfData } from '../support/adapters.ts'

/**
 * Starts an instance that closes accounts above this number as soon as they are not used.
 *
 * @param onAccountClosed  Called with the id of each account that was closed.
 */
export async function startBounded(
  mostOpenAccounts: number,
  options?: LocalpostOptions,
  onAccountClosed: (id: string) => void = () => {},
): Promise<Localpost> {
  const post = await openLocalpost(
    { waitTimeoutMs: 10_000, ...placeOfData(), ...options },
    { deliversFrom: 'start', keepAlive: false, mostOpenAccounts, onAccountClosed },
  )
  onTestFinished(() => post.close())
  return post
}

/** Makes requests in process with an API key, or with none. */
export function caller(post: Localpost, key: string | null = null) {
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const headers: Record<string, string> = key === null ? {} : keyHeaders(path, key)
    if (body !== undefined) headers['content-type'] = 'application/json'
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const answer = await post.fetch(new Request(`http://localhost${path}`, init))
    return { status: answer.status, text: await answer.text() }
  }
}

/** The ids of everything that {@link fill} makes, by the names of parameters in paths. */
export type Filled = Readonly<Record<string, string>>

/** Gives an account one of each thing; `secret` is in everything that a person could read. */
export async function fill(post: Localpost, account: CreatedAccount, secret: string): Promise<Filled> {
  const call = caller(post, account.api_key)
  async function made(path: string, body: unknown, method = 'POST'): Promise<{ id: string }> {
    const { status, text } = await call(method, path, body)
    expect([path, status], text).toEqual([path, expect.toSatisfy((code: number) => code < 300)])
    return JSON.parse(text) as { id: string }
  }
  const posted = async <T>(path: string, body: unknown): Promise<T> =>
    JSON.parse((await call('POST', path, body)).text) as T
  const domain = await made('/v1/domains', { name: `${secret}.test` })
  await made(`/dev/domains/${domain.id}/verify`, { status: 'SUCCESS' })
  const audience = await made('/dev/audiences', { name: `${secret} audience` })
  await made(`/dev/audiences/${audience.id}/contacts`, { email: `${secret}@people.test` })
  const contacts = await post.account(account.name).audiences.contacts.list(audience.id)
  await made('/dev/templates/welcome', { subject: `${secret} template`, text: 'x' }, 'PUT')
  const webhook = await made('/dev/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['email.sent'] })
  const key = await made('/dev/keys', { name: `${secret} key` })
  await made('/dev/rules', [{ match: `${secret}@rule.test`, action: 'reject' }], 'PUT')
  for (const tag of ['kept', `${secret} tag`]) await made('/dev/inbox/tags', { tag, color: 'red' }, 'PATCH')
  const email = await made('/v1/emails', {
    from: `Acme <hi@${secret}.test>`,
    to: `${secret}@reader.test`,
    subject: `${secret} subject`,
    html: `<p>${secret} body</p><a href="https://example.test/${secret}">link</a>`,
    attachments: [{ filename: `${secret}.txt`, path: `data:text/plain,${secret}` }],
  })
  const own = post.account(account.name)
  const { id: scheduled } = await own.sending.send({
    from: `hi@${secret}.test`,
    to: `${secret}@reader.test`,
    subject: `${secret} later`,
    text: secret,
    metadata: { [secret]: secret },
    send_at: '2030-01-01T00:00:00Z',
  })
  // Without the secret, because an error quotes the address of the request.
  const suppression = 'suppressed@reader.test'
  await own.suppressions.add({ address: suppression })
  await post.account(account.name).inbox.waitFor({ subject: `${secret} subject` })
  const resent = await made('/resend/emails', {
    from: `Acme <hi@${secret}.test>`,
    to: `${secret}@reader.test`,
    subject: `${secret} again`,
    text: secret,
  })
  const marked = await posted<{ MessageID: string }>('/postmark/email', {
    From: `hi@${secret}.test`,
    To: `${secret}@rule.test`,
    Subject: `${secret} bounced`,
    TextBody: secret,
  })
  const { inbox } = post.account(account.name)
  const undelivered = async (): Promise<number> => (await inbox.list({ query: 'status:sent' })).count
  await expect.poll(undelivered, { timeout: 10_000 }).toBe(0)
  await made('/dev/suppressions', { address: `${secret}@gone.test` })
  const endpoint = 'http://127.0.0.1:9/resend'
  const hook = await made('/resend/webhooks', { endpoint, events: ['email.bounced'] })
  const markedHook = await posted<{ ID: number }>('/postmark/webhooks', {
    Url: 'http://127.0.0.1:9/postmark',
    Triggers: { Bounce: { Enabled: true } },
  })
  const bounces = await call('GET', '/postmark/bounces?count=1&offset=0')
  const { Bounces } = JSON.parse(bounces.text) as { Bounces: [{ ID: number }] }
  const url = 'http://127.0.0.1:9/sendgrid'
  const grid = await made('/sendgrid/v3/user/webhooks/event/settings', { url, bounce: true })
  const dynamic = await made('/sendgrid/v3/templates', { name: `${secret} dynamic`, generation: 'dynamic' })
  await made('/mailgun/v3/domains/acme.test/webhooks', { id: 'accepted', url: 'http://127.0.0.1:9/mailgun' })
  return {
    'sendgrid/v3': grid.id,
    template_id: dynamic.id,
    event: 'accepted',
    identity: `${secret}.test`,
    address: `${secret}@gone.test`,
    name: 'welcome',
    'resend/emails': resent.id,
    'resend/webhooks': hook.id,
    'postmark/messages': marked.MessageID,
    'postmark/bounces': String(Bounces[0].ID),
    'postmark/webhooks': String(markedHook.ID),
    email: email.id,
    domain: domain.id,
    audience: audience.id,
    contact: contacts.items[0]?.id ?? '',
    template: 'welcome',
    webhook: webhook.id,
    key: key.id,
    account: account.name,
    scheduled,
    suppression,
  }
}

/** Everything that an account can read of itself, to compare before and after. */
export async function stateOf(post: Localpost, account: CreatedAccount, ids: Filled): Promise<unknown> {
  const call = caller(post, account.api_key)
  const paths = [
    '/v1/emails',
    `/v1/emails/${ids.email}`,
    '/v1/domains',
    '/v1/audiences',
    `/v1/audiences/${ids.audience}/contacts`,
    '/dev/inbox',
    `/dev/inbox/${ids.email}`,
    `/dev/inbox/${ids.email}/raw`,
    '/dev/inbox/tags',
    '/dev/scheduled',
    '/dev/suppressions',
    '/dev/templates',
    '/dev/webhooks',
    '/dev/rules',
    '/dev/faults',
    '/dev/keys',
    '/dev/accounts',
  ]
  return Promise.all(paths.map(async (path) => [path, await call('GET', path)]))
}
