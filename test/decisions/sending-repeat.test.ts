import { describe, expect, it } from 'vitest'
import type { CreatedDomain, DomainDetail } from '../../src/domains/types.ts'
import { shared, type EmailList, type Face } from './helpers.ts'
import { goodMail } from '../support/mail.ts'
import { movableClock } from '../support/clock.ts'
import { withNewKeys } from '../support/new-keys.ts'

describe('repeating a request', () => {
  const clock = movableClock()
  const face = shared({ clock })
  const withKey = (key: string): Record<string, string> => ({ 'idempotency-key': key })
  const count = async (): Promise<number> => (await face().get<EmailList>('/v1/emails')).count
  const conflict = { status: 409, name: 'idempotency_conflict' }

  it('sending.repeat: the same key and body give the same answer and one email', async () => {
    const before = await count()
    const [first, ...others] = await Promise.all(
      Array.from({ length: 4 }, () => face().send({ subject: 'once' }, withKey('same'))),
    )
    expect(others).toEqual([first, first, first])
    expect(await face().send({ subject: 'once' }, withKey('same'))).toBe(first)
    expect(await count()).toBe(before + 1)
    // A request with another key, or without one, is a different request.
    const more = [
      await face().send({ subject: 'once' }, withKey('other')),
      await face().send({ subject: 'once' }),
    ]
    expect(new Set([first, ...more]).size).toBe(3)
  })

  it('sending.repeat: the same key with another body is 409', async () => {
    await face().send({ subject: 'one' }, withKey('two bodies'))
    expect(await face().refusal({ subject: 'two' }, withKey('two bodies'))).toMatchObject(conflict)
  })

  it('sending.repeat: of different bodies sent at the same time, one is accepted', async () => {
    const before = await count()
    const headers = { ...withKey('race'), 'content-type': 'application/json' }
    const bodies = ['a', 'b', 'c', 'd'].map((subject) => ({ ...goodMail, subject }))
    const answers = await Promise.all(
      bodies.map((body) => face().call('POST', '/v1/emails', { body, headers })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await count()).toBe(before + 1)
  })

  it('sending.repeat: a refused request leaves its key unused', async () => {
    await face().refusal({ to: 'nobody' }, withKey('refused'))
    await face().send({ to: 'ada@x.test' }, withKey('refused'))
  })

  it('sending.repeat: a key has at most 256 characters', async () => {
    await face().send({}, withKey('k'.repeat(256)))
    const answer = await face().refusal({}, withKey('k'.repeat(257)))
    expect(answer).toMatchObject({ status: 422, fields: ['Idempotency-Key'] })
  })

  it('sending.repeat: it is remembered for 24 hours', async () => {
    const first = await face().send({}, withKey('long ago'))
    await face().send({ subject: 'one' }, withKey('long ago, and another body'))
    clock.advance(24 * 60 * 60 * 1000 - 60_000)
    expect(await face().send({}, withKey('long ago'))).toBe(first)
    clock.advance(60_001)
    expect(await face().send({}, withKey('long ago'))).not.toBe(first)
    await face().send({ subject: 'other' }, withKey('long ago, and another body'))
  })
})

describe('the domain of From', () => {
  const face = shared()
  const find = async (name: string, of: Face = face()): Promise<DomainDetail | undefined> => {
    const { domains } = await of.get<{ domains: { id: string; name: string }[] }>('/v1/domains')
    const known = domains.find((domain) => domain.name === name)
    return known && of.get<DomainDetail>(`/v1/domains/${known.id}`)
  }

  it.each(['NOT_STARTED', 'PENDING', 'FAILED', 'TEMPORARY_FAILURE'] as const)(
    'sending.from-domain: registered and %s, it is 403 domain_not_verified, and nothing is stored',
    async (status) => {
      const name = `${status.toLowerCase().replace('_', '-')}.test`
      const from = `hi@${name}`
      const { id } = await face().create<CreatedDomain>('/v1/domains', { name })
      if (status !== 'NOT_STARTED') await face().create(`/dev/domains/${id}/verify`, { status })
      const { count } = await face().get<EmailList>('/v1/emails')
      const answer = await face().refusal({ from })
      expect(answer).toMatchObject({ status: 403, name: 'domain_not_verified' })
      expect(await face().get<EmailList>('/v1/emails')).toMatchObject({ count })
      await face().create(`/dev/domains/${id}/verify`, { status: 'SUCCESS' })
      const sent = await face().detail(await face().send({ from }))
      expect(sent.domain_id).toBe(id)
      expect((await face().logged()).warnings).toEqual([])
    },
  )

  it('sending.from-domain: an unregistered one is added as verified, with a warning at every send', async () => {
    expect(await find('new.test')).toBeUndefined()
    for (let i = 0; i < 2; i++) {
      const { domain_id } = await face().detail(await face().send({ from: 'hi@NEW.test' }))
      expect((await face().logged()).warnings).toEqual([
        expect.stringContaining('"new.test" is not registered'),
      ])
      const added = await find('new.test')
      expect(added).toMatchObject({ id: domain_id, status: 'SUCCESS', verified_for_sending_status: true })
    }
  })

  it('sending.from-domain: added domains share one key until they are created', async () => {
    const names = ['first.test', 'second.test']
    for (const name of names) await face().send({ from: `hi@${name}` })
    const [first, second] = await Promise.all(names.map((name) => find(name)))
    expect(first?.public_key).toBe(second?.public_key)
    // One of the keys that tests share could be the key of the process.
    const created = await withNewKeys(() =>
      face().create<CreatedDomain>('/v1/domains', { name: 'first.test' }),
    )
    const own = await find('first.test')
    expect(own?.public_key).not.toBe(second?.public_key)
    expect(created.dns_records[0]?.value).toBe(`p=${own?.public_key}`)
    expect((await find('second.test'))?.public_key).toBe(second?.public_key)
  })

  it('sending.from-domain: creating an added domain answers 201 with its id, and it is NOT_STARTED then', async () => {
    const { domain_id } = await face().detail(await face().send({ from: 'hi@known.test' }))
    const response = await face().call('POST', '/v1/domains', { body: { name: 'known.test' } })
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ id: domain_id, name: 'known.test', status: 'NOT_STARTED' })
    expect(await find('known.test')).toMatchObject({
      status: 'NOT_STARTED',
      verified_for_sending_status: false,
      verification_info: {},
    })
    expect(await face().refusal({ from: 'hi@known.test' })).toMatchObject({ name: 'domain_not_verified' })
    const again = await face().call('POST', '/v1/domains', { body: { name: 'known.test' } })
    expect(again.status).toBe(409)
  })

  it('sending.from-domain: the name must match exactly: nothing is inherited by a subdomain or its parent', async () => {
    const { id } = await face().create<CreatedDomain>('/v1/domains', { name: 'parent.test' })
    const below = await face().detail(await face().send({ from: 'hi@news.parent.test' }))
    expect(below.domain_id).not.toBe(id)
    expect(await find('news.parent.test')).toMatchObject({ id: below.domain_id, status: 'SUCCESS' })
    await face().create('/v1/domains', { name: 'sub.verified.test' })
    await face().create(`/dev/domains/${id}/verify`, { status: 'SUCCESS' })
    const parent = await face().detail(await face().send({ from: 'hi@parent.test' }))
    expect(parent.domain_id).toBe(id)
    expect(await face().refusal({ from: 'hi@sub.verified.test' })).toMatchObject({
      name: 'domain_not_verified',
    })
    await face().send({ from: 'hi@verified.test' })
  })
})
