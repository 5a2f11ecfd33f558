import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { getPublicKey } from 'mailauth/lib/tools.js'
import { describe, expect, it } from 'vitest'
import { dnsRecords } from '../../src/domains/dns-records.ts'
import { recordMismatch } from '../../src/domains/record-mismatch.ts'
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

  it('as DKIM key counts where mailauth takes the same key, in 216 generated records', async () => {
    const [own, other] = [
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('ed25519'),
    ].map(({ publicKey }) => publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
    const expected = dnsRecords('acme.com', { selector: 'localpost', public_key: own ?? '' }, dns)[0]
    const results = new Map<boolean, number>()
    for (const version of ['', 'v=DKIM1; ', 'v=DKIM2; ']) {
      for (const type of ['', 'k=rsa; ', 'k=ed25519; ', 'k=dsa; ']) {
        for (const p of [
          own,
          other,
          '',
          `${own?.slice(0, 60)} ${own?.slice(60)}`,
          '!bad!',
          own?.slice(0, -8),
        ]) {
          for (const more of ['', '; t=y; n=a note', '; zz=unknown; s=email; h=sha1:sha256;']) {
            const text = `${version}${type}p=${p}${more}`
            const key = await getPublicKey('DKIM', 'x', 1024, () => Promise.resolve([[text]])).catch(
              () => null,
            )
            const theirs = key && createPublicKey(key.publicKey).export({ type: 'spki', format: 'der' })
            const counted = expected !== undefined && recordMismatch(expected, [text]) === null
            expect([text, counted]).toEqual([text, theirs?.toString('base64') === own])
            results.set(counted, (results.get(counted) ?? 0) + 1)
          }
        }
      }
    }
    expect([...results]).toEqual([
      [true, 24],
      [false, 192],
    ])
  })

  // mailauth does not look at these tags (RFC 6376, section 3.6.1).
  it.each([
    [['p=KEY; h=sha1'], false],
    [['p=KEY; s=tlsrpt'], false],
    [['p=KEY; s=tlsrpt:*'], true],
    [['v=dkim1; p=KEY'], false],
    [['p=KEY', 'p=KEY'], false],
  ])('as DKIM key: %j counts: %s', (found, expected) => {
    expect(counts(0, found)).toBe(expected)
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
