import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'

/** Spellings of one word. Each of them must find a mail that has any of the others. */
const words: Readonly<Record<string, readonly string[]>> = {
  'one character or two': ['Zo\u00eb', 'Zoe\u0308', 'ZO\u00cb'],
  'syllables or their letters': ['\ud55c\uae00', '\ud55c\uae00'.normalize('NFD')],
  'invisible characters': [
    'code\u00adword',
    'codeword',
    'code\u200bword',
    'co\u200cde\u200dword',
    '\ufeffcodeword\u2060',
  ],
  'the four letters i': ['\u0130STANBUL', 'istanbul', 'ISTANBUL', '\u0131stanbul'],
  'a sharp s': ['straße', 'STRASSE', 'STRA\u1e9eE'],
  'a sigma at the end': ['ΟΔΟΣ', 'οδος', 'οδοσ'],
  'wide and joined letters': ['ＯＦＦＩＣＥ', 'o\ufb03ce', 'Office'],
  'white space': ['two words', 'Two  \u00a0 words', 'two\u2003words'],
}

/** What is searched, and how a query names it. */
const places = [
  'subject',
  'from',
  'to',
  'cc',
  'reply-to',
  'body',
  'html',
  'filename',
  'header',
  'tag',
] as const
type Place = (typeof places)[number]

function queryOf(place: Place, word: string): string {
  if (place === 'header') return `header:x-note="${word}"`
  return `${place === 'html' ? 'body' : place}:"${word}"`
}

/** Whether words without a key are looked for in it. */
const isInWords = (place: Place): boolean => !['reply-to', 'filename', 'header', 'tag'].includes(place)

const encoded = (word: string): string => `=?utf-8?b?${Buffer.from(word).toString('base64')}?=`

function messageWith(place: Place, word: string): Buffer {
  const field = (name: string, own: Place, mailbox: string): string =>
    `${name}: ${place === own ? `${encoded(`Dr ${word}`)} ` : ''}<${mailbox}>`
  const isHtml = place === 'html'
  const lines = [
    field('From', 'from', 'a@x.test'),
    field('To', 'to', 'b@x.test'),
    field('Cc', 'cc', 'c@x.test'),
    field('Reply-To', 'reply-to', 'd@x.test'),
    `Subject: ${place === 'subject' ? encoded(`See ${word} now`) : 'plain'}`,
    ...(place === 'header' ? [`X-Note: ${encoded(`a ${word}`)}`] : []),
    ...(place === 'tag' ? [`X-Tags: ${encoded(word)}`] : []),
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    `Content-Type: text/${isHtml ? 'html' : 'plain'}; charset=utf-8`,
    '',
    place === 'body' || isHtml ? `See ${word} now` : 'plain',
    '--b',
    'Content-Type: text/csv',
    `Content-Disposition: attachment; filename="${place === 'filename' ? `a ${word}.csv` : 'a.csv'}"`,
    '',
    '1',
    '--b--',
    '',
  ]
  return Buffer.from(lines.join('\r\n'))
}

let post: Localpost
beforeAll(async () => {
  const shared = await startShared()
  post = shared.post
  return shared.end
})

const count = async (query: string): Promise<number> => (await post.inbox.list({ query })).count

/** One phrase of all words, in as many spellings as the word with the most. */
const phrases = Array.from(
  { length: Math.max(...Object.values(words).map(({ length }) => length)) },
  (_, nth) =>
    Object.values(words)
      .map((spellings) => spellings[nth % spellings.length] ?? '')
      .join(' '),
)
/** Tags are names: they are equal in any case and normal form. */
const tags = words['one character or two'] ?? []
const spellingsIn = (place: Place): readonly string[] => (place === 'tag' ? tags : phrases)

