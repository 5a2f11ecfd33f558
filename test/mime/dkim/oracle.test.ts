import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { dkimBody } from 'mailauth/lib/dkim/body/index.js'
import { generateCanonicalizedHeader } from 'mailauth/lib/dkim/header/index.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { getSigningHeaderLines } from 'mailauth/lib/tools.js'
import { expect, it } from 'vitest'
import { verifyDkim } from '../../../src/mime/dkim/verify.ts'
import { randomOf } from '../../support/random.ts'

// Signatures of every form, made with the canonicalization of mailauth, on mail that is changed on its way or not.

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')
const keys: Record<string, { privateKey: KeyObject; publicKey: KeyObject } | undefined> = { rsa, ed }
const now = Date.UTC(2026, 10, 20)
const seconds = now / 1000

const findKey = (domain: string, selector: string): Promise<KeyObject | null> =>
  Promise.resolve(domain === 'acme.test' ? (keys[selector]?.publicKey ?? null) : null)

function resolver(name: string): Promise<string[][]> {
  const key = name.endsWith('._domainkey.acme.test') ? keys[name.split('.')[0] ?? '']?.publicKey : undefined
  if (!key) return Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
  return Promise.resolve([[`p=${key.export({ type: 'spki', format: 'der' }).toString('base64')}`]])
}

const header = [
  'Received: from a.test by b.test',
  'From:  Acme   <hi@acme.test>',
  'To: ada@example.com,\r\n\tbob@example.com ',
  'subject : Tabs\tand  spaces\r\n  folded',
  'X-Twice: first',
  'X-Twice: second',
  'X-Empty:',
  'MIME-Version: 1.0',
]
const bodies = [
  'Hello  Ada \r\n\r\nBye\r\n',
  '',
  '\r\n',
  '\r\n\r\n \r\n\t\r\n',
  'Hello\r\n\r\n\r\n',
  'Bye\r\nno end',
  'Gr\xfc\xdfe\t \r\n .\r\n..\r\n',
]
const canonicalizations = [
  'simple/simple',
  'simple/relaxed',
  'relaxed/simple',
  'relaxed/relaxed',
  'relaxed',
  '',
]
const signed = [
  'From:To:Subject:X-Twice:MIME-Version',
  'from:subject',
  'From:From:Subject:Subject:To:To:Reply-To',
  'X-Twice:X-Twice:X-Twice:FROM',
  'From:X-Empty:X-None',
  ' From :\r\n\tX-Twice: Subject',
]
/** Of the body as it is canonical. mailauth accepts more octets than there are, and takes 0 for all: see verify.test.ts. */
const lengths = [undefined, undefined, undefined, 1, 7]
const times = [
  '',
  `t=${seconds - 60}`,
  `t=${seconds - 60}; x=${seconds + 60}`,
  `t=${seconds - 60}; x=${seconds - 1}`,
]
/** How the tags are written. */
const forms: ((tags: string[]) => string)[] = [
  (tags) => tags.join('; '),
  (tags) => tags.join(';'),
  (tags) => tags.join(';\r\n\t'),
  (tags) => `${tags.map((tag) => tag.replace('=', ' = ')).join(' ; ')};`,
  (tags) => [...tags.slice(1), 'zz=unknown', 'z=From:x|To:y', tags[0]].join('; '),
  (tags) => [...tags, 'q=dns/txt', 'i=news@mail.acme.test'].join('; '),
]
/** What happens to the signature itself, where it is written down. */
const writings: ((b: string) => string)[] = [
  (b) => b,
  (b) => b,
  (b) => b,
  (b) => b.replace(/.{60}/g, '$&\r\n '),
  (b) => ` ${b.slice(0, 10)} ${b.slice(10)} `,
  (b) => `${b[0] === 'A' ? 'B' : 'A'}${b.slice(1)}`,
  (b) => b.slice(0, -8),
  () => '!!!!',
]
/** What happens to the mail on its way. */
const changes: [name: string, change: (mail: string) => string][] = [
  ...Array.from({ length: 8 }, (): [string, (mail: string) => string] => ['nothing', (mail) => mail]),
  ['a trace field on top', (mail) => `Received: from b.test by c.test\r\n${mail}`],
  ['empty lines at the end', (mail) => `${mail}\r\n\r\n`],
  ['more text', (mail) => `${mail}more\r\n`],
  ['another text', (mail) => mail.replace('Hello', 'Hallo')],
  ['less space at line ends', (mail) => mail.replace('Ada \r\n', 'Ada\r\n')],
  ['more space in the text', (mail) => mail.replace('Hello  Ada', 'Hello   Ada')],
  ['another subject', (mail) => mail.replace('Tabs\tand', 'Taps\tand')],
  ['a subject with other spaces', (mail) => mail.replace('Tabs\tand  spaces', 'Tabs and spaces')],
  ['a subject folded elsewhere', (mail) => mail.replace('Tabs\tand', 'Tabs\r\n and')],
  ['names in capitals', (mail) => mail.replace('\r\nX-Twice: s', '\r\nX-TWICE: s')],
  ['a second From on top', (mail) => `From: eve@evil.test\r\n${mail}`],
  ['a second Subject at the end', (mail) => mail.replace('\r\n\r\n', '\r\nSubject: more\r\n\r\n')],
  ['a Reply-To', (mail) => `Reply-To: eve@evil.test\r\n${mail}`],
  ['one of two fields gone', (mail) => mail.replace('X-Twice: first\r\n', '')],
  ['two fields in other order', (mail) => mail.replace(/(X-Twice: first\r\n)(X-Twice: second\r\n)/, '$2$1')],
  ['the empty field filled', (mail) => mail.replace('X-Empty:', 'X-Empty: x')],
  ['another body hash', (mail) => mail.replace(/bh( ?= ?)./, 'bh$1_')],
  ['another selector', (mail) => mail.replace(/s( ?= ?)(?:rsa|ed)\b/, 's$1none')],
  ['another domain', (mail) => mail.replace(/d( ?= ?)acme\.test/, 'd$1elsewhere.test')],
  ['the key of another kind', (mail) => mail.replace(/s( ?= ?)rsa\b/, 's$1ed')],
]

