/**
 * Writes a time as the helper `formatDate` does: `MMMM DD, YYYY h:mm:ss A`. In English.
 *
 * @param given  ISO 8601 text, in UTC where it names no zone, or Unix time in milliseconds.
 * @param format  What is no token stays as it is.
 * @param offset  The time zone, such as `-0800`. Default: UTC.
 * @returns Null if one of the three is not understood.
 */
export function formatDate(given: unknown, format: unknown, offset: unknown): string | null {
  const time = typeof given === 'number' ? given : typeof given === 'string' ? readIso(given) : Number.NaN
  const zone = zoneOf(offset)
  if (typeof format !== 'string' || zone === null || format.length > maxFormat) return null
  const [sign, hours, minutes] = zone
  const shift = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const at = new Date(time + shift * 60_000)
  if (Number.isNaN(at.getTime())) return null
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  const year = String(at.getUTCFullYear()).padStart(4, '0')
  const hour = at.getUTCHours() % 12 || 12
  const month = monthName.format(at)
  const day = dayName.format(at)
  const written: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(-2),
    MMMM: month,
    MMM: month.slice(0, 3),
    MM: twoDigits(at.getUTCMonth() + 1),
    M: String(at.getUTCMonth() + 1),
    DD: twoDigits(at.getUTCDate()),
    D: String(at.getUTCDate()),
    dddd: day,
    ddd: day.slice(0, 3),
    hh: twoDigits(hour),
    h: String(hour),
    HH: twoDigits(at.getUTCHours()),
    H: String(at.getUTCHours()),
    mm: twoDigits(at.getUTCMinutes()),
    m: String(at.getUTCMinutes()),
    ss: twoDigits(at.getUTCSeconds()),
    s: String(at.getUTCSeconds()),
    A: at.getUTCHours() < 12 ? 'AM' : 'PM',
    ZZ: `${sign}${hours}${minutes}`,
    Z: `${sign}${hours}:${minutes}`,
  }
  return format.replace(token, (name) => written[name] ?? name)
}

// The keys of the table in `formatDate`; a longer one before those that it begins with.
const token = /YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|hh|h|HH|H|mm|m|ss|s|A|ZZ|Z/g

const monthName = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })
const dayName = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' })

/** ISO 8601 without a zone is UTC, whatever the zone of this machine. NaN for any other text. */
function readIso(given: string): number {
  const [, day, time = 'T00:00', zone = 'Z'] = isoForm.exec(given) ?? []
  return day === undefined ? Number.NaN : Date.parse(day + time.replace(' ', 'T') + zone)
}

const isoForm = /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** How long a format may be. */
const maxFormat = 200

function zoneOf(offset: unknown): readonly [sign: string, hours: string, minutes: string] | null {
  if (offset === undefined) return ['+', '00', '00']
  const found = typeof offset === 'string' ? /^([+-])(\d\d):?(\d\d)$/.exec(offset) : null
  return found && [found[1] ?? '', found[2] ?? '', found[3] ?? '']
}
