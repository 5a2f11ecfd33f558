import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { generateDkimKey } from '../../src/domains/dkim-keys.ts'
import { createDnsLookup } from '../../src/domains/dns-lookup.ts'
import { domainCollection, type DkimKey } from '../../src/domains/domain.ts'
import { createDomains, type Domains } from '../../src/domains/domains.ts'
import { recordCheckSchema } from '../../src/domains/schema.ts'
import { blankDomain } from '../../src/domains/senders.ts'
import { insert } from '../../src/store/store.ts'
import { openParts, type Parts } from '../parts.ts'
import { dns } from './dns-settings.ts'
import { openDnsServer, type DnsServer } from './dns-server.ts'

const dkimName = 'localpost._domainkey.news.acme.co.uk'
const mailName = 'mail.news.acme.co.uk'
const hour = 60 * 60 * 1000

let parts: Parts
let server: DnsServer
let domains: Domains
let id: string
let dkim: DkimKey
let key: string

// One key for all tests: making it is what takes the time.
beforeAll(async () => {
  dkim = await generateDkimKey('localpost')
  key = dkim.public_key
})

beforeEach(async () => {
  parts = await openParts()
  server = await openDnsServer()
  domains = createDomains({
    ...parts,
    dns,
    lookup: createDnsLookup({ servers: [server.address], timeoutMs: 600 }),
  })
  id = parts.ids.next('dom')
  const record = { ...blankDomain(id, 'news.acme.co.uk', parts.clock.now()), dkim }
  await parts.store.commit([insert(domainCollection, record)])
})

afterEach(() => server.close())

/** Publishes every record, as a zone file would: long TXT in pieces of 255. */
function publish(): void {
  server.answers.set(`${dkimName} TXT`, [[`p=${key}`.slice(0, 255), `p=${key}`.slice(255)]])
  server.answers.set(`${mailName} MX`, [{ preference: 10, exchange: dns.feedbackHost }])
  server.answers.set(`${mailName} TXT`, ['v=spf1 include:amazonses.com ~all'])
  server.answers.set('_dmarc.news.acme.co.uk TXT', ['v=DMARC1; p=none;'])
  server.answers.set('acme.co.uk SOA', [
    {
      mname: 'ns1.acme.co.uk',
      rname: 'host\\.master.acme.co.uk',
      serial: 2026010203,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 1,
    },
  ])
}

