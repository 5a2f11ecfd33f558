import { describe, expect, it } from 'vitest'
import { openFilled, operations, resolved, sample, type Schema } from './_samples.ts'

/** Every route of the control API that takes JSON, by the document. */
const bodies = operations.flatMap(({ path, method, operation }) => {
  const schema = operation.requestBody?.content['application/json']?.schema
  return schema && path.startsWith('/dev/') ? [{ method, path, schema }] : []
})

/** The schemas of the objects that a body may be, or consist of. */
function objectsOf(schema: Schema): Schema[] {
  const { anyOf, items, ...own } = resolved(schema)
  if (anyOf) return anyOf.flatMap(objectsOf)
  return own.type === 'object' ? [own] : items ? objectsOf(items) : []
}

/** A body with one member that no route knows. */
function withUnknown(schema: Schema, path: string): unknown {
  const { type, items = {} } = resolved(schema)
  if (type === 'array') return [withUnknown(items, path)]
  // A rule has a form for each action.
  const given = path === '/dev/rules' ? { action: 'accept' } : (sample(schema) as object)
  return { ...given, qeury: 1 }
}

describe.each(bodies)('$method $path', ({ method, path, schema }) => {
  it('refuses a body with a member that it does not know, as the document says', async () => {
    expect(objectsOf(schema).filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([])
    // Of contacts, those that are right are added, and the answer names the others.
    const status = path.endsWith('/contacts') ? 200 : 422
    const { face, fill } = await openFilled()
    const response = await face.call(method, fill(path), { body: withUnknown(schema, path) })
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining('unknown members: qeury'),
    ])
  })
})

it('there are routes with bodies', () => {
  expect(bodies.length).toBeGreaterThan(15)
})
