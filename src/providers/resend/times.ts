import { z } from 'zod'
import { parseDuration } from '../../core/duration.ts'
import { quote } from '../../core/quote.ts'

/** What `scheduled_at` takes, for messages and documents. */
export const scheduledForms =
  'ISO 8601 with Z or an offset, or a span such as "in 5 min", "in 2 hours", "in 1 day"'

/**
 * Reads `scheduled_at`.
 *
 * @param now  What spans count from: Unix time in milliseconds.
 * @returns Unix time in milliseconds, or what is wrong.
 */
export function readScheduledAt(text: string, now: number): number | { problem: string } {
  const given = text.trim()
  const [, count = '', unit = ''] = span.exec(given) ?? []
  const aheadMs = parseDuration(count + unit.toLowerCase().charAt(0))
  if (aheadMs !== null) return now + aheadMs
  if (isoTime.safeParse(given).success) return Date.parse(given)
  return { problem: `must be ${scheduledForms}, not ${quote(text)}` }
}

const isoTime = z.iso.datetime({ offset: true })
// The first letter of a unit tells it apart, so months are not among them.
const span = /^in (\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/i

/**
 * How many days ahead an email may be scheduled. The core checks it, because the same request, repeated, must not be read in
 * another way.
 */
export const maxAheadDays = 30
