import { createPublicKey, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import { hashBody, splitFields } from '../../../src/mime/dkim/canonical.ts'
import { verifyDkim } from '../../../src/mime/dkim/verify.ts'
import { maxFields } from '../../../src/mime/headers/fields.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
const keys: Record<string, { privateKey: KeyObject; publicKey: KeyObject }> = { rsa, ed: ed25519 }
const now = Date.UTC(2026, 10, 20)

const findKey = (domain: string, selector: string): Promise<KeyObject | null> =>
  Promise.resolve(domain === 'acme.test' ? (keys[selector]?.publicKey ?? null) : null)

/** The DNS records of the same keys. */
function resolver(name: string): Promise<string[][]> {
  const [selector = ''] = name.split('.')
  const key = name.endsWith('_domainkey.acme.test') ? keys[selector]?.publicKey : undefined
  if (!key) return Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
  const der = key.export({ type: 'spki', format: 'der' })
  const [type, value] = selector === 'ed' ? ['ed25519', der.subarray(12)] : ['rsa', der]
  return Promise.resolve([[`v=DKIM1; k=${type}; p=${value.toString('base64')}`]])
}

const head = [
  'From:  Acme   <hi@acme.test>',
  'To: ada@example.com,\r\n\tbob@example.com ',
  'Subject: Tabs\tand  spaces',
  'X-Twice: first',
  'X-Twice: second',
  'MIME-Version: 1.0',
]
const bodies: Record<string, string> = {
  plain: 'Hello Ada\r\n\r\nBye\r\n',
  empty: '',
  'one line end': '\r\n',
  'only empty lines': '\r\n\r\n \r\n\t\r\n',
  'lines with spaces at the end': 'a \t \r\n  b\t\tc  \r\n \r\nd\r\n\r\n\r\n',
  'no line end at the end': 'a\r\nb  ',
  'line ends between that are many': `a${'\r\n'.repeat(70_000)}b\r\n`,
  'more than a slice': `${'x y  z \r\n'.repeat(40_000)}\r\n`,
  'eight bits': 'Grüße\r\n',
}
const build = (body: string, lines: readonly string[] = head): string =>
  `${lines.join('\r\n')}\r\n\r\n${body}`

interface Variant {
  selector?: 'rsa' | 'ed'
  canonicalization?: string
  maxBodyLength?: number
  expires?: Date
  domain?: string
}
async function sign(message: string, variant: Variant = {}): Promise<string> {
  const {
    selector = 'rsa',
    canonicalization = 'relaxed/relaxed',
    maxBodyLength,
    domain = 'acme.test',
  } = variant
  const { signatures, errors } = await dkimSign(Buffer.from(message), {
    canonicalization,
    signTime: new Date(now - 60_000),
    ...(variant.expires && { expires: variant.expires }),
    signatureData: [
      {
        signingDomain: domain,
        selector,
        privateKey: String(keys[selector]?.privateKey.export({ type: 'pkcs8', format: 'pem' })),
        algorithm: selector === 'ed' ? 'ed25519-sha256' : 'rsa-sha256',
        ...(maxBodyLength !== undefined && { maxBodyLength }),
      },
    ],
  })
  expect(errors ?? []).toEqual([])
  return signatures + message
}

const check = (message: string) => verifyDkim(Buffer.from(message), findKey, () => now)

/** Expects the result of mailauth, which gets the keys as from DNS. */
async function expectAgreement(message: string): Promise<string | undefined> {
  const [ours, theirs] = await Promise.all([
    check(message),
    dkimVerify(Buffer.from(message), { resolver, curTime: new Date(now) }),
  ])
  expect(ours?.result === 'pass').toBe(theirs.results.some(({ status }) => status.result === 'pass'))
  return ours?.result
}

const canonicalizations = ['simple/simple', 'simple/relaxed', 'relaxed/simple', 'relaxed/relaxed']

describe('a signature by another implementation', () => {
  const variants = canonicalizations.flatMap((canonicalization) =>
    (['rsa', 'ed'] as const).flatMap((selector) =>
      Object.keys(bodies).map((body) => ({ canonicalization, selector, body })),
    ),
  )

  it.each(variants)('passes: $canonicalization, $selector, $body', async ({ body, ...variant }) => {
    expect(await expectAgreement(await sign(build(bodies[body] ?? ''), variant))).toBe('pass')
  })

  it.each(canonicalizations)('fails where body or header changed: %s', async (canonicalization) => {
    const signed = await sign(build('Hello  Ada \r\nBye\r\n'), { canonicalization })
    const changes: [string, string][] = [
      ['Bye', 'Buy'],
      ['Bye\r\n', 'Bye\r\nmore\r\n'],
      ['Subject: Tabs', 'Subject: Taps'],
      ['hi@acme.test', 'ho@acme.test'],
    ]
    for (const [from, to] of changes) expect(await expectAgreement(signed.replace(from, to))).toBe('fail')
  })

  it.each(canonicalizations)(
    'passes or fails as its canonicalization requires: %s',
    async (canonicalization) => {
      const signed = await sign(build('Hello  Ada \r\nBye\r\n'), { canonicalization })
      const [header, body] = canonicalization.split('/')
      const respaced = await expectAgreement(signed.replace('Tabs\tand', 'Tabs   and'))
      expect(respaced).toBe(header === 'relaxed' ? 'pass' : 'fail')
      const trimmed = await expectAgreement(signed.replace('Ada \r\n', 'Ada\r\n'))
      expect(trimmed).toBe(body === 'relaxed' ? 'pass' : 'fail')
      expect(await expectAgreement(`${signed}\r\n\r\n`)).toBe('pass')
    },
  )

  it.each(canonicalizations)('passes in a file with bare line feeds: %s', async (canonicalization) => {
    const signed = await sign(build(`Hello \r\n${'x y  z \r\n'.repeat(40_000)}`), { canonicalization })
    expect(await expectAgreement(signed.replaceAll('\r\n', '\n'))).toBe('pass')
    expect(await expectAgreement(signed.replaceAll('\r\n', '\n').replace('Hello', 'Hallo'))).toBe('fail')
  })

  it('is read with at most 5,000 header fields: of more it is invalid, and quickly so', async () => {
    const withFields = (count: number): string[] => [
      ...head,
      ...Array.from({ length: count - head.length - 1 }, () => 'a:'),
    ]
    expect(await expectAgreement(await sign(build('x', withFields(maxFields))))).toBe('pass')
    expect(await check(await sign(build('x', withFields(maxFields + 1))))).toEqual({
      domain: 'acme.test',
      selector: 'rsa',
      result: 'invalid',
      reason: 'The header has more than 5000 fields, and no more are read.',
    })
    expect(await check(build('x', withFields(maxFields + 2)))).toBeNull()
    const { fields, isCut } = splitFields('a:\r\n'.repeat(250_000))
    expect([fields.length, isCut]).toEqual([maxFields, true])
  })

  it('covers as much of the body as l= says', async () => {
    const signed = await sign(build('Hello\r\nBye\r\n'), { maxBodyLength: 7 })
    expect(signed).toMatch(/l=7/)
    expect(await expectAgreement(`${signed}and more\r\n`)).toBe('pass')
    expect(await expectAgreement(signed.replace('Hello', 'Hallo'))).toBe('fail')
    expect(await check(signed.replace('Hello\r\nBye\r\n', 'He'))).toMatchObject({
      result: 'fail',
      reason: 'The signature covers 7 octets of the body, and it has 4.',
    })
  })

  it('covers repeated fields from the last one on, and the absence of those that h= names once more', async () => {
    // By hand, for signers name each field once.
    const { hash } = hashBody(Buffer.from('x\r\n'), 'relaxed', null)
    const tags = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=acme.test; s=rsa; h=From:X-Twice:X-Twice:X-Twice:Reply-To; bh=${hash}; b=`
    const canonical = [
      'from:Acme <hi@acme.test>',
      'x-twice:second',
      'x-twice:first',
      `dkim-signature:${tags}`,
    ]
    const b = createSign('sha256').update(canonical.join('\r\n')).sign(rsa.privateKey, 'base64')
    const signed = `DKIM-Signature: ${tags}${b}\r\n${build('x\r\n')}`
    expect(await expectAgreement(signed)).toBe('pass')
    expect(await expectAgreement(`X-Other: y\r\n${signed}`)).toBe('pass')
    expect(await expectAgreement(signed.replace('X-Twice: first', 'X-Twice: third'))).toBe('fail')
    expect(await expectAgreement(`X-Twice: none\r\n${signed}`)).toBe('fail')
    expect(await expectAgreement(`Reply-To: eve@evil.test\r\n${signed}`)).toBe('fail')
  })

  it('fails after its expiry', async () => {
    const signed = await sign(build('x\r\n'), { expires: new Date(now - 1000) })
    expect(await expectAgreement(signed)).toBe('fail')
    expect((await check(signed))?.reason).toMatch(/expired at 2026-11-19T23:59:59/)
  })

  it('of an unknown domain or selector has no key, and one that passes decides for several', async () => {
    const foreign = await sign(build('x\r\n'), { domain: 'elsewhere.test' })
    expect(await check(foreign)).toMatchObject({
      domain: 'elsewhere.test',
      selector: 'rsa',
      result: 'no_key',
    })
    const both = await sign(foreign)
    expect(await check(both)).toMatchObject({ domain: 'acme.test', result: 'pass', reason: null })
    const order = `${foreign.slice(0, foreign.indexOf('From:'))}${await sign(build('x\r\n'))}`
    expect(await check(order)).toMatchObject({ domain: 'acme.test', result: 'pass' })
  })
})

describe('an invalid signature', () => {
  it('is no signature where the header field is missing', async () => {
    expect(await check(build('x'))).toBeNull()
  })

  const whole = 'v=1; a=rsa-sha256; d=acme.test; s=rsa; h=from; bh=AA==; b=AA=='
  it.each([
    ['v=1', 'v=2', /version is "2"/],
    ['v=1', `v=${'2'.repeat(50)}`, /version is "2{40}";/],
    ['; bh=AA==', '', /tag bh= is missing/],
    ['rsa-sha256', 'rsa-sha1', /"rsa-sha1" is not one/],
    ['h=from', 'h=to', /From field is not signed/],
    ['v=1', 'v=1; c=loose', /canonicalization "loose"/],
    ['v=1', 'v=1; i=@other.test', /identity/],
    ['v=1', 'v=1; l=many', /l= is no number/],
    ['v=1', 'v=1; t=5; x=4', /expires before/],
    ['v=1', 'v=1; s=other', /tag "s" is there more than once/],
    ['bh=AA==', 'bh=AA==; zz=1; zz=1', /tag "zz" is there more than once/],
  ])('is invalid with %j as %j', async (from, to, reason) => {
    const result = await check(`DKIM-Signature: ${whole.replace(from, to)}\r\n${build('x')}`)
    expect(result).toMatchObject({
      domain: 'acme.test',
      result: 'invalid',
      reason: expect.stringMatching(reason),
    })
  })

  it('fails where the key is of another kind', async () => {
    const field = `DKIM-Signature: ${whole.replace('s=rsa', 's=ed')}\r\n`
    expect((await check(field + build('x')))?.reason).toBe(
      'The key is ed25519, and the signature rsa-sha256.',
    )
  })
})

it('accepts keys as a store has them: the public key in DER', async () => {
  const der = rsa.publicKey.export({ type: 'spki', format: 'der' })
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const signed = await sign(build('x\r\n'))
  expect(
    await verifyDkim(
      Buffer.from(signed),
      () => Promise.resolve(key),
      () => now,
    ),
  ).toMatchObject({
    result: 'pass',
  })
})

describe('a hostile body takes linear time', () => {
  it.each([' ', '\t \r', '\r', '\n', '\r\n', ' \r\n'])('of nothing but %j', async (piece) => {
    const body = Buffer.from(piece.repeat(Math.ceil(8_000_000 / piece.length)))
    const ends = hashBody(body, 'relaxed', null)
    expect(ends.octets).toBeLessThanOrEqual(body.length + 2)
    expect(hashBody(body, 'simple', null).octets).toBeLessThanOrEqual(body.length + 2)
  })
})
