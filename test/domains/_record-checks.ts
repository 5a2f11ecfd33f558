import { afterEach, beforeEach } from 'vitest'
import { generateDkimKey } from '../../src/domains/dkim-keys.ts'
import { createDnsLookup } from '../../src/domains/dns-lookup.ts'
import { domainCollection, type DkimKey } from '../../src/domains/domain.ts'
import { createDomains, type InnerDomains } from '../../src/domains/domains.ts'
import { blankDomain } from '../../src/domains/senders.ts'
import { insert } from '../../src/store/store.ts'
import { openParts, type Parts } from '../support/deps.ts'
import { dns } from './dns-settings.ts'
import { openDnsServer, type DnsServer } from './dns-server.ts'

// A domain with the records of `publish()`, for look-ups at a DNS server of its own.

export const dkimName = 'localpost._domainkey.news.acme.co.uk'
export const mailName = 'mail.news.acme.co.uk'

export let parts: Parts
export let server: DnsServer
export let domains: InnerDomains
export let id: string
let dkim: DkimKey | undefined
export let key: string

/** Creates them for each test of a file. */
export function useRecordChecks(): void {
  beforeEach(async () => {
    // One key for all tests: generating it takes the most time.
    dkim ??= await generateDkimKey('localpost')
    key = dkim.public_key
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
}

/** Publishes every record, as a zone file would: long TXT in strings of 255. */
export function publish(): void {
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
