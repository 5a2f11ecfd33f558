import { z } from 'zod'
import { components } from './components.ts'

/** Writes zod schemas as the JSON Schemas of one document, resources only once. */
export interface SchemaWriter {
  /**
   * @param io  `input`: what is accepted; `output`: what is answered, without members beyond those named.
   * @param name  Of the component that an object without a name of its own becomes. Default: it is written in place.
   */
  write(schema: z.ZodType, io: 'input' | 'output', name?: string): Record<string, unknown>
  /** The resources that the written schemas refer to. */
  components(): Record<string, unknown>
}

/** @see {@link SchemaWriter} */
export function createSchemaWriter(): SchemaWriter {
  const found: Record<string, unknown> = {}

  function write(schema: z.ZodType, io: 'input' | 'output', name?: string): Record<string, unknown> {
    // A registered schema is written in place at the top and referred to below, so it goes in one level down.
    const written: Record<string, unknown> = z.toJSONSchema(z.tuple([schema]), {
      io,
      metadata,
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        dropSafeIntegerBounds(jsonSchema)
        fitGenerators(jsonSchema)
        addDiscriminator(zodSchema, jsonSchema)
      },
    })
    const { prefixItems, $defs = {} } = written as {
      prefixItems: [unknown]
      $defs?: Record<string, Record<string, unknown>>
    }
    const definitions = withReferences($defs) as Record<string, Record<string, unknown>>
    for (const [component, { id: _id, ...definition }] of Object.entries(definitions))
      found[component] ??= definition
    const whole = withReferences(prefixItems[0]) as Record<string, unknown>
    if (name === undefined || !('properties' in whole)) return whole
    found[name] = whole
    return { $ref: `#/components/schemas/${name}` }
  }

  return {
    write,
    components: () => Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

// Descriptions and examples are in zod's own registry, names only in ours, so that other schemas do not get them.
const metadata: typeof components = Object.assign(z.registry<{ id: string }>(), {
  get(schema: z.core.$ZodType) {
    const described = z.globalRegistry.get(schema)
    const named = components.get(schema)
    return described || named ? { ...described, ...named } : undefined
  },
})

// zod adds these limits to every integer; they are not ours.
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Without these changes generated clients do not compile, or fail while they read an answer. */
function fitGenerators(schema: z.core.JSONSchema.BaseSchema): void {
  // They have no type for one boolean alone.
  if (typeof schema.const === 'boolean') delete schema.const
  // They match the pattern of a date against the date that they made of the text.
  if (schema.format !== undefined) delete schema.pattern
  // They read an integer without a format into 32 bits, too few for milliseconds since 1970.
  if (schema.type === 'integer' && (schema.maximum ?? Infinity) > maxInt32) schema.format = 'int64'
}

const maxInt32 = 2 ** 31 - 1

/** Says which member tells the options of a union apart, and its values, so that clients need not try each of them. */
function addDiscriminator(union: z.core.$ZodType, schema: z.core.JSONSchema.BaseSchema): void {
  if (!(union instanceof z.ZodDiscriminatedUnion)) return
  const { discriminator, options } = union.def
  const references = schema.oneOf?.map((option) => (option as { $ref?: string }).$ref) ?? []
  // OpenAPI requires that each option is a component.
  if (!references.every((reference) => reference !== undefined)) return
  const mapping = options.flatMap((option, index) =>
    [...(option._zod.propValues?.[discriminator] ?? [])].map((value) => [value, references[index]] as const),
  )
  schema['discriminator'] = { propertyName: discriminator, mapping: Object.fromEntries(mapping) }
}

// `#/$defs/X` is a place in one schema; in the document it is under `components`.
function withReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReferences)
  if (typeof value !== 'object' || value === null) return value
  if ('prefixItems' in value && Array.isArray(value.prefixItems))
    return withReferences(withoutPrefixItems(value, value.prefixItems))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && member.startsWith('#/$defs/')
        ? member.replace('#/$defs/', '#/components/schemas/')
        : withReferences(member),
    ]),
  )
}

// Client generators support neither `items: false` nor the items before it.
function withoutPrefixItems(tuple: object, items: readonly unknown[]): object {
  const kinds = new Map(items.map((item) => [JSON.stringify(item), item]))
  const [only] = kinds.values()
  const { prefixItems: _prefixItems, ...rest } = { prefixItems: items, ...tuple }
  return {
    ...rest,
    items: kinds.size === 1 ? only : { anyOf: [...kinds.values()] },
    minItems: items.length,
    maxItems: items.length,
  }
}
