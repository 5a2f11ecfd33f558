import ICAL from 'ical.js'

type Component = InstanceType<typeof ICAL.Component>
type Time = InstanceType<typeof ICAL.Time>

/** An event of an invitation, ready to be shown. */
export interface CalendarEvent {
  /** What the file is, in words: `Invitation`, `Cancelled`, `Reply to an invitation`, `Event` and so on. */
  kind: string
  summary: string
  description: string
  location: string
  /** In words: the times of the invitation with their time zone, and the reader's local times if they differ. */
  when: string
  whenHere: string
  repeats: string
  organizer: string
  attendees: { name: string; address: string; status: string }[]
  /** How many further people and events there are. */
  moreAttendees: number
  moreEvents: number
}

/**
 * Reads the first event of an iCalendar file.
 *
 * @returns null if there is none, or the file cannot be read.
 * @see RFC 5545
 */
export function readCalendar(text: string): CalendarEvent | null {
  try {
    const calendar = new ICAL.Component(ICAL.parse(text))
    dropCostlyZones(calendar)
    return toEvent(calendar)
  } catch {
    return null
  }
}

/** A time zone whose rule repeats every second would take forever to evaluate. Times without a zone stay as written. */
function dropCostlyZones(calendar: Component): void {
  for (const [at, zone] of calendar.getAllSubcomponents('vtimezone').entries()) {
    const rules = zone.getAllSubcomponents().flatMap((part) => part.getAllProperties('rrule'))
    const isYearly = rules.every((rule) => {
      const value: unknown = rule.getFirstValue()
      const {
        freq,
        interval = 1,
        ...parts
      } = Object(value) as { freq?: unknown; interval?: number; parts?: object }
      const named = Object.keys(parts.parts ?? {})
      return (
        freq === 'YEARLY' &&
        interval >= 1 &&
        named.every((name) => name === 'BYMONTH' || name === 'BYDAY' || name === 'BYMONTHDAY')
      )
    })
    if (!isYearly || rules.length > mostRules || at >= mostZones) calendar.removeSubcomponent(zone)
  }
}
const mostRules = 20
const mostZones = 20

function toEvent(calendar: Component): CalendarEvent | null {
  const events = calendar.getAllSubcomponents('vevent')
  const [first] = events
  if (!first) return null
  const event = new ICAL.Event(first)
  const method = textOf(calendar, 'method').toUpperCase()
  const isCancelled = method === 'CANCEL' || textOf(first, 'status').toUpperCase() === 'CANCELLED'
  const people = first.getAllProperties('attendee')
  const { startDate, endDate } = event
  return {
    kind: isCancelled ? 'Cancelled' : (kinds[method] ?? 'Event'),
    summary: event.summary ?? '',
    description: (event.description ?? '').slice(0, mostText),
    location: event.location ?? '',
    when: startDate ? spanWords(startDate, endDate) : '',
    whenHere: startDate ? hereWords(startDate, endDate) : '',
    repeats: repeatsOf(first),
    organizer: personOf(first.getFirstProperty('organizer')).label,
    attendees: people.slice(0, mostPeople).map((person) => {
      const { name, address } = personOf(person)
      const status = (person.getFirstParameter('partstat') ?? '').toUpperCase()
      return { name, address, status: statuses[status] ?? '' }
    }),
    moreAttendees: Math.max(0, people.length - mostPeople),
    moreEvents: events.length - 1,
  }
}

const kinds: Readonly<Record<string, string>> = {
  REQUEST: 'Invitation',
  REPLY: 'Reply to an invitation',
  COUNTER: 'Proposal of another time',
  PUBLISH: 'Event',
}
const statuses: Readonly<Record<string, string>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
  DELEGATED: 'delegated',
  'NEEDS-ACTION': 'no answer yet',
}
const mostText = 5000
const mostPeople = 50

type Property = ReturnType<Component['getFirstProperty']>

function personOf(property: Property): { name: string; address: string; label: string } {
  if (!property) return { name: '', address: '', label: '' }
  const address = String(property.getFirstValue() ?? '').replace(/^mailto:/i, '')
  const name = property.getFirstParameter('cn') ?? ''
  return { name, address, label: name && name !== address ? `${name} (${address})` : address }
}

function textOf(component: Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? '')
}

function repeatsOf(event: Component): string {
  const rule = event.getFirstPropertyValue('rrule')
  if (!rule || typeof rule !== 'object' || !('freq' in rule)) return ''
  const { freq, interval, count, until } = rule as {
    freq: string
    interval?: number
    count?: number
    until?: Time
  }
  const unit = units[freq.toUpperCase()]
  if (unit === undefined) return ''
  const every = interval && interval > 1 ? `every ${interval} ${unit}s` : `every ${unit}`
  const end = count ? `, ${count} times` : until ? `, until ${dayWords(until)}` : ''
  return `Repeats ${every}${end}`
}

const units: Readonly<Record<string, string>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
  HOURLY: 'hour',
}

/** The times as written, independent of the time zone of this machine. */
function spanWords(start: Time, end: Time | null): string {
  if (start.isDate) {
    // The end of an event of whole days is the day after its last day.
    const last = end?.clone()
    last?.adjust(-1, 0, 0, 0)
    return last && last.compare(start) > 0 ? `${dayWords(start)} to ${dayWords(last)}` : dayWords(start)
  }
  const zone = start.zone?.tzid && start.zone.tzid !== 'floating' ? ` (${start.zone.tzid})` : ''
  if (!end || end.compare(start) <= 0) return `${dayWords(start)}, ${clockWords(start)}${zone}`
  const isSameDay = dayWords(start) === dayWords(end)
  return `${dayWords(start)}, ${clockWords(start)} to ${isSameDay ? '' : `${dayWords(end)}, `}${clockWords(end)}${zone}`
}

/** The same in the reader's own zone; `""` for whole days and times without a zone. */
function hereWords(start: Time, end: Time | null): string {
  if (start.isDate || !start.zone?.tzid || start.zone.tzid === 'floating') return ''
  const here = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' })
  const [from, to] = [start.toJSDate(), end?.toJSDate() ?? start.toJSDate()]
  const words = here.formatRange(from, to)
  const isSame =
    from.getHours() === start.hour && from.getMinutes() === start.minute && from.getDate() === start.day
  return isSame ? '' : `${words} here`
}

function dayWords({ year, month, day }: Time): string {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.toLocaleDateString('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
}

function clockWords({ hour, minute }: Time): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
