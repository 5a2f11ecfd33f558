import { createPublicKey } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDomains, type InnerDomains } from '../../src/domains/domains.ts'
import { createdDomainSchema, domainDetailSchema, domainListItemSchema } from '../../src/domains/schema.ts'
import { keysOf, openParts, readAll, type Parts } from '../support/deps.ts'
import { dns } from './dns-settings.ts'

let parts: Parts
let domains: InnerDomains

beforeEach(async () => {
  parts = await openParts()
  domains = createDomains({ ...parts, dns })
})

describe('creating a domain', () => {
  it('answers with id, name, status and the four records, and nothing else', async () => {
    const created = await domains.create({ name: 'Acme.com.' })
    const { public_key } = await domains.get(created.id)
    expect(created).toEqual({
      id: expect.stringMatching(/^dom_/),
      name: 'acme.com',
      status: 'NOT_STARTED',
      dns_records: [
        { type: 'TXT', name: 'localpost._domainkey', value: `p=${public_key}`, required: true, for: 'DKIM' },
        {
          type: 'MX',
          name: 'mail',
          value: dns.feedbackHost,
          priority: 10,
          required: true,
          for: 'MAIL FROM domain',
        },
        {
          type: 'TXT',
          name: 'mail',
          value: 'v=spf1 include:amazonses.com ~all',
          required: true,
          for: 'MAIL FROM domain',
        },
        {
          type: 'TXT',
          name: '_dmarc',
          value: 'v=DMARC1; p=none;',
          required: false,
          for: 'DMARC (highly recommended)',
        },
      ],
    })
    expect(createdDomainSchema.parse(created)).toEqual(created)
  })

  it('names the records of a subdomain relative to the registrable domain', async () => {
    const { dns_records } = await domains.create({ name: 'news.acme.co.uk' })
    expect(dns_records.map(({ name }) => name)).toEqual([
      'localpost._domainkey.news',
      'mail.news',
      'mail.news',
      '_dmarc.news',
    ])
  })

  it('makes an RSA key of 2048 bits, given as SubjectPublicKeyInfo', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const { public_key } = await domains.get(id)
    const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
    expect(key.asymmetricKeyType).toBe('rsa')
    expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
  })

  it('refuses a name that exists', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    await expect(domains.create({ name: 'ACME.com' })).rejects.toMatchObject({
      code: 'domain_exists',
      message: expect.stringContaining(id),
    })
  })

  it('creates the domain for one of two simultaneous requests, and refuses the other', async () => {
    const both = await Promise.allSettled([
      domains.create({ name: 'acme.com' }),
      domains.create({ name: 'acme.com' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'domain_exists' },
    })
    expect((await domains.list()).count).toBe(1)
  })

  it.each([[{ name: 42 }], [{}], [{ name: 'localhost' }]])('refuses %j with field name', async (input) => {
    await expect(Reflect.apply(domains.create, undefined, [input])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'name' }],
    })
  })
})

describe('reading domains', () => {
  const common = [
    'created',
    'created_by',
    'dns_records',
    'id',
    'is_warmed_up',
    'name',
    'public_key',
    'status',
    'verification_info',
    'verified_for_sending_status',
    'warmed_up_at',
  ]

  it('has exactly the members of docs/interface.md 2.4, in the list and in the detail', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const detail = await domains.get(id)
    const [item] = (await domains.list()).items
    expect(keysOf(item ?? {})).toEqual(common)
    expect(keysOf(detail)).toEqual([...common, 'click_tracking_enabled', 'open_tracking_enabled'].sort())
    expect(item?.created_by).toEqual({
      email: 'ada@acme.test',
      first_name: 'Ada',
      last_name: null,
      profile_picture: 'data:,',
    })
    expect(detail.created_by).toEqual({ ...item?.created_by, type: 'user' })
    expect(detail).toMatchObject({
      created: parts.clock.now(),
      status: 'NOT_STARTED',
      verified_for_sending_status: false,
      verification_info: {},
      is_warmed_up: false,
      warmed_up_at: null,
      open_tracking_enabled: false,
      click_tracking_enabled: false,
    })
    expect(domainDetailSchema.parse(detail)).toEqual(detail)
    expect(domainListItemSchema.parse(item)).toEqual(item)
    expect(domainListItemSchema.safeParse(detail).success).toBe(false)
  })

  it('lists newest first, and a page continues after a removed domain', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((label) => `${label}.test`)
    for (const name of names) await domains.ensureDomain(name)
    const all = await readAll(domains.list)
    expect(all).toMatchObject({ pages: 3, count: 7 })
    expect(all.items.map(({ name }) => name)).toEqual(names.toReversed())
    const first = await domains.list()
    expect(first.cursor).toBe(first.items[2]?.id)
    await domains.remove(first.cursor ?? '')
    const second = await domains.list({ cursor: first.cursor })
    expect(second.items.map(({ name }) => name)).toEqual(['d.test', 'c.test', 'b.test'])
    expect(second.count).toBe(6)
  })

  it('has no cursor on a last page that is full', async () => {
    for (const name of ['a.test', 'b.test', 'c.test']) await domains.ensureDomain(name)
    expect(await domains.list()).toMatchObject({ count: 3, cursor: null })
  })

  it.each(['', 'null', null, undefined])('treats the cursor %j as the first page', async (cursor) => {
    await domains.ensureDomain('a.test')
    expect((await domains.list({ cursor })).items).toHaveLength(1)
  })

  it.each(['x', 'aud_0123456789abcdefghjkmn', 'ada@example.com'])('refuses the cursor %j', async (cursor) => {
    await expect(domains.list({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor', status: 422 })
  })

  it.each([0, -1, 1.5, 501, Number.NaN])('refuses the limit %j', async (limit) => {
    await expect(domains.list({ limit })).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'limit' }],
    })
  })

  it('answers not found for an unknown id, in every operation', async () => {
    const unknown = 'dom_0123456789abcdefghjkmn'
    const { get, remove, update, verify, zone, records } = domains
    for (const call of [
      get,
      remove,
      zone,
      records,
      verify,
      (id: string) => update(id, {}),
      (id: string) => verify(id, { status: 'SUCCESS' }),
    ]) {
      await expect(call(unknown)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining(unknown),
      })
    }
  })
})

