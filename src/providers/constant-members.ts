import { z } from 'zod'

type Members = Readonly<Record<string, string | number | boolean | null>>

/** The schemas of members of an answer that are always the same, by their values: clients expect what Localpost has not. */
export function constantMembers<const Values extends Members>(
  values: Values,
): { [Name in keyof Values]: z.ZodLiteral<Values[Name]> } {
  const schemas = Object.entries(values).map(([name, value]) => [name, z.literal(value)])
  return Object.fromEntries(schemas) as { [Name in keyof Values]: z.ZodLiteral<Values[Name]> }
}
