import { z } from 'zod'
import { firstOf } from '../core/errors.ts'
import { ignoredMember, moreWarnings } from '../core/validate.ts'

/**
 * Warnings for members of an object that a schema does not know and that were ignored: the first 100, and the number of
 * others.
 */
export function unknownMembers(schema: z.ZodType, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const known = membersOf(schema)
  const unknown = Object.keys(value).filter((name) => !known.has(name))
  return firstOf(unknown, ignoredMember, moreWarnings)
}

const cache = new WeakMap<z.ZodType, ReadonlySet<string>>()

function membersOf(schema: z.ZodType): ReadonlySet<string> {
  let members = cache.get(schema)
  if (!members) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    members = new Set(Object.keys(properties))
    cache.set(schema, members)
  }
  return members
}
