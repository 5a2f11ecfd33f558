import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import dmarc from 'mailauth/lib/dmarc/index.js'
import { describe, expect, it } from 'vitest'
import { findDmarc } from '../../src/checks/dmarc.ts'
import { checkMail } from '../../src/checks/run.ts'
import type { CheckedMail } from '../../src/checks/check.ts'
import { createZone } from '../../src/domains/zone.ts'
import { parseZone } from '../../src/domains/zone-file.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import { temporaryFolder } from '../support/folder.ts'
import { randomOf } from '../support/random.ts'
import { submit } from '../support/submit.ts'
import { mailWith, mailWithHeaders } from './_mail.ts'

/** The findings of a check in a mail, or why it was skipped. */
async function said(
  id: string,
  mail: CheckedMail,
  zone: string,
  sendingHosts: string[] = [],
): Promise<string[]> {
  const knowledge = { ...parseZone(zone), sendingHosts, raw: null }
  const { findings, checks } = checkMail(mail, {}, knowledge)
  const run = checks.find((one) => one.id === id)
  const found = findings
    .filter((one) => one.id === id)
    .map(({ severity, message }) => `${severity}: ${message}`)
  return run?.outcome === 'skipped' ? [`skipped: ${run.message}`] : found
}

const signedBy = (domain: string): Partial<CheckedMail> => ({
  dkim: { domain, selector: 'one', result: 'pass', reason: null },
})

describe('mistakes of web developers', () => {
  it('a DKIM signature of the mail service instead of your own domain', async () => {
    const mail = mailWith({ ...signedBy('mailer.test'), envelope: { mail_from: 'b@bounces.mailer.test' } })
    expect(await said('dmarc-alignment', mail, '')).toEqual([
      'error: DMARC fails: the mail is from acme.test, but it is signed by mailer.test and its envelope sender is of bounces.mailer.test: neither is of acme.test, so nothing proves that acme.test sent it.',
    ])
  })

  it('a newsletter without one-click unsubscription', async () => {
    const mail = mailWithHeaders(
      { 'List-Unsubscribe': '<https://acme.test/off>' },
      { type: 'broadcast', list_unsubscribe: { urls: ['https://acme.test/off'], one_click: false } },
    )
    expect(await said('list-unsubscribe', mail, '')).toEqual([
      'error: The mail has List-Unsubscribe without List-Unsubscribe-Post, so Gmail and Yahoo offer no unsubscription with one click.',
    ])
  })

  it('an SPF record with eleven look-ups', async () => {
    const services = Array.from({ length: 10 }, (_, at) => `include:s${at}.test`)
    const records = services.map((_, at) => `s${at}.test. TXT "v=spf1 ip4:192.0.2.${at} -all"`)
    const zone = [`mail.acme.test. TXT "v=spf1 ${services.join(' ')} mx -all"`, ...records].join('\n')
    expect(await said('spf', mailWith(), zone, ['192.0.2.1'])).toEqual([
      'error: The SPF record of mail.acme.test needs 11 DNS look-ups. Receivers stop after 10 and treat the record as broken, so SPF fails for every mail.',
    ])
  })
})

describe('SPF of the envelope sender', () => {
  it.each([
    [
      'other.test. A 192.0.2.1',
      ['skipped: The DNS records of mail.acme.test are not known here; name a zone file with --zone.'],
    ],
    [
      'www.acme.test. A 192.0.2.1',
      ['warning: mail.acme.test has no SPF record, so receivers do not know which servers may send for it.'],
    ],
    [
      'mail.acme.test. TXT "v=spf1 -all"\nmail.acme.test. TXT "v=spf1 ~all"',
      [
        'error: The SPF record of mail.acme.test is broken: mail.acme.test has 2 SPF records, and may have one.',
      ],
    ],
    [
      'mail.acme.test. TXT "v=spf1 ipv4:192.0.2.1 -all"',
      ['error: The SPF record of mail.acme.test is broken: "ipv4:192.0.2.1" is not a term of SPF.'],
    ],
    [
      'mail.acme.test. TXT "v=spf1 ip4:192.0.2.1 ~all"',
      ['error: SPF does not let 203.0.113.5 send for mail.acme.test: the result is softfail.'],
    ],
    [
      'mail.acme.test. TXT "v=spf1 include:mailer.test ~all"',
      [
        'skipped: Not all records that SPF needs for mail.acme.test are known here: the records of mailer.test are not known here.',
      ],
    ],
    ['mail.acme.test. TXT "v=spf1 ip4:203.0.113.0/24 ~all"', []],
  ])('with %j: %j', async (zone, expected) => {
    expect(await said('spf', mailWith(), zone, ['203.0.113.5'])).toEqual(expected)
  })
})

