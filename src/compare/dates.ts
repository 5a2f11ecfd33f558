/** The languages in which dates are known. */
const locales = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'nb', 'fi', 'pl', 'cs']

/** The result of the first {@link dateMasks}, which never changes. */
let patterns: readonly [pattern: RegExp, mask: string][] | undefined

/**
 * Dates and times as they are written in mails, each with its mask. Made at the first call: it looks up the names of
 * the months in each language.
 */
export function dateMasks(): readonly [pattern: RegExp, mask: string][] {
  return (patterns ??= makeMasks())
}

function makeMasks(): readonly [pattern: RegExp, mask: string][] {
  const { months, weekdays } = names()
  // A dot at the end of an abbreviation, not of the sentence.
  const dot = '(?:\\.(?=,? ?[\\d\\p{L}]))?'
  const month = `(?:${months.join('|')})(?!\\p{L})${dot}`
  const weekday = `(?:(?<!\\p{L})(?:${weekdays.join('|')})(?!\\p{L})${dot},? )?`
  const ordinal = '(?:st|nd|rd|th|er|[ºª])?'
  const year = '(?:,? (?:de |del )?(?:19|20)\\d\\d)'
  const clock = '\\d{1,2}:\\d\\d(?::\\d\\d)?(?: ?(?:[ap]m\\b|[ap]\\.m\\.))?'
  const zone = '(?: ?(?:[+-]\\d\\d:?\\d\\d|UTC|GMT|Z)\\b)?'
  const time = `(?:,? (?:at |um |à )?${clock}${zone})?`
  const numeric = [
    '\\d{1,2}([./-])\\d{1,2}\\1(?:19|20)\\d\\d',
    '\\d{1,2}/\\d{1,2}/\\d\\d',
    '\\d\\d\\.\\d\\d\\.\\d\\d',
  ].join('|')
  const iso = `\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?${zone})?`
  return [
    // 2026-03-01T09:30:00.000Z
    [new RegExp(`(?<![\\d-])${iso}(?![\\d-])`, 'g'), '[date]'],
    // Sunday, 1st of March 2026 at 9:30 UTC; Sonntag, 1. März 2026 um 9:30
    [
      new RegExp(`${weekday}(?<!\\d)\\d{1,2}${ordinal}\\.?,? (?:of |de |d')?${month}${year}?${time}`, 'giu'),
      '[date]',
    ],
    // Sun, Mar 1, 2026, 9:30 a.m.
    [
      new RegExp(`${weekday}(?<!\\p{L})${month} \\d{1,2}${ordinal}(?![\\d:])${year}?${time}`, 'giu'),
      '[date]',
    ],
    // 01.03.2026, 3/1/2026 9:30 pm, 3/1/26, 01.03.26
    [new RegExp(`${weekday}(?<![\\d./-])(?:${numeric})(?![\\d/-]|\\.\\d)${time}`, 'giu'), '[date]'],
    // 9:30, 09:30:15 +01:00
    [new RegExp(`(?<![\\d.:\\]])${clock}${zone}(?![\\d:])`, 'gi'), '[time]'],
  ]
}

/** The names of months and weekdays, in the case of their language; the longest first. */
function names(): { months: string[]; weekdays: string[] } {
  // English has two short names of September; Intl gives "Sep".
  const months = new Set(['Sept'])
  const weekdays = new Set<string>()
  for (const locale of locales) {
    // Short names of other languages are also words of this one: "out", "set".
    const styles = locale === 'en' ? (['long', 'short'] as const) : (['long'] as const)
    for (const style of styles) {
      const format = new Intl.DateTimeFormat(locale, {
        day: 'numeric',
        month: style,
        weekday: style,
        timeZone: 'UTC',
      })
      // Steps of 13 days meet each month, and each day of the week.
      for (let day = 0; day < 365; day += 13) {
        for (const { type, value } of format.formatToParts(Date.UTC(2026, 0, 2 + day))) {
          const found = type === 'month' ? months : type === 'weekday' ? weekdays : null
          // Shorter ones are also words. The dot of an abbreviation is matched with it, not as a part of it.
          if (/^[\p{L}-]{3,}$/u.test(value)) found?.add(value)
        }
      }
    }
  }
  // The first that fits is taken: "Sept" must not hide "September".
  const longestFirst = (all: Set<string>): string[] => [...all].toSorted((a, b) => b.length - a.length)
  return { months: longestFirst(months), weekdays: longestFirst(weekdays) }
}
