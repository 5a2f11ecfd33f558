import { describe, expect, it } from 'vitest'
import { domainCollection, type DomainRecord } from '../../src/domains/domain.ts'
import { blankDomain } from '../../src/domains/senders.ts'
import { emailCollection, type EmailRecord } from '../../src/emails/email.ts'
import { withEvents } from '../../src/emails/events.ts'
import { insert, update, type Store } from '../../src/store/store.ts'
import { collections } from '../../src/instance/collections.ts'
import { createIds } from '../../src/core/ids.ts'
import { systemClock } from '../../src/core/clock.ts'
import { domainPayloads } from '../../src/webhooks/payloads.ts'
import { openStore } from '../support/adapters.ts'
import { anEmail, delivered, openNoun } from './_noun.ts'
import { eventually, openReceiver } from './_receiver.ts'

// No server listens there, and nothing is ever sent: the test checks what is stored.
const nowhere = 'http://127.0.0.1:9/hooks'
const stoodStill = { ...systemClock, after: () => () => undefined }

describe('what is announced', () => {
  it('is every event once, however many came in one commit', async () => {
    const { webhooks, email, happen, log } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const id = await email('ada@example.com', 'bob@example.com')
    const now = Date.now()
    await happen(id, 'ada@example.com', delivered(now), {
      status: 'opened',
      timestamp: now + 1,
      ip: '::1',
      user_agent: 'x',
    })
    await happen(id, 'bob@example.com', delivered(now + 2))
    expect((await log()).map(({ type, body }) => [type, (JSON.parse(body) as Body).data.recipient])).toEqual([
      ['email.sent', 'ada@example.com'],
      ['email.sent', 'bob@example.com'],
      ['email.delivered', 'ada@example.com'],
      ['email.opened', 'ada@example.com'],
      ['email.delivered', 'bob@example.com'],
    ])
    expect(new Set((await log()).map(({ event_id }) => event_id)).size).toBe(5)
    expect(JSON.parse((await log())[2]?.body ?? '')).toEqual({
      type: 'email.delivered',
      timestamp: new Date(now).toISOString(),
      data: { email_id: id, recipient: 'ada@example.com', ...delivered(now) },
    })
  })

  it('is nothing where a change adds no event', async () => {
    const { webhooks, store, email, log } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const id = await email('ada@example.com')
    const record = await store.get(emailCollection, id)
    await store.commit([update(emailCollection, { ...(record as EmailRecord), unread: false })])
    expect(await log()).toHaveLength(1)
  })

  it('is nothing where the commit is refused, and everything once where it is repeated', async () => {
    const { webhooks, store, email, happen, log } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const id = await email('ada@example.com')
    const stale = (await store.get(emailCollection, id)) as EmailRecord
    await Promise.all(Array.from({ length: 20 }, (_, n) => happen(id, 'ada@example.com', delivered(n))))
    const late = withEvents(stale, new Map([['ada@example.com', [delivered(1)]]]))
    await expect(store.commit([update(emailCollection, late)])).rejects.toMatchObject({
      code: 'version_conflict',
    })
    expect(await log()).toHaveLength(21)
    expect((await log()).map(({ type }) => type).slice(1)).toEqual(Array(20).fill('email.delivered'))
  })

  it('is limited to the events of a webhook, and has the same id for all webhooks', async () => {
    const { webhooks, email, happen, log } = await openNoun({ clock: stoodStill })
    const all = await webhooks.create({ url: nowhere, events: ['email.*'] })
    const some = await webhooks.create({ url: `${nowhere}/some`, events: ['email.delivered', 'domain.*'] })
    const id = await email('ada@example.com')
    await happen(id, 'ada@example.com', delivered(1))
    const [sent, first, second] = await log()
    expect([sent?.webhook_id, first?.webhook_id, second?.webhook_id]).toEqual([all.id, all.id, some.id])
    expect(first?.event_id).toBe(second?.event_id)
  })

  it('is limited to new events of older emails', async () => {
    const { webhooks, email, happen, log } = await openNoun({ clock: stoodStill })
    const id = await email('ada@example.com')
    await happen(id, 'ada@example.com', delivered(1))
    await webhooks.create({ url: nowhere })
    await happen(id, 'ada@example.com', { status: 'complained', timestamp: 2 })
    expect((await log()).map(({ type }) => type)).toEqual(['email.complained'])
  })

  it('remains after the removal of the email', async () => {
    const { webhooks, store, email, log } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const id = await email('ada@example.com')
    await store.commit([{ op: 'remove', collection: emailCollection, id } as never])
    expect(await log()).toMatchObject([{ email_id: id, type: 'email.sent' }])
  })

  it('never fails a commit: a time that no date can hold is reported and not announced', async () => {
    const { webhooks, email, happen, log, store, faults } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const id = await email('ada@example.com')
    await happen(id, 'ada@example.com', delivered(9e15))
    expect((await store.get(emailCollection, id))?.recipients[0]?.events).toHaveLength(2)
    expect(await log()).toHaveLength(1)
    expect(faults).toEqual([expect.any(RangeError)])
  })
})

