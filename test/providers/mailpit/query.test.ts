import { describe, expect, it } from 'vitest'
import { toInboxQuery } from '../../../src/providers/mailpit/query.ts'
import { readQueryDate } from '../../../src/providers/mailpit/query-dates.ts'
import { readTerms } from '../../../src/search/query-terms.ts'

/** Searches of Mailpit, and what they become. */
const mapped: readonly (readonly [search: string, query: string])[] = [
  ['hello', '"hello"'],
  ['  two   words ', '"two" "words"'],
  ['"two words"', '"two words"'],
  ['-hello !world', '-"hello" -"world"'],
  ['-', '"-"'],
  ['from:ada@example.com', 'from:"ada@example.com"'],
  ['-FROM:Ada', '-from:"Ada"'],
  ['to:"Ada Lovelace"', 'to:"Ada Lovelace"'],
  ['"to:Ada Lovelace"', 'to:"Ada Lovelace"'],
  ['cc:eve reply-to:help message-id:abc@x', 'cc:"eve" reply-to:"help" message-id:"abc@x"'],
  ['subject:"Subject line" !tag:"Test tag 023"', 'subject:"Subject line" -tag:"Test tag 023"'],
  ['is:read -is:UNREAD', 'is:read -is:unread'],
  ['has:attachment !has:attachments', 'has:attachment -has:attachment'],
  ['larger:10k smaller:1.5MB larger:500', 'larger:10k smaller:1.5mb larger:500'],
  ['larger:"2 mb"', 'larger:2mb'],
  ['after:2026-01-31T14:30Z', 'after:2026-01-31T14:30:00.000Z'],
  ['after:1769869800', 'after:2026-01-31T14:30:00.000Z'],
  ['-before:"2026/01/31 14:30:05 +02:00"', '-before:2026-01-31T12:30:05.001Z'],
  ['code:7 is:odd', '"code:7" "is:odd"'],
  ['back\\slash', '"back\\\\slash"'],
  ['subject: hello', '"hello"'],
]

/** Searches that are refused, with a part of the reason. */
const refused: readonly (readonly [search: string, reason: string])[] = [
  ['', 'no search query'],
  ['   ', 'no search query'],
  ['from:', 'no search query'],
  ['is:tagged', 'is:tagged'],
  ['-has:inline', 'has:inline'],
  ['has:inlines', 'has:inlines'],
  ['bcc:ada', 'use to:'],
  ['!addressed:ada', 'use to: or from:'],
  ['after:yesterday', 'has no date'],
  ['before:2026-02-30', 'has no date'],
  ['larger:big', 'has no size'],
  ['x'.repeat(9000), '9000 characters'],
]

describe('a search of Mailpit', () => {
  it.each(mapped)('%s becomes one of the inbox', (search, query) => {
    expect(toInboxQuery(search)).toBe(query)
    expect(() => readTerms(query, 0)).not.toThrow()
  })

  it.each(refused)('%s is refused with a reason', (search, reason) => {
    expect(() => toInboxQuery(search)).toThrow(reason)
  })

  it('has the dates of its time zone, also near a change of clocks', () => {
    const at = (text: string, zone: string): string => new Date(readQueryDate(text, zone) ?? 0).toISOString()
    expect(at('2026-01-31', 'Pacific/Auckland')).toBe('2026-01-30T11:00:00.000Z')
    expect(at('2026-07-31 10:00', 'America/Chicago')).toBe('2026-07-31T15:00:00.000Z')
    expect(at('2026-03-29 01:30', 'Europe/Berlin')).toBe('2026-03-29T00:30:00.000Z')
    expect(at('2026-03-29 03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
    expect(at('9999-12-31T23:59', 'America/Chicago')).toBe('+010000-01-01T05:59:00.000Z')
    expect(at('9999-12-31T23:59', 'Pacific/Kiritimati')).toBe('9999-12-31T09:59:00.000Z')
    expect(at('0500-01-01', 'Etc/GMT-1')).toBe('0499-12-31T23:00:00.000Z')
    expect(readQueryDate('2026-01-31')).toBe(new Date(2026, 0, 31).getTime())
    expect(() => toInboxQuery('after:2026-01-31', 'Mars/Base')).toThrow('"Mars/Base" is not a time zone')
  })
})
