import { z } from 'zod'
import { quote } from '../../core/quote.ts'

/** A time in a query. @param edge  What a day stands for: its start or its end. */
export function queryTime(edge: 'start' | 'end'): z.ZodType<number | undefined> {
  return z
    .string()
    .transform((text, context) => {
      const time = readTime(text, edge)
      if (time !== null) return time
      const message = `must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00, not ${quote(text)}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()
    .describe('A day, or a time of one; in UTC, where it names no zone')
}

/** One of some names in a query, in any case. */
export function queryName<T extends string>(names: readonly T[]): z.ZodType<T | undefined> {
  return z
    .string()
    .transform((text, context) => {
      const found = names.find((name) => name.toLowerCase() === text.toLowerCase())
      if (found !== undefined) return found
      context.addIssue({ code: 'custom', message: `must be one of ${names.join(', ')}, not ${quote(text)}` })
      return z.NEVER
    })
    .optional()
    .describe(`One of ${names.join(', ')}`)
}

/** The form of the times of queries. */
const timeForm = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

const dayMs = 24 * 60 * 60 * 1000

/** Reads a day, or a time of a day. @returns Unix time in milliseconds; null for anything else. */
function readTime(text: string, edge: 'start' | 'end'): number | null {
  if (!timeForm.test(text)) return null
  const day = text.slice(0, 10)
  const midnight = Date.parse(day)
  // Otherwise the 30th of February would be the 2nd of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null
  const isDay = text.length === 10
  const hasZone = isDay || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))
  const time = Date.parse(`${text.replace(' ', 'T')}${hasZone ? '' : 'Z'}`)
  if (Number.isNaN(time)) return null
  return isDay && edge === 'end' ? time + dayMs - 1 : time
}
