import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCalendarMethods } from '../../src/checks/calendars.ts'
import { createLocalpost } from '../../src/instance/create.ts'
import type { Localpost } from '../../src/index.ts'

let post: Localpost
beforeAll(async () => {
  post = await createLocalpost()
})
afterAll(() => post.close())

const encoded = (text: string): string => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`
const quotedEncoded = (text: string): string =>
  `=?utf-8?q?${text.replaceAll(/[^A-Za-z0-9]/g, (one) => `=${one.charCodeAt(0).toString(16).toUpperCase()}`)}?=`

async function checked(check: string, lines: readonly string[], body = 'x') {
  const mail = await post.inbox.import(Buffer.from([...lines, '', body, ''].join('\r\n')))
  const { findings } = await post.inbox.check(mail.id)
  const said = findings
    .filter(({ id }) => id === check)
    .map(({ severity, message }) => `${severity}: ${message}`)
  return { mail: await post.inbox.get(mail.id), said }
}

describe('encoded words where receivers do not decode them', () => {
  const structured: Readonly<Record<string, string>> = {
    'Message-ID': '<one@acme.test>',
    Date: 'Mon, 05 Jan 2026 10:00:00 +0000',
    References: '<one@acme.test> <two@acme.test>',
    'In-Reply-To': '<one@acme.test>',
    'Return-Path': '<a@acme.test>',
    'Resent-Date': 'Mon, 05 Jan 2026 10:00:00 +0000',
    'Resent-Message-ID': '<one@acme.test>',
    'MIME-Version': '1.0',
    'List-Unsubscribe': '<https://acme.test/u>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'List-Help': '<https://acme.test/h>',
    'List-Subscribe': '<https://acme.test/s>',
    'List-Post': 'NO',
    'List-Owner': '<mailto:o@acme.test>',
    'List-Archive': '<https://acme.test/a>',
  }
  it.each(Object.entries(structured))(
    'are reported in %s, whose value stays as written',
    async (name, value) => {
      for (const word of [encoded(value), quotedEncoded(value)]) {
        const { mail, said } = await checked('encoded-words', [`${name}: ${word}`])
        expect(said).toContain(
          `error: Receivers do not decode the encoded words in ${name} (RFC 2047 section 5).`,
        )
        expect(mail.headers.find(([field]) => field === name)?.[1]).toBe(word)
        expect(mail.list_unsubscribe).toBeNull()
      }
      expect((await checked('encoded-words', [`${name}: ${value}`])).said).toEqual([])
    },
  )

  const addresses = [
    'From',
    'Sender',
    'Reply-To',
    'To',
    'Cc',
    'Resent-From',
    'Resent-To',
    'Resent-Cc',
    'List-ID',
  ]
  it.each(addresses)('are reported in an address of %s, and not in a name or comment', async (name) => {
    const wrong = [
      quotedEncoded('ada@x.test'),
      `<${encoded('ada@x.test')}>`,
      `Ada <${encoded('ada')}@x.test>`,
      `bob@x.test, ${encoded('Ada <ada@x.test>')}`,
    ]
    for (const value of wrong)
      expect((await checked('encoded-words', [`${name}: ${value}`])).said, value).toContain(
        `error: Receivers do not decode the encoded words in an address of ${name} (RFC 2047 section 5).`,
      )
    const right = [
      `${encoded('Ada, née @ B')} <ada@x.test>, bob@x.test (${encoded('Bob')})`,
      `${encoded('Team')}: a@x.test;`,
    ]
    for (const value of right)
      expect((await checked('encoded-words', [`${name}: ${value}`])).said, value).toEqual([])
  })

  it('the wrong Message-ID, Date and List-Unsubscribe are no valid ones', async () => {
    const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'
    const off = await checked('list-unsubscribe', [
      `List-Unsubscribe: ${quotedEncoded('<https://acme.test/u>')}`,
      post,
    ])
    expect(off.mail.list_unsubscribe).toBeNull()
    expect(off.said).toEqual([
      'warning: List-Unsubscribe has encoded words, which receivers do not decode in this field (RFC 2047 section 5), so clients offer no unsubscription.',
    ])
    expect((await checked('message-id', [`Message-ID: ${encoded('<a@x.test>')}`])).said).toEqual([
      'warning: The Message-ID is not of the form <name@domain>.',
    ])
    expect((await checked('date', [`Date: ${encoded('Mon, 05 Jan 2026 10:00:00 +0000')}`])).said).toEqual([
      'warning: The Date is not a valid date (RFC 5322).',
    ])
  })
})

describe('List-Unsubscribe', () => {
  const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click'
  const https = 'List-Unsubscribe: <https://x.test/u>'
  it.each<[string[], string[]]>([
    [
      ['List-Unsubscribe: https://x.test/u', post],
      [
        'warning: List-Unsubscribe has no address in angle brackets (RFC 2369 section 2), so clients offer no unsubscription.',
      ],
    ],
    [
      ['List-Unsubscribe: <ftp://x.test/u>', post],
      [
        'warning: List-Unsubscribe has neither an https nor a mailto address, so clients offer no unsubscription.',
      ],
    ],
    [
      ['List-Unsubscribe:', post],
      [
        'warning: List-Unsubscribe has no address in angle brackets (RFC 2369 section 2), so clients offer no unsubscription.',
      ],
    ],
    [
      [https, 'List-Unsubscribe: <mailto:u@x.test>', post],
      ['warning: The field List-Unsubscribe occurs 2 times; RFC 2369 section 3.2 allows one.'],
    ],
    [
      [https, post, post],
      ['warning: The field List-Unsubscribe-Post occurs 2 times; RFC 8058 section 3.1 allows one.'],
    ],
    [
      ['List-Unsubscribe: <mailto:u@x.test>', post],
      [
        'warning: List-Unsubscribe-Post needs an https address in List-Unsubscribe, which has a mailto address only (RFC 8058 section 3.1).',
      ],
    ],
    [
      [https, 'List-Unsubscribe-Post: one-click'],
      ['warning: List-Unsubscribe-Post is not `List-Unsubscribe=One-Click` (RFC 8058 section 3.1).'],
    ],
    [
      [https],
      [
        'note: The mail has List-Unsubscribe without List-Unsubscribe-Post, so Gmail and Yahoo offer no unsubscription with one click.',
      ],
    ],
    [[post], ['warning: The mail has List-Unsubscribe-Post without List-Unsubscribe.']],
    [
      ['List-Unsubscribe: <http://x.test/u>', post],
      ['warning: The address in List-Unsubscribe is not https.'],
    ],
    [['List-Unsubscribe: <mailto:u@x.test>, <https://x.test/u>', post], []],
    [['Subject: x'], []],
  ])('%j gives %j', async (lines, expected) => {
    expect((await checked('list-unsubscribe', lines)).said).toEqual(expected)
  })
})

describe('the method of a calendar', () => {
  const mail = (type: string, calendar: readonly string[]): string[] => [
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Meet',
    '--b',
    'Content-Transfer-Encoding: base64',
    `Content-Type: text/calendar; charset=utf-8${type}`,
    '',
    Buffer.from(['BEGIN:VCALENDAR', ...calendar, 'END:VCALENDAR'].join('\r\n')).toString('base64'),
    '--b--',
  ]
  it.each<[string, string[], string | null]>([
    [
      '; method=REPLY',
      ['METHOD:REQUEST'],
      'warning: The part of the calendar has method=REPLY, but the calendar has METHOD:REQUEST.',
    ],
    [
      '',
      ['METHOD:REQUEST'],
      'warning: The calendar has METHOD:REQUEST, but its part has no parameter method.',
    ],
    [
      ';\r\n method="CANCEL"',
      [],
      'warning: The part of the calendar has method=CANCEL, but the calendar has no METHOD.',
    ],
    ['; method=request', ['VERSION:2.0', 'METHOD:REQ', ' UEST'], null],
    ['', [], null],
  ])('%j with %j: %s', async (type, calendar, expected) => {
    expect((await checked('calendar-method', mail(type, calendar), '')).said).toEqual(
      expected === null ? [] : [expected],
    )
  })

  it('is read where lines end with CR', () => {
    const message =
      'From: a@b.test\rContent-Type: text/calendar; method=reply\r\rBEGIN:VCALENDAR\rMETHOD:REPLY\r'
    expect(readCalendarMethods(Buffer.from(message))).toEqual([{ parameter: 'REPLY', property: 'REPLY' }])
  })
})
