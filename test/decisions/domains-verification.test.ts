import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDnsLookup } from '../../src/domains/dns-lookup.ts'
import { createDomains } from '../../src/domains/domains.ts'
import type { CreatedDomain, DomainDetail, DomainStatus } from '../../src/domains/types.ts'
import { openDnsServer, type DnsAnswer, type DnsServer } from '../domains/dns-server.ts'
import { openParts } from '../support/deps.ts'
import { open, refusalOf, shared, type Face } from './helpers.ts'
import { movableClock } from '../support/clock.ts'

const statuses: DomainStatus[] = ['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE']

describe('declaring a state by hand', () => {
  const face = shared()
  let id = ''
  let serial = 0
  beforeEach(async () => {
    ;({ id } = await face().create<CreatedDomain>('/v1/domains', { name: `d${serial++}.test` }))
  })
  const declare = (body: object): Promise<DomainDetail> => face().create(`/dev/domains/${id}/verify`, body)

  it('domains.status: there are five, as in SES, and a new domain is NOT_STARTED', async () => {
    expect(await face().get(`/v1/domains/${id}`)).toMatchObject({ status: 'NOT_STARTED' })
    for (const status of [...statuses, ...statuses.toReversed()]) {
      expect(await declare({ status })).toMatchObject({ status })
      const { domains } = await face().get<{ domains: DomainDetail[] }>('/v1/domains')
      expect(domains.find((domain) => domain.id === id)).toMatchObject({ status })
    }
    const verify = { body: { status: 'VERIFIED' } }
    const answer = await refusalOf(await face().call('POST', `/dev/domains/${id}/verify`, verify))
    expect(answer).toMatchObject({ status: 422, fields: ['status'] })
  })

  it('domains.transitions: verified_for_sending_status is true only in SUCCESS', async () => {
    for (const status of statuses) {
      expect((await declare({ status })).verified_for_sending_status, status).toBe(status === 'SUCCESS')
    }
  })

  it('domains.verification: a state can be declared by hand, with its error', async () => {
    expect(await declare({ status: 'SUCCESS' })).toMatchObject({ status: 'SUCCESS' })
    for (const error_type of [
      'HOST_NOT_FOUND',
      'TYPE_NOT_FOUND',
      'INVALID_VALUE',
      'DNS_SERVER_ERROR',
      'SERVICE_ERROR',
    ]) {
      const { status, verification_info } = await declare({ status: 'FAILED', error_type })
      expect([status, verification_info.error_type]).toEqual(['FAILED', error_type])
    }
  })

  it('domains.verification-info: it is {} before the first check, and its times are ISO 8601 afterwards', async () => {
    expect((await face().get<DomainDetail>(`/v1/domains/${id}`)).verification_info).toEqual({})
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { verification_info } = await declare({ status: 'SUCCESS' })
    expect(verification_info).toEqual({ last_checked_timestamp: iso, last_success_timestamp: iso })
  })
})