describe('DMARC', () => {
  it.each([
    [
      'www.acme.test. A 192.0.2.1',
      ['warning: acme.test has no DMARC record. Gmail and Yahoo require one of bulk senders.'],
    ],
    [
      '_dmarc.acme.test. TXT "v=DMARC1; p=none"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"',
      ['error: There are 2 DMARC records at _dmarc.acme.test, so receivers ignore all of them.'],
    ],
    [
      '_dmarc.acme.test. TXT "v=DMARC1; rua=mailto:a@acme.test"',
      ['error: The DMARC record _dmarc.acme.test has no policy (p=).'],
    ],
    [
      '_dmarc.acme.test. TXT "v=DMARC1; p=none; adkim=strict; rua=a@acme.test"',
      [
        'error: The tag adkim of _dmarc.acme.test is "strict"; it is r or s.',
        'error: The tag rua of _dmarc.acme.test is not a list of mailto: addresses.',
      ],
    ],
  ])('with %j: %j', async (zone, expected) => {
    expect(await said('dmarc-record', mailWith(), zone)).toEqual(expected)
  })

  it('compares as the record asks, as mailauth does in 200 generated cases', async () => {
    const domains = [
      'acme.test',
      'mail.acme.test',
      'other.test',
      'a.mail.acme.test',
      'acme.co.uk',
      'x.acme.co.uk',
    ]
    const modes = ['', '; adkim=s', '; aspf=s', '; adkim=s; aspf=s', '; adkim=r']
    const results = new Set<boolean>()
    for (let at = 0; at < 200; at++) {
      const from = domains[at % 6] ?? ''
      const signer = domains[Math.floor(at / 6) % 6] ?? ''
      const returns = domains[Math.floor(at / 36) % 6] ?? ''
      const text = ['acme.test', 'other.test', 'acme.co.uk']
        .map(
          (name) => `_dmarc.${name}. TXT "v=DMARC1; p=reject${modes[at % 5]}"\n${returns}. TXT "v=spf1 +all"`,
        )
        .join('\n')
      const zone = createZone(parseZone(text))
      const resolver = async (name: string): Promise<string[][]> => {
        const found = zone.find(name, 'TXT') ?? []
        if (found.length === 0) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
        return found.map((one) => [one])
      }
      // mailauth reads the tags of strict comparison without effect; the specification asks for the same domain.
      const passesFor = async (kind: 'dkimDomains' | 'spfDomains', domain: string): Promise<boolean> => {
        if (modes[at % 5]?.includes(kind === 'dkimDomains' ? 'adkim=s' : 'aspf=s')) return domain === from
        const none = { dkimDomains: [], spfDomains: [] }
        const given = { headerFrom: `ada@${from}`, ...none, [kind]: [{ domain }], resolver }
        return (await dmarc.dmarc(given)).status.result === 'pass'
      }
      const expected = (await passesFor('dkimDomains', signer)) || (await passesFor('spfDomains', returns))
      const mail = mailWithHeaders(
        { From: `ada@${from}` },
        { ...signedBy(signer), envelope: { mail_from: `b@${returns}` } },
      )
      const passes = (await said('dmarc-alignment', mail, text)).length === 0
      results.add(passes)
      expect([from, signer, returns, modes[at % 5], passes]).toEqual([
        from,
        signer,
        returns,
        modes[at % 5],
        expected,
      ])
    }
    expect(results.size).toBe(2)
  })
})

it('finds the DMARC record that mailauth finds, in 200 generated zones', async () => {
  const froms = ['acme.test', 'mail.acme.test', 'a.b.acme.test', 'acme.co.uk', 'shop.acme.co.uk', 'co.uk']
  const texts = [
    'v=DMARC1; p=reject',
    'v=DMARC1;p=none;sp=reject;pct=5;fo=1',
    'v=DMARC1',
    'v=DMARC10; p=none',
    'V=DMARC2; p=none',
    'p=reject; v=DMARC1',
    'v=spf1 -all',
    'v=DMARC1; p=quarantine; zz=unknown; adkim=s; rua=mailto:d@acme.test',
    '',
  ]
  const random = randomOf(5)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const results = new Set<boolean>()
  for (let at = 0; at < 200; at++) {
    const from = pick(froms)
    const records = [...new Set([from, pick(froms), 'acme.test', 'acme.co.uk'])].flatMap((name) => {
      if (random() < 0.5) return []
      // Of a domain below it, mailauth would go on to that of the organisation (RFC 7489, section 6.6.3, says not to).
      const isOrganisation = name === 'acme.test' || name === 'acme.co.uk'
      const count = isOrganisation && random() < 0.2 ? 2 : 1
      return Array.from({ length: count }, () => `_dmarc.${name}. TXT "${pick(texts)}"`)
    })
    const zone = createZone(
      parseZone(['www.acme.test. A 192.0.2.1', 'www.acme.co.uk. A 192.0.2.1', ...records].join('\n')),
    )
    const resolver = async (name: string): Promise<string[][]> => {
      const found = zone.find(name, 'TXT') ?? []
      if (found.length === 0) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
      return found.map((one) => [one])
    }
    const given = { headerFrom: `ada@${from}`, dkimDomains: [], spfDomains: [], resolver }
    const { status } = await dmarc.dmarc(given)
    const record = findDmarc(from, zone)
    const found =
      record !== null &&
      record !== 'unknown' &&
      !record.faults.some((fault) => fault.startsWith('There are 2'))
    expect([from, records, found]).toEqual([from, records, status.result !== 'none'])
    results.add(found)
  }
  expect(results.size).toBe(2)
})

