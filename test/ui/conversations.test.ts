import { describe, expect, it } from 'vitest'
import type { ListedMail } from '../../src/inbox/types.ts'
import { searchOf } from '../../ui/views/inbox/broadcast-list.ts'
import { foldConversations as fold } from '../../ui/views/inbox/conversations.ts'
import { excerptOf } from '../../ui/views/inbox/excerpts.ts'
import { addressesOf, recipientsOf, sumOf } from '../../ui/views/inbox/row-words.ts'
import { recipientIn } from '../../ui/views/inbox/recipient-in.ts'

const foldConversations = (
  window: Parameters<typeof fold>[0],
  isPicked: (id: string) => boolean = () => false,
): ReturnType<typeof fold> => fold(window, isPicked)

function mail(
  id: string,
  subject: string,
  from: string,
  to: string[],
  unread = false,
  header: Pick<ListedMail, 'thread' | 'is_answer'> = { is_answer: false },
): ListedMail {
  return {
    ...header,
    id,
    from,
    to,
    to_names: [],
    subject,
    snippet: '',
    received: 0,
    size_bytes: 1,
    unread,
    tags: [],
    attachment_count: 0,
    source: 'smtp',
    last_event: { recipient: 'a@acme.test', status: 'sent', timestamp: 0 },
    outcomes: {},
  }
}

it('mails of the same people and subject are one row, once one of them is an answer', () => {
  const emails = [
    mail('f', 'AW: Re[2]: My order', 'Ada <ADA@acme.test>', ['bob@acme.test']),
    mail('e', 'Your code', 'shop@acme.test', ['ada@acme.test']),
    mail('d', 'Re: my order', 'bob@acme.test', ['ada@acme.test'], true),
    mail('c', 'Re: My order', 'eve@acme.test', ['ada@acme.test']),
    mail('b', 'Your code', 'shop@acme.test', ['ada@acme.test']),
    mail('a', 'My order', 'ada@acme.test', ['bob@acme.test']),
  ]
  const { window, positions, hidden, rowOf } = foldConversations({ first: 10, emails })
  expect(window.first).toBe(10)
  expect(window.emails.map(({ id }) => id)).toEqual(['f', 'e', 'c', 'b'])
  expect(window.emails[0]?.conversation).toMatchObject({
    subject: 'My order',
    ids: ['f', 'd', 'a'],
    unread: 1,
  })
  expect(window.emails.slice(1).some(({ conversation }) => conversation)).toBe(false)
  expect(positions).toEqual([10, 11, 13, 14])
  expect(hidden).toEqual([12, 15])
  expect([...rowOf]).toEqual([
    ['d', 'f'],
    ['a', 'f'],
  ])
})

