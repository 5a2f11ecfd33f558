import { z } from 'zod'

/**
 * A whole number in a query, written in digits. Unlike with `Number`, an empty one and `1e2` are errors.
 *
 * @param most  Default: as large as a number is exact.
 */
export function queryNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const number = z.coerce.number().int().min(least).max(most)
  // NaN is reported as not a number.
  return z.preprocess((text) => (typeof text === 'string' && !digits.test(text) ? Number.NaN : text), number)
}

/** A flag in a query, written `true` or `false`. */
export function queryFlag(): z.ZodType<boolean> {
  return z.enum(['true', 'false']).transform((text) => text === 'true')
}

const digits = /^-?\d{1,16}$/