describe('DMARC, in the examples of RFC 7489 (appendix B.1)', () => {
  // The other of the two identifiers is of a foreign domain.
  it.each<
    [example: string, from: string, kind: 'spf' | 'dkim', domain: string, relaxed: boolean, strict: boolean]
  >([
    ['B.1.1, 1: equal', 'example.com', 'spf', 'example.com', true, true],
    ['B.1.1, 2: parent and child', 'example.com', 'spf', 'child.example.com', true, false],
    ['B.1.1, 3: foreign', 'child.example.com', 'spf', 'example.net', false, false],
    ['B.1.2, 1: equal', 'example.com', 'dkim', 'example.com', true, true],
    ['B.1.2, 2: child and parent', 'child.example.com', 'dkim', 'example.com', true, false],
    ['B.1.2, 3: foreign', 'example.com', 'dkim', 'sample.net', false, false],
    ['letters do not differ by case', 'Example.COM', 'dkim', 'example.com', true, true],
    ['siblings', 'a.example.com', 'spf', 'b.example.com', true, false],
    ['a public suffix is no organisation', 'one.co.uk', 'spf', 'two.co.uk', false, false],
  ])('%s', async (_, from, kind, domain, relaxed, strict) => {
    const signer = kind === 'dkim' ? domain : 'foreign.test'
    const returns = kind === 'spf' ? domain : 'foreign.test'
    const mail = mailWithHeaders(
      { From: `ada@${from}` },
      { ...signedBy(signer), envelope: { mail_from: `b@${returns}` } },
    )
    const passes = async (tags: string): Promise<boolean> => {
      const zone = ['example.com', 'one.co.uk']
        .map((name) => `_dmarc.${name}. TXT "v=DMARC1; p=reject${tags}"`)
        .join('\n')
      return (await said('dmarc-alignment', mail, zone)).length === 0
    }
    expect(await passes('')).toBe(relaxed)
    expect(await passes('; adkim=s; aspf=s')).toBe(strict)
    // A tag is about its own identifier.
    expect(await passes(kind === 'spf' ? '; adkim=s' : '; aspf=s')).toBe(relaxed)
  })
})

describe('an instance', () => {
  it('knows the records of its own domains, and those of a zone file', async () => {
    const zone = join(temporaryFolder(), 'acme.zone')
    writeFileSync(
      zone,
      'mail.acme.test. TXT "v=spf1 ip4:192.0.2.0/24 -all"\n_dmarc.acme.test. TXT "v=DMARC1; p=non"\n',
    )
    await using own = await createLocalpost()
    await using post = await createLocalpost({ checks: { zone, sendingHosts: ['203.0.113.5'] } })
    const outcomes = async (instance: typeof post): Promise<Record<string, string>> => {
      await instance.domains.create({ name: 'acme.test' })
      const envelope = { from: 'b@mail.acme.test', to: 'ada@example.com' }
      const id = await submit(instance, { from: 'hi@acme.test', subject: 'x', text: 'x'.repeat(5), envelope })
      const { checks } = await instance.inbox.check(id)
      return Object.fromEntries(checks.map((run) => [run.id, run.outcome]))
    }
    expect(await outcomes(own)).toMatchObject({
      spf: 'skipped',
      'dmarc-record': 'passed',
      'line-lengths': 'passed',
    })
    expect(await outcomes(post)).toMatchObject({ spf: 'found', 'dmarc-record': 'found' })
  })

  it.each([
    [{ zone: '/none/acme.zone' }, /The zone file "\/none\/acme\.zone" cannot be read: ENOENT/],
    [{ sendingHosts: ['mail.acme.test'] }, /"mail\.acme\.test" is not an IP address/],
  ])('is not started with %j', async (checks, message) => {
    await expect(createLocalpost({ checks })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(message),
    })
  })
})