describe('looking the records up', () => {
  let server: DnsServer
  let face: Face
  let domain: CreatedDomain
  const clock = movableClock()
  const names = {
    dkim: 'localpost._domainkey.news.acme.co.uk TXT',
    mx: 'mail.news.acme.co.uk MX',
    spf: 'mail.news.acme.co.uk TXT',
    dmarc: '_dmarc.news.acme.co.uk TXT',
    soa: 'acme.co.uk SOA',
  }

  beforeEach(async () => {
    server = await openDnsServer()
    face = await open({ clock, dns: { servers: [server.address] } })
    domain = await face.create<CreatedDomain>('/v1/domains', { name: 'news.acme.co.uk' })
  })
  afterEach(() => server.close())

  const set = (record: keyof typeof names, answer: DnsAnswer): unknown =>
    server.answers.set(names[record], answer)
  const verify = (): Promise<DomainDetail> => face.create(`/dev/domains/${domain.id}/verify`, {})
  const status = async (): Promise<string> => (await verify()).status
  const errorType = async (): Promise<string | undefined> => (await verify()).verification_info.error_type

  function publish(): void {
    const [dkim] = domain.dns_records
    set('dkim', [[dkim?.value.slice(0, 255), dkim?.value.slice(255)]])
    set('mx', [{ preference: 10, exchange: 'feedback-smtp.us-east-1.amazonses.com' }])
    set('spf', ['v=spf1 include:amazonses.com ~all'])
    const soa = { mname: 'ns1.acme.co.uk', rname: 'host\\.master.acme.co.uk', serial: 2026010203 }
    set('soa', [{ ...soa, refresh: 1, retry: 1, expire: 1, minimum: 1 }])
  }

  it('domains.verification: on request it asks real DNS, at the resolver of the options', async () => {
    publish()
    expect(server.asked).toEqual([])
    expect(await face.get(`/v1/domains/${domain.id}`)).toMatchObject({ status: 'NOT_STARTED' })
    expect(await status()).toBe('SUCCESS')
    expect(server.asked.map((question) => question.replace(/^\w+ /, ''))).toEqual(
      expect.arrayContaining([names.dkim, names.mx, names.spf, names.dmarc]),
    )
  })

  it('domains.transitions: NOT_STARTED, PENDING while the records are missing, SUCCESS once they are there', async () => {
    expect(await status()).toBe('PENDING')
    expect(await status()).toBe('PENDING')
    publish()
    expect(await verify()).toMatchObject({ status: 'SUCCESS', verified_for_sending_status: true })
  })

  it('domains.transitions: 72 hours without the records make it FAILED', async () => {
    expect(await status()).toBe('PENDING')
    clock.advance(72 * 60 * 60 * 1000 - 60_000)
    expect(await status()).toBe('PENDING')
    clock.advance(60_001)
    expect(await status()).toBe('FAILED')
    expect(await status()).toBe('FAILED')
  })

  it('domains.transitions: SUCCESS becomes TEMPORARY_FAILURE when the records disappear, and returns with them', async () => {
    publish()
    expect(await status()).toBe('SUCCESS')
    server.answers.clear()
    expect(await verify()).toMatchObject({ status: 'TEMPORARY_FAILURE', verified_for_sending_status: false })
    publish()
    expect(await verify()).toMatchObject({ status: 'SUCCESS', verified_for_sending_status: true })
  })

  it('domains.verification-info: it has the zone’s start of authority, and the time of the last success', async () => {
    publish()
    const { verification_info: first } = await verify()
    expect(first.soa_record).toEqual({
      primary_name_server: 'ns1.acme.co.uk',
      admin_email: 'host.master@acme.co.uk',
      serial_number: 2026010203,
    })
    expect(Object.keys(first).sort()).toEqual([
      'last_checked_timestamp',
      'last_success_timestamp',
      'soa_record',
    ])
    set('mx', 'NXDOMAIN')
    clock.advance(1000)
    const { verification_info: second } = await verify()
    expect(second.last_success_timestamp).toBe(first.last_success_timestamp)
    expect(Date.parse(second.last_checked_timestamp ?? '')).toBeGreaterThan(
      Date.parse(first.last_checked_timestamp ?? ''),
    )
    expect(second.error_type).toBe('HOST_NOT_FOUND')
  })

  it('domains.error-type: it gives the answer of DNS in one word', async () => {
    publish()
    const [dkim] = domain.dns_records
    const value = dkim?.value ?? ''
    const table: [keyof typeof names, DnsAnswer, string | undefined][] = [
      ['mx', [{ preference: 10, exchange: 'mx.other.test' }], 'INVALID_VALUE'],
      [
        'mx',
        [1, 2].map(() => ({ preference: 10, exchange: 'feedback-smtp.us-east-1.amazonses.com' })),
        'INVALID_VALUE',
      ],
      ['dkim', 'NXDOMAIN', 'HOST_NOT_FOUND'],
      ['dkim', [], 'TYPE_NOT_FOUND'],
      ['dkim', [['p=AAAA']], 'INVALID_VALUE'],
      ['dkim', [['p=']], 'INVALID_VALUE'],
      ['dkim', [[value.slice(0, 255), value.slice(255)], ['p=AAAA']], 'INVALID_VALUE'],
      ['spf', ['v=spf1 ~all'], 'INVALID_VALUE'],
      ['spf', [1, 2].map(() => 'v=spf1 include:amazonses.com ~all'), 'INVALID_VALUE'],
      ['dkim', 'SERVFAIL', 'DNS_SERVER_ERROR'],
    ]
    for (const [record, answer, expected] of table) {
      publish()
      set(record, answer)
      expect(await errorType(), `${record} ${JSON.stringify(answer)}`).toBe(expected)
    }
    publish()
    expect(await verify()).not.toHaveProperty('verification_info.error_type')
  })

  it('domains.error-type: the first of DKIM, MX and SPF that fails decides, DMARC and SOA never', async () => {
    publish()
    set('dmarc', ['v=DMARC1; p=nonsense'])
    set('soa', 'SERVFAIL')
    expect(await errorType()).toBeUndefined()
    set('spf', ['v=spf1 -all'])
    expect(await errorType()).toBe('INVALID_VALUE')
    set('mx', 'SERVFAIL')
    expect(await errorType()).toBe('DNS_SERVER_ERROR')
    set('dkim', [])
    expect(await errorType()).toBe('TYPE_NOT_FOUND')
  })
})

describe('time-outs and faults of Localpost', () => {
  it('domains.error-type: a time-out is DNS_SERVER_ERROR, a fault of Localpost is SERVICE_ERROR', async () => {
    const server = await openDnsServer()
    try {
      const dns = { feedbackHost: 'f.test', spfInclude: 's.test', selector: 'localpost' }
      const silent = createDnsLookup({ servers: [server.address], timeoutMs: 300 })
      const broken = (): Promise<never> => Promise.reject(new TypeError('a fault'))
      const parts = { ...(await openParts()), dns }
      for (const [lookup, error_type] of [
        [silent, 'DNS_SERVER_ERROR'],
        [{ txt: broken, mx: broken, soa: broken }, 'SERVICE_ERROR'],
      ] as const) {
        const domains = createDomains({ ...parts, lookup })
        const { id } = await domains.create({ name: `${error_type.replaceAll('_', '-')}.test` })
        for (const name of ['localpost._domainkey', 'mail', '_dmarc']) {
          for (const type of ['TXT', 'MX']) {
            server.answers.set(
              `${name}.${error_type.replaceAll('_', '-').toLowerCase()}.test ${type}`,
              'silence',
            )
          }
        }
        expect((await domains.verify(id, {})).verification_info.error_type).toBe(error_type)
      }
    } finally {
      await server.close()
    }
  })
})