/** The fields of a message, as mailauth reads them. */
function fieldsOf(message: string): { key: string; line: Buffer }[] {
  return message
    .slice(0, message.indexOf('\r\n\r\n'))
    .split(/\r\n(?![ \t])/)
    .map((line) => ({
      key: (line.split(':')[0] ?? '').trim().toLowerCase(),
      line: Buffer.from(line, 'latin1'),
    }))
}

function signedBy(message: string, pick: <T>(from: readonly T[]) => T): { message: string; says: string } {
  const selector = pick(['rsa', 'ed'])
  const canonicalization = pick(canonicalizations)
  const [headerForm = '', bodyForm = 'simple'] = (canonicalization || 'simple').split('/')
  const body = Buffer.from(message.slice(message.indexOf('\r\n\r\n') + 4), 'latin1')
  const length = body.includes('Hello') ? pick(lengths) : undefined
  const hash = dkimBody(bodyForm, 'sha256', length)
  hash.update(body)
  const names = pick(signed)
  const tags = [
    'v=1',
    `a=${selector === 'rsa' ? 'rsa' : 'ed25519'}-sha256`,
    ...(canonicalization === '' ? [] : [`c=${canonicalization}`]),
    'd=acme.test',
    `s=${selector}`,
    ...(length === undefined ? [] : [`l=${length}`]),
    pick(times),
    `h=${names}`,
    `bh=${hash.digest('base64')}`,
  ].filter((tag) => tag !== '')
  const form = pick(forms)
  const own = `DKIM-Signature: ${form([...tags, 'b='])}`
  const lines = getSigningHeaderLines(fieldsOf(message), names, true)
  const { canonicalizedHeader } = generateCanonicalizedHeader('DKIM', lines, {
    signatureHeaderLine: own,
    canonicalization: headerForm,
  })
  const text =
    selector === 'rsa' ? canonicalizedHeader : createHash('sha256').update(canonicalizedHeader).digest()
  const b = sign(selector === 'rsa' ? 'sha256' : null, text, keys[selector]?.privateKey ?? '').toString(
    'base64',
  )
  const written = pick(writings)(b)
  // The one tag without a value is `b`; what follows it in some forms stays.
  const whole = own.replace(/(\bb ?= ?)(?=;|\s;|$|\s*$)/, (_, tag: string) => tag + written)
  return { message: `${whole}\r\n${message}`, says: own }
}

it('verifies 200 generated mails as mailauth does', async () => {
  const random = randomOf(11)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const seen = new Map<string, number>()
  for (let at = 0; at < 200; at++) {
    const body = pick(bodies)
    let mail = `${header.join('\r\n')}\r\n\r\n${body}`
    const fields: string[] = []
    for (let count = pick([1, 1, 1, 2, 3]); count > 0; count--) {
      const { message, says } = signedBy(mail, pick)
      mail = message
      fields.push(says)
    }
    const [change, made] = pick(changes)
    const bytes = Buffer.from(made(mail), 'latin1')
    const [ours, theirs] = await Promise.all([
      verifyDkim(bytes, findKey, () => now),
      dkimVerify(bytes, { resolver, curTime: new Date(now) }),
    ])
    const passes = theirs.results.some(({ status }) => status.result === 'pass')
    const about = `${fields.join('\n')}\n${JSON.stringify(body)}, ${change}, ${ours?.reason}: `
    expect(about + (ours?.result === 'pass' ? 'pass' : 'none')).toBe(about + (passes ? 'pass' : 'none'))
    const result = ours?.result ?? 'none'
    seen.set(result, (seen.get(result) ?? 0) + 1)
  }
  expect([...seen.keys()].toSorted()).toEqual(['fail', 'invalid', 'no_key', 'pass'])
})
