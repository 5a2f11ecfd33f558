import { createHash, createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createMask } from '../../src/compare/masks.ts'
import { createIds } from '../../src/core/ids.ts'
import { systemClock } from '../../src/core/clock.ts'
import { randomOf } from '../support/random.ts'

const mask = createMask()

/** Values that differ each time, as apps write them: `{}` marks the place in the text around it. */
interface Kind {
  mask: string
  around: readonly string[]
  make(random: () => number): string
}

const whole = (random: () => number, below: number): number => Math.floor(random() * below)
const bytes = (random: () => number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => whole(random, 256)))
const two = (number: number): string => String(number).padStart(2, '0')
const moment = (random: () => number): Date => new Date(1_600_000_000_000 + whole(random, 250_000_000_000))
const inLanguage = (locale: string, options: Intl.DateTimeFormatOptions): Kind['make'] => {
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  return (random) => format.format(moment(random))
}
const inText = ['It is {}.', '{}', 'Until {} (UTC), then no more', 'a: {}\nb', '<{}>']
const inAddress = [
  'https://acme.test/a/{}',
  'https://acme.test/a/{}?b=c',
  'https://acme.test/?id={}&b=c',
  'http://127.0.0.1/x?next=https%3A%2F%2Facme.test%2F{}',
  'https://acme.test/#{}',
]
const ids = createIds(systemClock)

const kinds: Readonly<Record<string, Kind>> = {
  'an ISO date': { mask: '[date]', around: inText, make: (r) => moment(r).toISOString().slice(0, 10) },
  'an ISO time': { mask: '[date]', around: inText, make: (r) => moment(r).toISOString() },
  'a date of RFC 5322': {
    mask: '[date]',
    around: inText,
    make: (r) => moment(r).toUTCString().replace('GMT', '+0000'),
  },
  'a date of HTTP': { mask: '[date]', around: inText, make: (r) => moment(r).toUTCString() },
  'an American date': {
    mask: '[date]',
    around: inText,
    make: inLanguage('en-US', { dateStyle: 'full' }),
  },
  'an American date with a time': {
    mask: '[date]',
    around: inText,
    make: inLanguage('en-US', { dateStyle: 'long', timeStyle: 'short' }),
  },
  'a British date': { mask: '[date]', around: inText, make: inLanguage('en-GB', { dateStyle: 'long' }) },
  'a date without a year': {
    mask: '[date]',
    around: inText,
    make: inLanguage('en-US', { day: 'numeric', month: 'short' }),
  },
  'a date of numbers': {
    mask: '[date]',
    around: inText,
    make: inLanguage('en-US', { dateStyle: 'short' }),
  },
  'a date with dots': {
    mask: '[date]',
    around: inText,
    make: inLanguage('de', { day: '2-digit', month: '2-digit', year: 'numeric' }),
  },
  ...Object.fromEntries(
    ['de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'pl'].map((locale) => [
      `a long date in ${locale}`,
      { mask: '[date]', around: inText, make: inLanguage(locale, { dateStyle: 'long' }) },
    ]),
  ),
  ...Object.fromEntries(
    ['en-GB', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'pl'].map((locale) => [
      `a date with its weekday in ${locale}`,
      { mask: '[date]', around: inText, make: inLanguage(locale, { dateStyle: 'full' }) },
    ]),
  ),
  'a time': { mask: '[time]', around: inText, make: (r) => `${two(whole(r, 24))}:${two(whole(r, 60))}` },
  'a time with am or pm': {
    mask: '[time]',
    around: inText,
    make: (r) => `${whole(r, 12) + 1}:${two(whole(r, 60))} ${r() < 0.5 ? 'AM' : 'pm'}`,
  },
  'a Unix time': {
    mask: '[timestamp]',
    around: inText,
    make: (r) => String(Math.floor(moment(r).getTime() / (r() < 0.5 ? 1 : 1000))),
  },
  'a UUID': {
    mask: '[uuid]',
    around: [...inText, ...inAddress],
    make: (r) => {
      const hex = bytes(r, 16).toString('hex')
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    },
  },
  'a hash': {
    mask: '[token]',
    around: [...inText, ...inAddress],
    make: (r) => createHash('sha1').update(bytes(r, 8)).digest('hex'),
  },
  'a token': {
    mask: '[token]',
    around: [...inText, ...inAddress],
    make: (r) => bytes(r, 24).toString('base64url'),
  },
  'an id of this program': { mask: '[token]', around: [...inText, ...inAddress], make: () => ids.next('em') },
  'a signed token': {
    mask: '[token]',
    around: [...inText, ...inAddress],
    make: (r) => {
      const payload = Buffer.from(JSON.stringify([1, 'c', bytes(r, 8).toString('hex')])).toString('base64url')
      return `${payload}.${createHmac('sha256', 'x').update(payload).digest('base64url').slice(0, 22)}`
    },
  },
  'a short token in a parameter': {
    mask: '[token]',
    around: [
      'https://acme.test/?token={}',
      'https://acme.test/a?b=c&reset_key={}&d',
      'http://acme.test/#otp={}',
    ],
    make: (r) => bytes(r, 3).toString('hex'),
  },
  'a number in a path': {
    mask: '[number]',
    around: ['https://acme.test/orders/{}', 'https://acme.test/orders/{}/items?b=c'],
    make: (r) => String(100_000 + whole(r, 9_000_000)),
  },
  'a port of this machine': {
    mask: '[port]',
    around: [
      'http://127.0.0.1:{}/a',
      'http://localhost:{}',
      'https://app.localhost:{}/?a=b',
      'http://[::1]:{}/',
    ],
    make: (r) => String(1024 + whole(r, 60_000)),
  },
  'a content id': {
    mask: '[content-id]',
    around: ['<img src="cid:{}">', 'url(cid:{})'],
    make: (r) => `${bytes(r, 4).toString('hex')}@acme.test`,
  },
}