describe('a search for a text in another spelling', () => {
  const ids = new Map<Place, string[]>()
  beforeAll(async () => {
    for (const place of places) {
      const own: string[] = []
      for (const text of spellingsIn(place)) own.push((await post.inbox.import(messageWith(place, text))).id)
      ids.set(place, own)
    }
  })
  afterAll(() => post.reset())
  const idsOf = (...among: readonly Place[]): string[] =>
    among.flatMap((place) => ids.get(place) ?? []).sort()
  const found = async (query: string): Promise<string[]> =>
    (await post.inbox.list({ query, limit: 100 })).items.map(({ id }) => id).sort()
  const holdingWords = places.filter(isInWords)

  it.each(places)('finds it in %s, by its key, and leaves it out if negated', async (place) => {
    const among = places.filter(
      (one) => queryOf(one, '') === queryOf(place, '') || (place === 'to' && one === 'cc'),
    )
    for (const text of spellingsIn(place)) {
      const query = queryOf(place, text)
      expect(await found(query), query).toEqual(idsOf(...among))
      expect(await found(`-${query}`), query).toEqual(idsOf(...places.filter((one) => !among.includes(one))))
    }
  })

  it.each(Object.entries(words))('finds words and phrases without a key: %s', async (_, spellings) => {
    // The tag has the first word only, and is in no text.
    for (const text of spellings) {
      expect(await found(`"${text}"`), text).toEqual(idsOf(...holdingWords))
      expect(await found(`-"${text}"`), text).toHaveLength(
        idsOf(...places).length - idsOf(...holdingWords).length,
      )
      if (!/\s/.test(text)) expect(await found(text), text).toEqual(idsOf(...holdingWords))
    }
  })

  it.each(['subject', 'from', 'to', 'cc', 'body'] as const)('finds it by a member: %s', async (member) => {
    const wanted = idsOf(
      member,
      ...(member === 'to' ? (['cc'] as const) : member === 'body' ? (['html'] as const) : []),
    )
    for (const text of phrases) {
      const mails = await post.inbox.waitForCount({ [member]: text }, wanted.length)
      expect(mails.map(({ id }) => id).sort(), text).toEqual(wanted)
    }
  })
})

describe('the names of recipients', () => {
  const names = { to: 'Doe, Jane', cc: 'Café Owner', bcc: 'Quiet Reader' }
  const others = 'p@x.test, q@x.test, r@x.test, '
  beforeAll(async () => {
    await post.inbox.import(
      Buffer.from(
        `From: a@x.test\r\nTo: ${others}"${names.to}" <jj@x.test>\r\nCc: ${others}${encoded(names.cc)} <c@x.test>\r\nSubject: smtp\r\n\r\nx`,
      ),
    )
    await post.emails.send({
      from: 'a@x.test',
      to: [...others.split(', ').filter(Boolean), `"${names.to}" <jj@x.test>`],
      cc: `${names.cc} <c@x.test>`,
      bcc: `${names.bcc} <d@x.test>`,
      subject: 'api',
      text: 'x',
    })
  })

  it.each([
    ['to:doe', 2],
    ['doe', 2],
    ['"doe, jane"', 2],
    ['to:jj', 2],
    ['cc:CAFE\u0301', 2],
    ['to:"café owner"', 2],
    ['cc:doe', 0],
    ['to:quiet', 1],
    ['quiet', 1],
    ['-to:doe', 0],
    ['-quiet', 1],
    ['-doe', 0],
  ])('%s finds %i mails', async (query, wanted) => expect(await count(query)).toBe(wanted))

  it('are found by members and patterns, but a name is no mailbox', async () => {
    expect(await post.inbox.waitForCount({ to: 'doe' }, 2)).toHaveLength(2)
    expect(await post.inbox.waitForCount({ to: /Doe, Jane/ }, 2)).toHaveLength(2)
    expect(await post.inbox.waitForCount({ cc: 'café' }, 2)).toHaveLength(2)
    await post.inbox.import(Buffer.from('To: "ada@x.test" <eve@x.test>\r\nSubject: misled\r\n\r\nx'))
    await post.inbox.expectNone({ to: 'ada@x.test' }, { timeoutMs: 0 })
  })

  it('are listed for the first three addresses only', async () => {
    const { items } = await post.inbox.list({ query: 'doe' })
    expect(items.map(({ to_names }) => to_names)).toEqual([[], []])
  })
})