describe('by the headers', () => {
  const of = (id: string, subject: string, thread: string | undefined, is_answer: boolean): ListedMail =>
    mail(id, subject, `${id}@acme.test`, ['ada@acme.test'], false, { thread, is_answer })
  const rowsOf = (emails: ListedMail[]): (string | string[])[] =>
    foldConversations({ first: 0, emails }).window.emails.map(
      ({ id, conversation }) => conversation?.ids ?? id,
    )

  it('mails that name the same first message are one row, whatever their subjects', () => {
    expect(
      rowsOf([
        of('d', 'A new subject', 't1', true),
        of('c', 'My order', 't2', false),
        of('b', 'Re: My order', 't1', true),
        of('a', 'My order', 't1', false),
      ]),
    ).toEqual([['d', 'b', 'a'], 'c'])
  })

  it('mails that no address links stay apart, whatever their headers name', () => {
    const one = (id: string, from: string, to: string, is_answer = true): ListedMail =>
      mail(id, `Subject ${id}`, from, [to], false, { thread: 't1', is_answer })
    expect(
      rowsOf([one('b', 'eve@evil.test', 'bob@acme.test'), one('a', 'shop@acme.test', 'ada@acme.test')]),
    ).toEqual(['b', 'a'])
    // Bounces have no sender.
    expect(rowsOf([one('b', '', 'bob@acme.test'), one('a', '', 'ada@acme.test')])).toEqual(['b', 'a'])
    // The oldest one links the first two.
    const linked = [
      one('d', 'Ada <ADA@acme.test>', 'bob@acme.test'),
      one('c', 'eve@acme.test', 'fay@acme.test'),
      one('b', 'x@acme.test', 'y@acme.test'),
      one('a', 'eve@acme.test', 'ada@acme.test', false),
    ]
    expect(rowsOf(linked)).toEqual([['d', 'c', 'a'], 'b'])
  })

  it('answers to different messages stay apart, also with one subject and the same people', () => {
    const one = (id: string, thread: string, is_answer = true): ListedMail =>
      mail(id, 'Re: My order', 'bob@acme.test', ['ada@acme.test'], false, { thread, is_answer })
    expect(rowsOf([one('b', 't1'), one('a', 't2')])).toEqual(['b', 'a'])
    // The third one, whose header names none, may belong to either.
    const both = [one('e', 't3', false), one('d', 't1'), one('c', 't2'), one('b', 't1'), one('a', 't2')]
    expect(rowsOf(both)).toEqual(['e', ['d', 'b'], ['c', 'a']])
  })

  it('an answer whose header names none belongs to the conversation of its subject and people', () => {
    const order = (id: string, subject: string, thread: string | undefined, is_answer = false): ListedMail =>
      mail(id, subject, 'bob@acme.test', ['ada@acme.test'], false, { thread, is_answer })
    expect(
      rowsOf([
        order('c', 'Re: My order', 't3'),
        order('b', 'Re: My order', 't1', true),
        order('a', 'My order', 't1'),
      ]),
    ).toEqual([['c', 'b', 'a']])
    // Mails that were stored before headers were read for this.
    expect(rowsOf([order('b', 'Re: My order', undefined), order('a', 'My order', undefined)])).toEqual([
      ['b', 'a'],
    ])
  })

  it('an answer to an answer that names only this belongs to the one conversation of its subject and people', () => {
    const one = (id: string, subject: string, thread: string, is_answer = true): ListedMail =>
      mail(id, subject, 'bob@acme.test', ['ada@acme.test'], false, { thread, is_answer })
    const first = [one('b', 'Re: My order', 't1'), one('a', 'My order', 't1', false)]
    expect(rowsOf([one('d', 'Re: My order', 't3'), one('c', 'Re: My order', 't2'), ...first])).toEqual([
      ['d', 'c', 'b', 'a'],
    ])
  })

  it('the same message twice is no conversation', () => {
    expect(rowsOf([of('b', 'Hello', 't1', false), of('a', 'Hello', 't1', false)])).toEqual(['b', 'a'])
  })
})

it('a mail without a subject, and the row of a broadcast, belong to no conversation', () => {
  const broadcast = { id: 'bc_1', subject: 'Re: News', emails: 3, unread: 0, outcomes: {} }
  const emails = [
    { ...mail('d', 'Re: News', 'a@acme.test', ['b@acme.test']), broadcast },
    mail('c', 'News', 'a@acme.test', ['b@acme.test']),
    mail('b', 'Re:', 'a@acme.test', ['b@acme.test']),
    mail('a', '', 'a@acme.test', ['b@acme.test']),
  ]
  expect(foldConversations({ first: 0, emails }).hidden).toEqual([])
})

it('a row says whom all its mails are for, and what came of them', () => {
  const emails = [
    {
      ...mail('c', 'Re: My order', 'bob@acme.test', ['ADA@acme.test', 'eve@acme.test']),
      outcomes: { delivered: 2 },
    },
    {
      ...mail('b', 'Re: My order', 'ada@acme.test', ['bob@acme.test', 'eve@acme.test']),
      outcomes: { bounced: 1, delivered: 1 },
    },
    {
      ...mail('a', 'My order', 'eve@acme.test', ['bob@acme.test', 'ada@acme.test']),
      to_names: ['Bob', 'Ada'],
    },
  ]
  const [row] = foldConversations({ first: 0, emails }).window.emails
  const sum = row?.conversation && sumOf(row.conversation)
  expect(sum).toEqual({
    to: ['ADA@acme.test', 'eve@acme.test', 'bob@acme.test'],
    to_names: ['Ada', '', 'Bob'],
    outcomes: { delivered: 3, bounced: 1 },
  })
  expect(sum && recipientsOf(sum)).toBe('Ada +2')
  expect(sum && addressesOf(sum)).toBe('Ada <ADA@acme.test>\neve@acme.test\nBob <bob@acme.test>')
})

