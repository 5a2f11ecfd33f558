/** What a Date field says. */
export interface DateField {
  /** Unix time in milliseconds; null if it is not valid. */
  time: number | null
  /** What is wrong with it, as sentences. */
  faults: string[]
}

/**
 * Reads the value of a Date field. White space may be left out where RFC 5322 allows that; the comma after the weekday may
 * be missing, because clients read such dates.
 *
 * @see RFC 5322 sections 3.3 and 4.3
 */
export function readDateField(written: string): DateField {
  const value = withoutComments(written.slice(0, longestField)).replaceAll(/\s+/g, ' ').trim()
  const found = dateForm.exec(value)?.groups
  if (!found) return { time: null, faults: ['The Date is not a valid date (RFC 5322).'] }
  const { weekday, day, monthName = '', year, hour, minute, second, zone = '', afterZone = '' } = found
  const month = months.indexOf(monthName.toLowerCase())
  if (month === -1) return invalid(`has the month ${monthName}, which does not exist`)
  // `Date.UTC` would take the years 0 to 99 as 1900 to 1999.
  const midnight = new Date(new Date(0).setUTCFullYear(Number(year), month, Number(day)))
  if (midnight.getUTCDate() !== Number(day) || midnight.getUTCMonth() !== month)
    return invalid(`names ${day} ${monthName} ${year}, a day that does not exist`)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 60)
    return invalid(
      `has the time ${hour}:${minute}${second === undefined ? '' : `:${second}`}, which does not exist`,
    )
  const offset = offsetOf(zone)
  if (offset === null)
    return invalid(
      `has the zone ${zone}, which ${/^[+-]/.test(zone) ? 'does not exist' : 'RFC 5322 does not define'}`,
    )
  const faults: string[] = []
  const named = weekdays[midnight.getUTCDay()] ?? ''
  if (weekday !== undefined && weekday.toLowerCase() !== named.toLowerCase())
    faults.push(`The Date has the weekday ${weekday}, but ${day} ${monthName} ${year} is a ${named}.`)
  if (afterZone.trim() !== '')
    faults.push(`The Date has text after the zone: ${afterZone.trim().slice(0, 60)}.`)
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second ?? 0)
  return { time: midnight.getTime() + (seconds - offset * 60) * 1000, faults }
}

const longestField = 1000
const dateForm =
  /^(?:(?<weekday>[a-z]{3}) ?,? ?)?(?<day>\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\d{4}) (?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2}))? (?<zone>[+-]\d{4}|[a-z]{1,5})(?![a-z\d])(?<afterZone>.*)$/i
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const weekdays = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

function invalid(why: string): DateField {
  return { time: null, faults: [`The Date ${why}.`] }
}

/** In minutes east of UTC; null if there is no such zone. */
function offsetOf(zone: string): number | null {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? []
  if (sign !== undefined) {
    const offset = Number(hours) * 60 + Number(minutes)
    // From Baker Island to Kiribati.
    const most = sign === '+' ? 14 * 60 : 12 * 60
    if (Number(minutes) > 59 || offset > most) return null
    return sign === '+' ? offset : -offset
  }
  return namedZones[zone.toUpperCase()] ?? null
}

/** RFC 5322 section 4.3. `Z` is the only letter whose meaning is not in doubt. */
const namedZones: Readonly<Record<string, number>> = {
  UT: 0,
  GMT: 0,
  UTC: 0,
  Z: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
}

/** Comments may nest. Text after a bracket that is not closed is no comment. */
function withoutComments(text: string): string {
  let value = text
  for (let depth = 0; depth < 10 && value.includes('('); depth++) value = value.replaceAll(/\([^()]*\)/g, ' ')
  return value
}
