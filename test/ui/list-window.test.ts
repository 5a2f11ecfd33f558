import { describe, expect, it } from 'vitest'
import type { MailSummary } from '../../src/inbox/types.ts'
import type { ListRow } from '../../ui/views/inbox/conversations.ts'
import { afterHead, afterPage, movedBy, noRows, type ListWindow } from '../../ui/composables/list-window.ts'

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
    let loaded = rows(0, 100)
    for (let first = 100; first < 5000; first += 100)
      loaded = afterPage(loaded, rows(first, 100), { from: first, to: first + 20 })
    expect(loaded.emails.length).toBeLessThanOrEqual(600)
    expect(loaded.first).toBeLessThanOrEqual(4900)
    expect(loaded.first + loaded.emails.length).toBe(5000)
    expect(ids(loaded)[0]).toBe(`em_${loaded.first}`)
    for (let first = loaded.first - 100; first >= 0; first -= 100)
      loaded = afterPage(loaded, rows(first, 100), { from: first, to: first + 20 })
    expect(loaded.first).toBe(0)
    expect(loaded.emails.length).toBeLessThanOrEqual(600)
  })

  it('are as many as are in sight, where the rows in sight stand for more than the limit', () => {
    const grown = afterPage(rows(0, 600), rows(600, 100), { from: 0, to: 650 })
    expect(grown).toEqual(rows(0, 700))
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
})