it('a row opens the mails that it counts, and none of other people about the same subject', () => {
  const emails = [
    mail('c', 'Re: My order', 'bob@acme.test', ['ada@acme.test']),
    mail('b', 'My order', 'eve@acme.test', ['bob@acme.test']),
    mail('a', 'My order', 'ada@acme.test', ['bob@acme.test']),
  ]
  const [row, other] = foldConversations({ first: 0, emails }).window.emails
  expect(row && searchOf(row)).toBe('id:c,a')
  expect(other && searchOf(other)).toBe(null)
})

it('a conversation with a picked mail stays apart', () => {
  const emails = [
    mail('d', 'Re: My order', 'bob@acme.test', ['ada@acme.test']),
    mail('c', 'Re: Other', 'bob@acme.test', ['ada@acme.test']),
    mail('b', 'Other', 'ada@acme.test', ['bob@acme.test']),
    mail('a', 'My order', 'ada@acme.test', ['bob@acme.test']),
  ]
  expect(foldConversations({ first: 0, emails }, (id) => id === 'a').hidden).toEqual([2])
  expect(foldConversations({ first: 0, emails }).hidden).toEqual([2, 3])
})

it('a row holds at most 50 mails, and the older ones are the next row', () => {
  const emails = Array.from({ length: 121 }, (_, at) =>
    mail(`em_${999 - at}`, at === 0 ? 'Re: Welcome' : 'Welcome', 'noreply@acme.test', ['ada@acme.test']),
  )
  const { window, hidden, positions } = foldConversations({ first: 0, emails })
  expect(window.emails.map(({ conversation }) => conversation?.ids.length)).toEqual([50, 50, 21])
  expect(positions).toEqual([0, 50, 100])
  expect(hidden).toHaveLength(118)
})

it('people are compared once per mail, and not more than 20 of them', () => {
  let reads = 0
  const to = Array.from({ length: 500 }, (_, at) => `user${at}@acme.test`)
  const emails = Array.from({ length: 40 }, (_, at) => {
    const one = mail(`em_${99 - at}`, 'Re: News', 'ada@acme.test', [])
    return Object.defineProperty(one, 'to', { get: () => (reads++, to), enumerable: true })
  })
  foldConversations({ first: 0, emails })
  const once = reads
  // A row is a copy of its mail.
  expect(once).toBeLessThanOrEqual(41)
  foldConversations({ first: 0, emails })
  expect(reads - once).toBeLessThanOrEqual(1)
})

it('an excerpt begins with a word near what was found, in one line', () => {
  const text = `${'before '.repeat(20)}\n the   Courier\n is here ${'after '.repeat(60)}`
  const excerpt = excerptOf(text, ['courier']) ?? ''
  expect(excerpt).toMatch(/^…before before the Courier is here after/)
  expect(excerpt.length).toBeLessThan(250)
  expect(excerptOf('Courier first', ['courier'])).toBe('Courier first')
  expect(excerptOf(`${'x'.repeat(2000)}courier`, ['courier'])).toMatch(/^…x+courier$/)
  expect(excerptOf('nothing', ['courier'])).toBe(null)
})

it('the recipient of a search is known by its key, or as an address alone', () => {
  for (const [search, recipient] of [
    ['to:ada@example.com', 'ada@example.com'],
    ['is:unread To:"ada lovelace" x', 'ada lovelace'],
    ['cc:eve', 'eve'],
    ['ada@example.com', 'ada@example.com'],
    ['-to:ada', null],
    ['invoice', null],
    ['from:ada@example.com', null],
    ['reply-to:ada@example.com', null],
    ['', null],
  ] as const)
    expect(recipientIn(search), search).toBe(recipient)
})