describe.each(Object.entries(kinds))('%s', (_, { mask: wanted, around, make }) => {
  it.each(around)('is masked in %s', (text) => {
    const random = randomOf(15)
    for (let round = 0; round < 200; round++) {
      const value = make(random)
      const masked = mask(text.replace('{}', value))
      expect(masked, value).toBe(text.replace('{}', wanted))
      expect(mask(masked)).toBe(masked)
    }
  })
})

describe('one-time codes', () => {
  it.each(['{}', 'Your code is {}.', '<b>{}</b>', 'https://acme.test/c/{}/d', '"{}"'])(
    'are masked in %s',
    (text) => {
      const random = randomOf(3)
      for (let round = 0; round < 100; round++) {
        const code = String(100_000 + whole(random, 900_000))
        const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
        const masked = createMask([code])
        expect(masked(text.replace('{}', code))).toBe(text.replace('{}', '[code]'))
        expect(masked(text.replace('{}', spaced))).toBe(text.replace('{}', '[code]'))
      }
    },
  )

  it('are not masked in longer words', () => {
    expect(createMask(['4821'])('A48210 or 148213')).toBe('A48210 or 148213')
  })
})

it.each([
  'Your order of 3 of 5 books, 12.50 EUR, 1,234,567 points, version 1.12.30',
  'unsubscribeFromThisList confirm-your-email-address ALL-CAPITALS-IN-A-HEADING',
  'https://acme.test/confirm-your-email-address/2026/hero-image-600x400.png?utm_source=newsletter&page=2',
  'https://acme.test/de/willkommen-bei-acme?utm_campaign=spring_sale_2026',
  'https://acme.test:8443/a 10.20.30.40 http://10.0.0.1:8080',
  'Copyright 2026 Acme, 12 Main Street, +1 555 010 0199, you may reply',
  'font: 16px/1.5 -apple-system, BlinkMacSystemFont; color: #3f2a9c; width: 100%',
  'mcnTextContentContainer MsoNormalTable !important max-device-width',
])('%s is left as it is', (text) => {
  expect(mask(text)).toBe(text)
})

it('a user masks texts and patterns of their own', () => {
  const own = createMask([], ['A-1 (x)', /order \d+/i, /ab/y])
  expect(own('A-1 (x), Order 12, order 13, ab')).toBe('[masked], [masked], [masked], [masked]')
})

it('an image in the HTML is replaced by its checksum', () => {
  const image = randomBytes(300).toString('base64')
  expect(mask(`<img src="data:image/png;base64,${image}">`)).toMatch(
    /^<img src="data:image\/png;base64,\[sha256 [\da-f]{12}\]">$/,
  )
})

it.each([
  ['words', 'a'.repeat(1_000_000)],
  ['dots', 'a.'.repeat(500_000)],
  ['dashes', '-'.repeat(1_000_000)],
  ['digits', '1'.repeat(1_000_000)],
  ['dates', '1-'.repeat(500_000)],
  ['months', 'mon, may '.repeat(110_000)],
  ['addresses', 'http://'.repeat(140_000)],
  ['parameters', `http://a/?${'a=b&'.repeat(250_000)}`],
  ['images', 'data:image/png;base64,'.repeat(45_000)],
  ['content ids', 'cid:'.repeat(250_000)],
  ['spaces', ' '.repeat(1_000_000)],
  ['clocks', '1:11'.repeat(250_000)],
])('a megabyte of %s costs linear time', (_, text) => {
  const began = process.cpuUsage()
  mask(text)
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1000).toBeLessThan(3000)
})
