import { LocalpostError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'

/** The forms of dates, for messages. */
export const queryDateForms =
  'Give a day (2026-01-31 or 2026/01/31), a time (2026-01-31T14:30, with seconds and a zone if needed), or Unix time.'

/**
 * Reads a date of a search.
 *
 * @param zone  Of a date without a zone. Default: that of this process.
 * @returns Unix time in milliseconds, or null if the text is no date.
 */
export function readQueryDate(text: string, zone?: string): number | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  if (/^\d{13}$/.test(text)) return Number(text)
  const found = dateForm.exec(text)
  if (!found) return null
  const [y = 0, m = 0, d = 0, h = 0, min = 0, s = 0] = found.slice(1, 7).map((part) => Number(part || 0))
  // Otherwise the 30th of February would be the 2nd of March.
  const isDay = m >= 1 && m <= 12 && d >= 1 && d <= new Date(y, m, 0).getDate()
  if (!isDay || h > 23 || min > 59 || s > 59) return null
  const asUtc = Date.UTC(y, m - 1, d, h, min, s)
  if (found[7] !== undefined) return asUtc - offsetMs(found[7])
  if (zone === undefined) return new Date(y, m - 1, d, h, min, s).getTime()
  // The offset depends on the time that is looked for: estimate it, then correct it once.
  const first = asUtc - zoneOffsetMs(asUtc, zone)
  return asUtc - zoneOffsetMs(first, zone)
}

const dateForm =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)? ?(Z|[+-]\d{2}:?\d{2})?)?$/i

function offsetMs(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function zoneOffsetMs(time: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(time / 1000) * 1000
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const field = 'numeric'
  const fields = { year: field, month: field, day: field, hour: field, minute: field, second: field } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields })
  } catch {
    const message = `tz: ${quote(zone)} is not a time zone. Use a name such as Europe/Berlin.`
    throw new LocalpostError('invalid_query', message)
  }
}
