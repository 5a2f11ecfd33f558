import { quote } from '../../core/quote.ts'

/** What `o:deliverytime` takes, for messages and documents. */
export const timeForms = 'RFC 2822 such as "Thu, 26 Nov 2026 09:00:00 +0000", or Unix time in seconds'

/** Reads `o:deliverytime`. @returns Unix time in milliseconds, as `now`; or what is wrong. */
export function readDeliveryTime(given: string, now: number): number | { problem: string } {
  const at = readMailgunTime(given)
  if (at === null) return { problem: `must be ${timeForms}, not ${quote(given)}` }
  if (at > now + maxAheadMs) return { problem: `must be at most 7 days ahead, not ${quote(given)}` }
  return at
}

/** Reads a time in one of these forms: Unix time in milliseconds; null for any other text. */
export function readMailgunTime(given: string): number | null {
  const text = given.trim()
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Math.floor(Number(text) * 1000)
  const [, date = '', day] = rfc2822.exec(text) ?? []
  // Otherwise the 30th of February would be the 2nd of March.
  if (new Date(`${date} UTC`).getUTCDate() !== Number(day)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at)
}

const rfc2822 =
  /^(?:[a-z]{3}, ?)?((\d{1,2}) [a-z]{3} \d{4}) (?:[01]\d|2[0-3]):\d{2}(?::\d{2})? (?:[+-]\d{4}|[ecmp][sd]t|utc?|gmt)$/i
const maxAheadMs = 7 * 86_400_000