describe('changing a domain', () => {
  it('sets what is given and nothing else', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    const before = await domains.get(id)
    expect(await domains.update(id, { open_tracking_enabled: true })).toEqual({
      ...before,
      open_tracking_enabled: true,
    })
    expect(await domains.update(id, {})).toEqual({ ...before, open_tracking_enabled: true })
  })

  it('keeps the time of the warm-up until it is reset', async () => {
    const { id } = await domains.ensureDomain('acme.com')
    const warmed_up_at = parts.clock.now()
    expect(await domains.update(id, { is_warmed_up: true })).toMatchObject({
      is_warmed_up: true,
      warmed_up_at,
    })
    await parts.clock.advance(1000)
    expect(await domains.update(id, { is_warmed_up: true })).toMatchObject({ warmed_up_at })
    expect(await domains.update(id, { is_warmed_up: false })).toMatchObject({
      is_warmed_up: false,
      warmed_up_at: null,
    })
  })

  it('keeps both of two simultaneous changes', async () => {
    const { id } = await domains.ensureDomain('acme.com')
    await Promise.all([
      domains.update(id, { open_tracking_enabled: true }),
      domains.update(id, { click_tracking_enabled: true }),
      domains.update(id, { is_warmed_up: true }),
    ])
    expect(await domains.get(id)).toMatchObject({
      open_tracking_enabled: true,
      click_tracking_enabled: true,
      is_warmed_up: true,
    })
  })

  it('refuses members of another type', async () => {
    const { id } = await domains.ensureDomain('acme.com')
    const settings: object = { is_warmed_up: 'yes', open_tracking_enabled: 1 }
    await expect(domains.update(id, settings)).rejects.toMatchObject({
      code: 'validation_error',
      errors: [
        { field: 'open_tracking_enabled', message: 'must be true or false, not 1' },
        { field: 'is_warmed_up', message: 'must be true or false, not "yes"' },
      ],
    })
  })

  it('removes it', async () => {
    const { id } = await domains.create({ name: 'acme.com' })
    await domains.remove(id)
    await expect(domains.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await domains.create({ name: 'acme.com' })
  })
})

describe('the zone file', () => {
  it('has every record, with long text in strings of at most 255 octets', async () => {
    const { id, dns_records } = await domains.create({ name: 'news.acme.co.uk' })
    const zone = await domains.zone(id)
    expect(zone).toContain('$ORIGIN acme.co.uk.\n')
    expect(zone).toContain(`mail.news IN MX 10 ${dns.feedbackHost}. ;`)
    expect(zone).toContain('mail.news IN TXT "v=spf1 include:amazonses.com ~all" ;')
    expect(zone).toContain('_dmarc.news IN TXT "v=DMARC1; p=none;" ;')
    const strings = [
      ...(zone.match(/localpost\._domainkey\.news IN TXT (.*) ;/)?.[1] ?? '').matchAll(/"([^"]*)"/g),
    ]
    expect(strings.length).toBeGreaterThan(1)
    for (const [, text] of strings) expect(text?.length).toBeLessThanOrEqual(255)
    expect(strings.map(([, text]) => text).join('')).toBe(dns_records[0]?.value)
  })
})
