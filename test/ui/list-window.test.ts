import { describe, expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import type { ListRow } from '../../ui/views/inbox/conversations.ts'
import {
  afterHead,
  afterPage,
  isWanted,
  type ListWindow,
  missingPart,
  movedBy,
  noRows,
  renewedPart,
} from '../../ui/composables/list-window.ts'

/** The rows of a list in which the mail `em_<n>` is at position `n`. */
function rows(first: number, count: number, shift = 0): ListWindow {
  const emails = Array.from({ length: count }, (_, at) => ({ id: `em_${first + at - shift}` }))
  return { first, emails: emails as MailSummary[] }
}
const ids = ({ emails }: ListWindow): string[] => emails.map(({ id }) => id)
const none = { from: 0, to: 0 }

describe('the loaded rows of a list', () => {
  it('grow by a page before or behind them, and give way to one elsewhere', () => {
    const loaded = rows(100, 50)
    expect(afterPage(loaded, rows(150, 10), none)).toEqual(rows(100, 60))
    expect(afterPage(loaded, rows(90, 10), none)).toEqual(rows(90, 60))
    expect(afterPage(loaded, rows(5000, 10), none)).toEqual(rows(5000, 10))
    expect(afterPage(noRows, rows(0, 10), none)).toEqual(rows(0, 10))
  })

  it('are not taken twice where mail arrived while a page was fetched', () => {
    const behind = afterPage(rows(0, 50), rows(50, 10, 3), none)
    expect(ids(behind)).toEqual(ids(rows(0, 57)))
    const before = afterPage(rows(50, 50), rows(40, 10, -2), none)
    expect(new Set(ids(before)).size).toBe(before.emails.length)
    expect(before.first + before.emails.length).toBe(100)
  })

  it('are limited to those around the rows in sight', () => {
    let loaded = rows(0, 500)
    for (let first = 500; first < 100_000; first += 500)
      loaded = afterPage(loaded, rows(first, 500), { from: first, to: first + 20 })
    expect(loaded.emails.length).toBeLessThanOrEqual(1500)
    expect(loaded.first).toBeLessThanOrEqual(99_500)
    expect(loaded.first + loaded.emails.length).toBe(100_000)
    expect(ids(loaded)[0]).toBe(`em_${loaded.first}`)
    for (let first = loaded.first - 500; first >= 0; first -= 500)
      loaded = afterPage(loaded, rows(first, 500), { from: first, to: first + 20 })
    expect(loaded.first).toBe(0)
    expect(loaded.emails.length).toBe(1500)
  })

  it('are as many as are in sight, where the rows in sight stand for more than the limit', () => {
    const grown = afterPage(rows(0, 1500), rows(1500, 100), { from: 0, to: 1550 })
    expect(grown).toEqual(rows(0, 1600))
  })

  it('keep older rows behind newest ones that are fetched again, or begin again', () => {
    const before = rows(0, 20).emails
    expect(afterHead(before, { emails: rows(0, 10, 2).emails, count: 22 })).toEqual(rows(0, 22, 2).emails)
    expect(afterHead(before, { emails: rows(0, 10, 500).emails, count: 520 })).toHaveLength(10)
    expect(afterHead(before, { emails: [], count: 0 })).toEqual([])
  })

  it('say how far the row in sight was moved', () => {
    expect(movedBy(rows(100, 50), rows(100, 50, 3), 120)).toBe(3)
    expect(movedBy(rows(100, 50), rows(100, 50, -4), 120)).toBe(-4)
    expect(movedBy(rows(100, 50), rows(300, 50, 0), 120)).toBeNull()
    // The row became a part of a conversation.
    const [first, ...rest] = rows(0, 50).emails
    const conversation = { subject: 'x', ids: ['em_0', 'em_20', 'em_21'], unread: 0 }
    const combined = [{ ...first, conversation } as ListRow, ...rest.slice(0, 19)]
    expect(movedBy(rows(0, 50), { first: 0, emails: combined }, 20)).toBe(-20)
  })

  it('say how far a place above them was moved by conversations that are loaded there', () => {
    const before = rows(1000, 50)
    const mails = rows(900, 150)
    // Ten rows of ten mails each.
    const combined = Array.from({ length: 10 }, (_, at) => {
      const held = ids(rows(900 + at * 10, 10))
      return { id: held[0], conversation: { subject: 'x', ids: held, unread: 0 } } as ListRow
    })
    const after = { first: 900, emails: [...combined, ...before.emails], mails }
    expect(movedBy(before, after, 1000)).toBe(-90)
    expect(movedBy(before, after, 955)).toBe(905 - 955)
    expect(movedBy(before, after, 900)).toBe(0)
    // It is still not loaded.
    expect(movedBy(before, after, 880)).toBe(0)
    // Where each row is one mail, mail that arrived moves the places above too.
    expect(movedBy(before, rows(1000, 50, 2), 990)).toBe(2)
  })
})

describe('the rows that are fetched', () => {
  const loaded = rows(1000, 100)
  it.each([
    ['none, where all are loaded', { from: 1000, to: 1099 }, null],
    ['none, where none is wanted', { from: 40, to: 20 }, null],
    ['a page below', { from: 1080, to: 1100 }, { offset: 1100, limit: 100 }],
    ['a page above', { from: 999, to: 1020 }, { offset: 900, limit: 100 }],
    ['as many as a fast scroll needs, below', { from: 1080, to: 1400 }, { offset: 1100, limit: 320 }],
    ['as many as a fast scroll needs, above', { from: 700, to: 1020 }, { offset: 680, limit: 320 }],
    ['at most a page of the largest size, below', { from: 1080, to: 9000 }, { offset: 1100, limit: 500 }],
    ['at most a page of the largest size, above', { from: 0, to: 1020 }, { offset: 500, limit: 500 }],
    ['those that were passed too, below', { from: 1200, to: 1230 }, { offset: 1100, limit: 131 }],
    ['those that were passed too, above', { from: 850, to: 880 }, { offset: 850, limit: 150 }],
    ['those around a place elsewhere', { from: 5000, to: 5030 }, { offset: 4970, limit: 91 }],
    ['those around a place above', { from: 20, to: 50 }, { offset: 0, limit: 81 }],
  ])('are %s', (_, wanted, part) => expect(missingPart(loaded, wanted)).toEqual(part))

  it('are the first ones, where none is loaded', () => {
    expect(missingPart(noRows, { from: 0, to: 20 })).toEqual({ offset: 0, limit: 100 })
  })

  it('stay wanted while they are near the rows in sight', () => {
    const part = { offset: 100, limit: 50 }
    const near = [90, 100, 149, 150].map((from) => isWanted(part, { from, to: from + 10 }))
    expect(near).toEqual([true, true, true, false])
    expect(isWanted(part, { from: 80, to: 99 })).toBe(false)
  })

  it('are after a change all that are loaded, or a page around those in sight', () => {
    const sight = { from: 1000, to: 1020 }
    expect(renewedPart(rows(900, 200), sight)).toEqual({ offset: 900, limit: 200 })
    expect(renewedPart(rows(500, 1500), sight)).toEqual({ offset: 760, limit: 500 })
    expect(renewedPart(rows(950, 1500), sight)).toEqual({ offset: 950, limit: 500 })
    expect(renewedPart(rows(0, 1040), sight)).toEqual({ offset: 540, limit: 500 })
    // Conversations in sight hold more mails than one page has.
    expect(renewedPart(rows(0, 1500), { from: 0, to: 1200 })).toEqual({ offset: 701, limit: 500 })
    expect(renewedPart(rows(0, 1500), { from: 200, to: 699 })).toEqual({ offset: 199, limit: 500 })
    expect(renewedPart(rows(0, 1500), { from: 0, to: 9000 })).toEqual({ offset: 1000, limit: 500 })
    expect(renewedPart(noRows, { from: 0, to: -1 })).toEqual({ offset: 0, limit: 1 })
  })
})