describe('looking a domain up in DNS', () => {
  it('verifies it when the records are published', async () => {
    publish()
    const now = new Date(parts.clock.now()).toISOString()
    expect(await domains.verify(id, {})).toMatchObject({
      status: 'SUCCESS',
      verified_for_sending_status: true,
    })
    expect((await domains.get(id)).verification_info).toEqual({
      last_checked_timestamp: now,
      last_success_timestamp: now,
      soa_record: {
        primary_name_server: 'ns1.acme.co.uk',
        admin_email: 'host.master@acme.co.uk',
        serial_number: 2026010203,
      },
    })
  })

  it('says per record what is expected, found and thought of it', async () => {
    publish()
    server.answers.set(`${mailName} MX`, [
      { preference: 20, exchange: 'mx.other.test' },
      { preference: 10, exchange: dns.feedbackHost },
    ])
    server.answers.delete('_dmarc.news.acme.co.uk TXT')
    const records = await domains.records(id)
    expect(records).toEqual([
      {
        type: 'TXT',
        name: dkimName,
        for: 'DKIM',
        required: true,
        expected: `p=${key}`,
        found: [`p=${key}`],
        verdict: 'ok',
        error_type: null,
        message: null,
      },
      {
        type: 'MX',
        name: mailName,
        for: 'MAIL FROM domain',
        required: true,
        expected: `10 ${dns.feedbackHost}`,
        found: [`10 ${dns.feedbackHost}`, '20 mx.other.test'],
        verdict: 'wrong',
        error_type: 'INVALID_VALUE',
        message: 'there are 2 MX records: this must be the only one of its name',
      },
      {
        type: 'TXT',
        name: mailName,
        for: 'MAIL FROM domain',
        required: true,
        expected: 'v=spf1 include:amazonses.com ~all',
        found: ['v=spf1 include:amazonses.com ~all'],
        verdict: 'ok',
        error_type: null,
        message: null,
      },
      {
        type: 'TXT',
        name: '_dmarc.news.acme.co.uk',
        for: 'DMARC (highly recommended)',
        required: false,
        expected: 'v=DMARC1; p=none;',
        found: [],
        verdict: 'missing',
        error_type: 'HOST_NOT_FOUND',
        message: 'DNS knows no such name: publish the record',
      },
    ])
    for (const record of records) expect(recordCheckSchema.parse(record)).toEqual(record)
    expect((await domains.get(id)).status).toBe('NOT_STARTED')
  })

  it('asks again over TCP where an answer does not fit a datagram', async () => {
    publish()
    server.answers.set(`${dkimName} TXT`, [
      [`v=DKIM1; n=${'x'.repeat(200)}; `, `p=${key}`.slice(0, 255), `p=${key}`.slice(255)],
    ])
    expect(await domains.verify(id)).toMatchObject({ status: 'SUCCESS' })
    expect(server.asked).toContain(`udp ${dkimName} TXT`)
    expect(server.asked).toContain(`tcp ${dkimName} TXT`)
  })

  it('is verified without DMARC and SOA', async () => {
    publish()
    server.answers.set('_dmarc.news.acme.co.uk TXT', ['v=DMARC1; p=maybe'])
    server.answers.delete('acme.co.uk SOA')
    const { status, verification_info } = await domains.verify(id)
    expect(status).toBe('SUCCESS')
    expect(Object.keys(verification_info)).toEqual(['last_checked_timestamp', 'last_success_timestamp'])
  })

  it.each(['v=DKIM1; k=rsa; p=KEY', 'p=KEY;', 'k=rsa;t=s;p= KEY ', 'v=DKIM1;p=KEY'])(
    'takes the key as %s',
    async (form) => {
      publish()
      server.answers.set(`${dkimName} TXT`, [form.replace('KEY', key).match(/.{1,255}/g)])
      expect((await domains.records(id))[0]?.verdict).toBe('ok')
    },
  )

  it.each([
    ['a wrong key', ['p=AAAA']],
    ['a revoked key', ['v=DKIM1; p=']],
    ['two keys', ['p=KEY', 'p=AAAA']],
    ['the same key twice', ['p=KEY', 'p=KEY']],
    ['another version', ['v=DKIM2; p=KEY']],
    ['another type of key', ['k=ed25519; p=KEY']],
    ['no key at all', ['hello']],
  ])('finds %s under the DKIM name invalid', async (_, texts) => {
    publish()
    server.answers.set(
      `${dkimName} TXT`,
      texts.map((text) => text.replace('KEY', key).match(/.{1,255}/g)),
    )
    expect(await domains.verify(id)).toMatchObject({
      status: 'PENDING',
      verification_info: { error_type: 'INVALID_VALUE' },
    })
  })
})

