import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as audiences from '../../src/audiences/schema.ts'
import * as domains from '../../src/domains/schema.ts'
import * as keys from '../../src/keys/schema.ts'
import * as templates from '../../src/templates/schema.ts'
import * as webhooks from '../../src/webhooks/schema.ts'

const schemas = Object.entries({ ...audiences, ...domains, ...keys, ...templates, ...webhooks }).flatMap(
  ([name, value]) => (value instanceof z.ZodType ? [[name, value] as const] : []),
)
const requests = schemas.filter(([name]) => /^createDomain|Input|Settings|Changes|declared/.test(name))
const responses = schemas.filter(([name]) => !requests.some(([request]) => request === name))

/** Whether each object schema within a JSON Schema allows other members, but for those whose names the caller chooses. */
function othersIn(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  const inner = Object.values(node).flatMap(othersIn)
  return 'type' in node && node.type === 'object' && !('propertyNames' in node)
    ? [Reflect.get(node, 'additionalProperties'), ...inner]
    : inner
}

describe('the schemas, as JSON Schema', () => {
  it.each(responses)('of answers allow no other members: %s', (_, schema) => {
    const others = othersIn(z.toJSONSchema(schema))
    expect(others.filter((other) => other !== false)).toEqual([])
  })

  // `/v1` ignores members that the interface does not know.
  it.each(requests)('of requests allow no other members, except in `/v1`: %s', (name, schema) => {
    const others = othersIn(z.toJSONSchema(schema, { io: 'input' }))
    expect(new Set(others)).toEqual(new Set([name.startsWith('createDomain') ? undefined : false]))
  })
})
