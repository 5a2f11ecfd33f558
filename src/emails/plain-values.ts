import type { z } from 'zod'

/**
 * Makes a quick way past a schema, for what nearly everybody sends: a string within its lengths, and an object of such
 * strings. The rules are read from the schema itself, which stays the only place where they stand.
 *
 * @returns Gives what the schema would give, or undefined where the schema has to look: the value may be wrong, or
 *   right in another way.
 */
export function plainReader(schema: z.ZodType): (value: unknown) => unknown {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return plainString(def)
    case 'optional':
      return plainReader(def.innerType as z.ZodType)
    case 'union': {
      const options = def.options
        .map((option) => plainReader(option as z.ZodType))
        .filter((read) => read !== no)
      // The first option that fits gives the value, and strings come back as they are.
      return options.length === 0 ? no : (value) => firstGiven(options, value)
    }
    case 'record':
      return plainRecord(def)
    default:
      return no
  }
}

const no = (): undefined => undefined

function firstGiven(options: readonly ((value: unknown) => unknown)[], value: unknown): unknown {
  if (typeof value !== 'string') return undefined
  for (const read of options) {
    const given = read(value)
    if (given !== undefined) return given
  }
  return undefined
}

function plainString(def: z.core.$ZodStringDef): (value: unknown) => unknown {
  if (def.coerce || 'format' in def) return no
  let shortest = 0
  let longest = Number.POSITIVE_INFINITY
  for (const check of def.checks ?? []) {
    const bound = check._zod.def as z.core.$ZodChecks['_zod']['def']
    if (bound.check === 'min_length') shortest = Math.max(shortest, bound.minimum)
    else if (bound.check === 'max_length') longest = Math.min(longest, bound.maximum)
    else return no
  }
  return (value) =>
    typeof value === 'string' && value.length >= shortest && value.length <= longest ? value : undefined
}

function plainRecord(def: z.core.$ZodRecordDef): (value: unknown) => unknown {
  const readKey = plainReader(def.keyType as z.ZodType)
  const readValue = plainReader(def.valueType as z.ZodType)
  if (readKey === no || readValue === no || def.mode === 'loose') return no
  return (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return undefined
    const read: Record<string, unknown> = {}
    for (const name of Reflect.ownKeys(value)) {
      const given: unknown = Reflect.get(value, name)
      if (typeof name !== 'string' || name === '__proto__' || typeof given !== 'string') return undefined
      if (readKey(name) === undefined || readValue(given) === undefined) return undefined
      if (!Object.prototype.propertyIsEnumerable.call(value, name)) return undefined
      read[name] = given
    }
    return read
  }
}