describe('the error type of a look-up', () => {
  it.each([
    ['the name is unknown', 'NXDOMAIN', 'HOST_NOT_FOUND', 'missing'],
    ['the name has no TXT', [], 'TYPE_NOT_FOUND', 'missing'],
    ['the server fails', 'SERVFAIL', 'DNS_SERVER_ERROR', 'error'],
    ['the server refuses', 'REFUSED', 'DNS_SERVER_ERROR', 'error'],
    ['nobody answers', 'silence', 'DNS_SERVER_ERROR', 'error'],
  ] as const)('when %s', async (_, answer, error_type, verdict) => {
    publish()
    server.answers.set(`${dkimName} TXT`, typeof answer === 'string' ? answer : [...answer])
    const begun = performance.now()
    expect(await domains.verify(id)).toMatchObject({ status: 'PENDING', verification_info: { error_type } })
    expect(performance.now() - begun).toBeLessThan(3000)
    expect((await domains.records(id))[0]).toMatchObject({ verdict, error_type })
  })

  it('is that of DKIM before MX before SPF', async () => {
    publish()
    server.answers.set(`${dkimName} TXT`, [])
    server.answers.set(`${mailName} MX`, [{ preference: 10, exchange: 'mx.other.test' }])
    server.answers.set(`${mailName} TXT`, 'SERVFAIL')
    const errorType = async (): Promise<unknown> => (await domains.verify(id)).verification_info.error_type
    expect(await errorType()).toBe('TYPE_NOT_FOUND')
    server.answers.set(`${dkimName} TXT`, [[`p=${key}`.slice(0, 255), `p=${key}`.slice(255)]])
    expect(await errorType()).toBe('INVALID_VALUE')
    server.answers.set(`${mailName} MX`, [{ preference: 10, exchange: dns.feedbackHost }])
    expect(await errorType()).toBe('DNS_SERVER_ERROR')
    publish()
    expect(await errorType()).toBeUndefined()
  })

  it('is SERVICE_ERROR where the fault is our own', async () => {
    const broken = (): Promise<never> => Promise.reject(new TypeError('a bug'))
    domains = createDomains({ ...parts, dns, lookup: { txt: broken, mx: broken, soa: broken } })
    expect(await domains.verify(id)).toMatchObject({ verification_info: { error_type: 'SERVICE_ERROR' } })
  })

  it('is DNS_SERVER_ERROR where there is no server', async () => {
    const { address } = server
    domains = createDomains({
      ...parts,
      dns,
      lookup: createDnsLookup({ servers: [address], timeoutMs: 600 }),
    })
    await server.close()
    expect(await domains.verify(id)).toMatchObject({ verification_info: { error_type: 'DNS_SERVER_ERROR' } })
    server = await openDnsServer()
  })

  it('needs servers that are IP addresses', () => {
    expect(() => createDnsLookup({ servers: ['dns.example'] })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })
})

describe('the status of a domain', () => {
  const verify = async (): Promise<string> => (await domains.verify(id)).status

  it('is PENDING while it is looked up first', async () => {
    server.answers.set(`${dkimName} TXT`, 'silence')
    const running = domains.verify(id)
    await expect.poll(async () => (await domains.get(id)).status).toBe('PENDING')
    expect((await domains.get(id)).verification_info).toEqual({})
    await running
  })

  it('is PENDING for 72 hours, then FAILED, and SUCCESS once the records are there', async () => {
    expect(await verify()).toBe('PENDING')
    parts.clock.advance(72 * hour - 1)
    expect(await verify()).toBe('PENDING')
    parts.clock.advance(1)
    expect(await verify()).toBe('FAILED')
    expect(await verify()).toBe('FAILED')
    publish()
    expect(await verify()).toBe('SUCCESS')
  })

  it('goes between SUCCESS and TEMPORARY_FAILURE when the records vanish and return', async () => {
    publish()
    expect(await verify()).toBe('SUCCESS')
    const first = (await domains.get(id)).verification_info.last_success_timestamp
    parts.clock.advance(100 * hour)
    server.answers.delete(`${dkimName} TXT`)
    expect(await verify()).toBe('TEMPORARY_FAILURE')
    expect((await domains.get(id)).verification_info).toMatchObject({
      last_success_timestamp: first,
      error_type: 'HOST_NOT_FOUND',
    })
    await expect(domains.resolveSender('news.acme.co.uk')).rejects.toMatchObject({
      code: 'domain_not_verified',
    })
    publish()
    expect(await verify()).toBe('SUCCESS')
    expect((await domains.get(id)).verification_info.error_type).toBeUndefined()
  })

  it('is not that of a domain which was removed while it was looked up', async () => {
    server.answers.set(`${dkimName} TXT`, 'silence')
    const running = domains.verify(id)
    const outcome = expect(running).rejects.toMatchObject({ code: 'not_found' })
    await expect.poll(async () => (await domains.get(id)).status).toBe('PENDING')
    await domains.remove(id)
    await outcome
  })

  it('is not what was found for the key of before, where it is registered while it is looked up', async () => {
    const mentioned = await domains.resolveSender('late.test')
    // Nothing is there, which would make it PENDING; registering makes a key of its own, not looked up yet.
    server.answers.set('localpost._domainkey.late.test TXT', 'silence')
    const running = domains.verify(mentioned.id)
    await expect.poll(() => server.asked).toContain('udp localpost._domainkey.late.test TXT')
    await domains.create({ name: 'late.test' })
    await running
    expect(await domains.get(mentioned.id)).toMatchObject({ status: 'NOT_STARTED', verification_info: {} })
  })
})
