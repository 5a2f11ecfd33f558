import { z } from 'zod'

type Members = Readonly<Record<string, string | number | boolean | null>>

/** Schemas for members that always have one value: clients expect them, and Localpost has nothing to put there. */
export function constantMembers<const Values extends Members>(
  values: Values,
): { [Name in keyof Values]: z.ZodLiteral<Values[Name]> } {
  const schemas = Object.entries(values).map(([name, value]) => [name, z.literal(value)])
  return Object.fromEntries(schemas) as { [Name in keyof Values]: z.ZodLiteral<Values[Name]> }
}
