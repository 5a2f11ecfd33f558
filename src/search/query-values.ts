import { parseDuration } from '../core/duration.ts'

export const dateForms = 'a day (2026-01-31), a time (2026-01-31T14:30), or how long ago (30m, 2h, 3d, 1w)'

/**
 * Reads a date of a query; without a zone it is local time.
 *
 * @returns Unix time in milliseconds, or null if this is none.
 */
export function readDate(text: string, now: number): number | null {
  const ago = parseDuration(text.toLowerCase())
  if (ago !== null) return now - ago
  const form = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/i
  const [iso, year, month, day, time] = form.exec(text) ?? []
  if (iso === undefined) return null
  // Otherwise the 30th of February would be the 2nd of March.
  if (Number(day) > new Date(Number(year), Number(month), 0).getDate()) return null
  const at = new Date(time === undefined ? `${text}T00:00` : text.toUpperCase()).getTime()
  return Number.isNaN(at) ? null : at
}

export const sizeForms = 'bytes (500), or with k or mb (10k, 2mb; of 1,024)'

/** Reads a size of a query. @returns Bytes, or null if this is none. */
export function readSize(text: string): number | null {
  const size = /^(\d{1,9}(?:\.\d{1,3})?)(k|kb|m|mb|b)?$/i.exec(text)
  if (!size) return null
  const unit = (size[2] ?? 'b').charAt(0).toLowerCase()
  return Number(size[1]) * (bytesOfUnit[unit] ?? 1)
}

const bytesOfUnit: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 }
