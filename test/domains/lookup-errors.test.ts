import { describe, expect, it } from 'vitest'
import { createDnsLookup } from '../../src/domains/dns-lookup.ts'
import { createDomains } from '../../src/domains/domains.ts'
import {
  dkimName,
  domains,
  id,
  key,
  mailName,
  parts,
  publish,
  server,
  useRecordChecks,
} from './_record-checks.ts'
import { openDnsServer } from './dns-server.ts'
import { dns } from './dns-settings.ts'
import { countWait } from '../support/own-time.ts'

useRecordChecks()

describe('the error type of a look-up', () => {
  it.each([
    ['the name is unknown', 'NXDOMAIN', 'HOST_NOT_FOUND', 'missing'],
    ['the name has no TXT', [], 'TYPE_NOT_FOUND', 'missing'],
    ['the server fails', 'SERVFAIL', 'DNS_SERVER_ERROR', 'error'],
    ['the server refuses', 'REFUSED', 'DNS_SERVER_ERROR', 'error'],
    ['no server answers', 'silence', 'DNS_SERVER_ERROR', 'error'],
  ] as const)('when %s', async (_, answer, error_type, verdict) => {
    publish()
    server.answers.set(`${dkimName} TXT`, typeof answer === 'string' ? answer : [...answer])
    const waited = countWait()
    expect(await domains.verify(id)).toMatchObject({ status: 'PENDING', verification_info: { error_type } })
    expect(waited()).toBeLessThan(3000)
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
    server.answers.set(`${mailName} MX`, [{ preference: 20, exchange: dns.feedbackHost }])
    expect(await errorType()).toBe('INVALID_VALUE')
    expect((await domains.records(id))[1]).toMatchObject({ message: 'its priority is 20, not 10' })
    server.answers.set(`${mailName} MX`, [{ preference: 10, exchange: dns.feedbackHost }])
    expect(await errorType()).toBe('DNS_SERVER_ERROR')
    publish()
    expect(await errorType()).toBeUndefined()
  })

  it('is SERVICE_ERROR where Localpost itself failed', async () => {
    const broken = (): Promise<never> => Promise.reject(new TypeError('a bug'))
    const own = createDomains({ ...parts, dns, lookup: { txt: broken, mx: broken, soa: broken } })
    expect(await own.verify(id)).toMatchObject({ verification_info: { error_type: 'SERVICE_ERROR' } })
  })

  it('is DNS_SERVER_ERROR where no server answers', async () => {
    const gone = await openDnsServer()
    await gone.close()
    const lookup = createDnsLookup({ servers: [gone.address], timeoutMs: 600 })
    const own = createDomains({ ...parts, dns, lookup })
    expect(await own.verify(id)).toMatchObject({ verification_info: { error_type: 'DNS_SERVER_ERROR' } })
  })

  it('requires servers that are IP addresses', () => {
    expect(() => createDnsLookup({ servers: ['dns.example'] })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
  })
})
