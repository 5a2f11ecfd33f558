import { describe, expect, it } from 'vitest'
import { readCalendar } from '../../ui/views/inbox/calendar.ts'
import { workedMs } from '../support/own-time.ts'

const event = (...lines: string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    'UID:1',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')
const zone = (rule: string): string[] => [
  'BEGIN:VTIMEZONE',
  'TZID:Somewhere',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'TZOFFSETFROM:+0900',
  'TZOFFSETTO:+0900',
  `RRULE:${rule}`,
  'END:STANDARD',
  'END:VTIMEZONE',
]

describe('an invitation', () => {
  it('is read with its people, place and times as they are written', () => {
    const read = readCalendar(
      event(
        'SUMMARY:Design review\\, part 2',
        'DTSTART:20261203T140000Z',
        'DTEND:20261203T150000Z',
        'LOCATION:Room 4',
        'DESCRIPTION:One\\nTwo',
        'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4',
        'ORGANIZER;CN=Grace Hopper:mailto:grace@example.com',
        'ATTENDEE;CN=Ada;PARTSTAT=ACCEPTED:mailto:ada@example.com',
        'ATTENDEE:mailto:bob@example.com',
      ),
    )
    expect(read).toMatchObject({
      kind: 'Invitation',
      summary: 'Design review, part 2',
      when: expect.stringMatching(/^Thursday,? 3 December 2026, 14:00 to 15:00 \(UTC\)$/),
      location: 'Room 4',
      description: 'One\nTwo',
      repeats: 'Repeats every 2 weeks, 4 times',
      organizer: 'Grace Hopper (grace@example.com)',
      attendees: [
        { name: 'Ada', address: 'ada@example.com', status: 'accepted' },
        { name: '', address: 'bob@example.com', status: '' },
      ],
      moreEvents: 0,
    })
  })

  it('of whole days ends on its last day', () => {
    const days = (start: string, end: string): string =>
      readCalendar(event(`DTSTART;VALUE=DATE:${start}`, `DTEND;VALUE=DATE:${end}`))?.when.replaceAll(
        'day,',
        'day',
      ) ?? ''
    expect(days('20261203', '20261204')).toBe('Thursday 3 December 2026')
    expect(days('20261203', '20261206')).toBe('Thursday 3 December 2026 to Saturday 5 December 2026')
  })

  it('that is cancelled, or a reply, says so', () => {
    expect(readCalendar(event('STATUS:CANCELLED', 'DTSTART:20261203T140000'))?.kind).toBe('Cancelled')
    expect(readCalendar(event('DTSTART:20261203T140000').replace('REQUEST', 'REPLY'))?.kind).toBe(
      'Reply to an invitation',
    )
  })

  it('is null where there is none', () => {
    for (const text of ['', 'hello', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR', 'BEGIN:VEVENT\r\nSUMMARY'])
      expect(readCalendar(text), text).toBeNull()
  })

  it.each(['FREQ=SECONDLY', 'FREQ=YEARLY;BYSECOND=1,2,3;BYMINUTE=1,2', 'FREQ=DAILY'])(
    'with a time zone that repeats without end is read at once: %s',
    (rule) => {
      const text = event(
        'SUMMARY:x',
        'DTSTART;TZID=Somewhere:20261203T140000',
        'DTEND;TZID=Somewhere:20261203T150000',
      )
      const hostile = text.replace('BEGIN:VEVENT', [...zone(rule), 'BEGIN:VEVENT'].join('\r\n'))
      const before = workedMs()
      expect(readCalendar(hostile)?.when).toMatch(/14:00 to 15:00/)
      expect(workedMs() - before).toBeLessThan(500)
    },
  )
})
