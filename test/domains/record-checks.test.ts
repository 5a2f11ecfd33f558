import { describe, expect, it } from 'vitest'
import { dnsRecords } from '../../src/domains/dns-records.ts'
import { recordMismatch } from '../../src/domains/record-checks.ts'
import { dns } from './dns-settings.ts'

const records = dnsRecords('acme.com', { selector: 'localpost', public_key: 'KEY' }, dns)

/** Whether the found values satisfy the nth of the four records. */
function counts(nth: number, found: string[]): boolean {
  const record = records[nth]
  return record !== undefined && recordMismatch(record, found) === null
}

describe('what is published', () => {
  it.each([
    [[`10 ${dns.feedbackHost}`], true],
    [[`10 ${dns.feedbackHost.toUpperCase()}.`], true],
    [[`5 ${dns.feedbackHost}`], false],
    [['10 mx.other.test'], false],
    [[`10 ${dns.feedbackHost}`, '20 mx.other.test'], false],
    [[], false],
  ])('as MX: %j counts: %s', (found, expected) => {
    expect(counts(1, found)).toBe(expected)
  })

  it.each([
    [['v=spf1 include:amazonses.com ~all'], true],
    [['v=spf1 a mx +INCLUDE:amazonses.com -all'], true],
    [['site-verification=1', 'v=spf1 include:amazonses.com'], true],
    [['v=spf1 include:other.test ~all'], false],
    [['v=spf1 ~all include:amazonses.com'], false],
    [['v=spf1 -include:amazonses.com ~all'], false],
    [['v=spf1 include:amazonses.com ~all', 'v=spf1 -all'], false],
    [['v=spf10 include:amazonses.com ~all'], false],
    [['hello'], false],
  ])('as SPF policy: %j counts: %s', (found, expected) => {
    expect(counts(2, found)).toBe(expected)
  })

  it.each([
    [['v=DMARC1; p=none;'], true],
    [['hello', 'v=DMARC1; p=reject; rua=mailto:d@acme.test'], true],
    [['v=DMARC1; p=maybe'], false],
    [['v=DMARC1'], false],
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], false],
    [['hello'], false],
  ])('as DMARC policy: %j counts: %s', (found, expected) => {
    expect(counts(3, found)).toBe(expected)
  })
})
