import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as audiences from '../../src/audiences/schema.ts'
import * as domains from '../../src/domains/schema.ts'
import * as keys from '../../src/keys/schema.ts'
import * as templates from '../../src/templates/schema.ts'
import * as webhooks from '../../src/webhooks/schema.ts'

const schemas = Object.entries({ ...audiences, ...domains, ...keys, ...templates, ...webhooks })
const requests = schemas.filter(([name]) => /^createDomain|Input|Settings|Changes|declared/.test(name))
const responses = schemas.filter(([name]) => !requests.some(([request]) => request === name))

/** Whether each object schema within a JSON Schema allows other members. */
function othersIn(node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  const inner = Object.values(node).flatMap(othersIn)
  return 'type' in node && node.type === 'object'
    ? [Reflect.get(node, 'additionalProperties'), ...inner]
    : inner
}

describe('the schemas, as JSON Schema', () => {
  it.each(responses)('of answers allow no other members: %s', (_, schema) => {
    const others = othersIn(z.toJSONSchema(schema))
    expect(others.filter((other) => other !== false)).toEqual([])
  })

  // Where every member is optional, a misspelt one would have no effect, or a wrong one.
  const changes = [
    'declaredVerificationSchema',
    'contactChangesSchema',
    'verifyInputSchema',
    'domainSettingsSchema',
    'webhookInputSchema',
  ]

  it.each(requests)('of requests ignore other members, except for changes: %s', (name, schema) => {
    const others = othersIn(z.toJSONSchema(schema, { io: 'input' }))
    expect(new Set(others)).toEqual(new Set([changes.includes(name) ? false : undefined]))
  })
})