interface Body {
  data: { recipient: string }
}

describe('a domain', () => {
  const base: DomainRecord = { ...blankDomain('dom_1', 'acme.test', 1), version: 1 }
  const types = (...versions: (DomainRecord | null)[]): string[] =>
    domainPayloads(versions[0] ?? null, versions[1] ?? base, 5).map(({ type }) => type)

  it('is announced when it is created, changed and verified', () => {
    expect(types(null, base)).toEqual(['domain.created'])
    expect(types(base, { ...base, is_warmed_up: true })).toEqual(['domain.updated'])
    expect(types(base, { ...base, status: 'SUCCESS' })).toEqual(['domain.updated', 'domain.verified'])
    expect(types({ ...base, status: 'SUCCESS' }, { ...base, status: 'SUCCESS' })).toEqual(['domain.updated'])
  })

  it('that was added automatically is announced when it is created', () => {
    const mentioned: DomainRecord = { ...base, registered: false, status: 'SUCCESS' }
    expect(types(null, mentioned)).toEqual([])
    expect(types(mentioned, base)).toEqual(['domain.created'])
  })

  it('is announced without its key', async () => {
    const { webhooks, store, log } = await openNoun({ clock: stoodStill })
    await webhooks.create({ url: nowhere })
    const dkim = { selector: 's', private_key: 'SECRET', public_key: 'p' }
    await store.commit([insert(domainCollection, { ...base, dkim })])
    const [created] = await log()
    expect(created).toMatchObject({ type: 'domain.created', domain_id: 'dom_1', email_id: null })
    expect(created?.body).not.toContain('SECRET')
    expect(JSON.parse(created?.body ?? '')).toMatchObject({
      data: { domain_id: 'dom_1', name: 'acme.test', status: 'NOT_STARTED' },
    })
  })
})

describe('the cost of webhooks', () => {
  it('is no read and no change to a commit where there is no webhook', async () => {
    const { store: inner, calls } = counting(await openStore(collections))
    const { email, happen, store } = await openNoun({ store: inner })
    const id = await email('ada@example.com')
    calls.length = 0
    await store.commit([insert(emailCollection, anEmail(createIds(systemClock).next('em'), ['a@b.test'], 1))])
    expect(calls).toEqual(['commit 1'])
    await happen(id, 'ada@example.com', delivered(1))
    // This read belongs to the change itself.
    expect(calls).toEqual(['commit 1', 'get', 'commit 1'])
  })

  it('is no read for a new email, so that nothing comes between its id and its commit', async () => {
    const { store: inner, calls } = counting(await openStore(collections))
    const { webhooks, email } = await openNoun({ store: inner })
    await webhooks.create({ url: nowhere })
    calls.length = 0
    const inserted: string[] = []
    inner.changes((change) => 'id' in change && inserted.push(change.collection))
    const sending = email('ada@example.com')
    await Promise.all([
      sending,
      inner.commit([insert(domainCollection, blankDomain('dom_1', 'acme.test', 1))]),
    ])
    expect(inserted).toEqual(['emails', 'webhook_deliveries', 'domains', 'webhook_deliveries'])
    expect(calls).not.toContain('get')
  })
})

function counting(inner: Store): { store: Store; calls: string[] } {
  const calls: string[] = []
  const store: Store = {
    ...inner,
    commit(changes, blobs) {
      calls.push(`commit ${changes.length}`)
      return inner.commit(changes, blobs)
    },
    get(collection, id) {
      calls.push('get')
      return inner.get(collection, id)
    },
    page(collection, query) {
      calls.push('page')
      return inner.page(collection, query)
    },
    count(collection, query) {
      calls.push('count')
      return inner.count(collection, query)
    },
  }
  return { store, calls }
}

describe('a webhook that is too slow', () => {
  it('gets a limited number of deliveries, and one notice reports it', async () => {
    const receiver = await openReceiver(() => undefined)
    const { webhooks, email, log, warnings } = await openNoun({ maxWaiting: 10 })
    await webhooks.create({ url: receiver.url })
    for (let n = 0; n < 30; n++) await email('ada@example.com')
    await eventually(() => expect(receiver.received).toHaveLength(4))
    expect((await log()).length).toBeLessThanOrEqual(12)
    expect((await log()).length).toBeGreaterThanOrEqual(10)
    expect(warnings).toEqual([expect.stringContaining(receiver.url)])
  })
})
