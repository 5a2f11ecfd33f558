import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../src/server/openapi.ts'
import type { Schema } from './_samples.ts'
import { hollowApp } from './validate-response.ts'

interface Written extends Schema {
  oneOf?: Schema[]
  format?: string
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

const read = async (path: string): Promise<OpenApiDocument> =>
  (await hollowApp().fetch(new Request(`http://localhost${path}`))).json() as Promise<OpenApiDocument>
const service = await read('/v1/openapi.json')
const whole = await read('/dev/openapi.json')

const componentsOf = (document: OpenApiDocument): Record<string, Written> =>
  (document.components as { schemas: Record<string, Written> }).schemas

/** Every schema of a document, also those within others, with its place. */
function* schemasOf(value: unknown, place = ''): Generator<[string, Written]> {
  if (typeof value !== 'object' || value === null) return
  const isSchema = ['type', '$ref', 'anyOf', 'oneOf', 'enum'].some((member) => member in value)
  if (isSchema) yield [place, value]
  for (const [name, member] of Object.entries(value)) yield* schemasOf(member, `${place}/${name}`)
}

const placesOf = (document: OpenApiDocument, isWrong: (schema: Written) => boolean): string[] =>
  [...schemasOf(document)].filter(([, schema]) => isWrong(schema)).map(([place]) => place)

// What real generators made of the document: `test-all/generated` runs such clients.
describe('for generators of clients', () => {
  const documents = { '/v1': service, '/v1 and /dev': whole }

  it.each(Object.entries(documents))(
    'the integers of %s have 64 bits, or a bound that needs less',
    (_, one) => {
      const integers = [...schemasOf(one)].filter(([, { type }]) => [type].flat().includes('integer'))
      expect(integers.length).toBeGreaterThan(20)
      expect(
        placesOf(
          one,
          ({ type, format, maximum = Infinity }) =>
            [type].flat().includes('integer') && format !== 'int64' && maximum >= 2 ** 31,
        ),
      ).toEqual([])
    },
  )

  it.each(Object.entries(documents))('the dates of %s have no pattern, which is not of a date', (_, one) => {
    expect(placesOf(one, ({ format }) => format === 'date-time').length).toBeGreaterThan(0)
    expect(placesOf(one, ({ format, pattern }) => format !== undefined && pattern !== undefined)).toEqual([])
  })

  it.each(Object.entries(documents))('the components of %s have names that no language has', (_, one) => {
    const names = Object.keys(componentsOf(one))
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => name in globalThis)).toEqual([])
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })

  it('each union of objects in /v1 says by which member to choose, for all values of the member', () => {
    const components = componentsOf(service)
    const resolved = ({ $ref, ...own }: Schema): Schema => components[$ref?.split('/').at(-1) ?? ''] ?? own
    const isObject = (schema: Schema): boolean => resolved(schema).properties !== undefined
    const unions = [...schemasOf(service)].filter(
      ([, { anyOf, oneOf }]) => (anyOf ?? oneOf ?? []).filter(isObject).length > 1,
    )
    expect(unions.length).toBeGreaterThan(5)
    for (const [place, { oneOf = [], discriminator }] of unions) {
      const { propertyName = '', mapping = {} } = discriminator ?? {}
      const expected = oneOf.flatMap((option) => {
        const { const: only, enum: several = [only] } = resolved(option).properties?.[propertyName] ?? {}
        return several.map((value) => [value, option.$ref])
      })
      expect(Object.entries(mapping), place).toEqual(expected)
      expect(expected.length, place).toBeGreaterThan(1)
    }
  })

  it('the objects that /v1 takes and answers are components', () => {
    const operations = Object.values(service.paths).flatMap((methods) => Object.values(methods)) as {
      requestBody?: { content: Record<string, { schema: Schema }> }
      responses: Record<string, { content: Record<string, { schema: Schema }> }>
    }[]
    const bodies = operations.flatMap(({ requestBody, responses }) =>
      [...(requestBody ? [requestBody] : []), ...Object.values(responses)].map(
        ({ content }) => content['application/json']?.schema,
      ),
    )
    expect(bodies.length).toBeGreaterThan(50)
    for (const schema of bodies) expect(schema).toEqual({ $ref: expect.any(String) as string })
  })

  // Generators for Go make constants of them, in one scope.
  it('the words of the enumerations of /v1 that are components differ, also without case and punctuation', () => {
    const words = Object.values(componentsOf(service)).flatMap((schema) => schema.enum ?? [])
    const plain = words.map((word) => String(word).toLowerCase().replace(/\W|_/g, ''))
    expect(words.length).toBeGreaterThan(50)
    expect(plain.filter((word, index) => plain.indexOf(word) !== index)).toEqual([])
  })
})
