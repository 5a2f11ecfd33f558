import { createFindFace, facesOf } from '../../src/server/faces.ts'
import { toOpenApi } from '../../src/server/openapi.ts'
import { openInProcess, type Face, type OpenFace } from './_face.ts'
import { hollowApp } from './validate-response.ts'

/** A schema of the document. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  maxLength?: number
  minLength?: number
  maximum?: number
  minimum?: number
  maxItems?: number
  minItems?: number
  maxProperties?: number
  pattern?: string
}
/** An operation of the document. */
export interface Operation {
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** The document, as a client reads it. */
const document = JSON.parse(JSON.stringify(toOpenApi(hollowApp().routes, '1.2.3'))) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A schema, after resolving a reference. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : resolved(document.components.schemas[name] ?? {})
}

/** Values of members that need a certain form besides their length. */
const forms: Record<string, (length: number) => string> = {
  url: (length) => 'http://127.0.0.1:1/'.padEnd(length, 'x'),
  enhanced_code: () => '4.0.0',
  secret: () => `whsec_${'A'.repeat(32)}`,
  email: () => 'ada@example.com',
  match: () => '*@example.com',
}

/** A valid value for a schema, with the required members only. */
export function sample(schema: Schema, name = ''): unknown {
  const { type, anyOf, enum: words, const: word, minimum = 0, ...own } = resolved(schema)
  if (word !== undefined) return word
  if (words) return words[0]
  if (anyOf?.[0]) return sample(anyOf[0], name)
  if (own.properties) {
    return Object.fromEntries(
      (own.required ?? []).map((key) => [key, sample(own.properties?.[key] ?? {}, key)]),
    )
  }
  if (type === 'array') return Array.from({ length: own.minItems ?? 0 }, () => sample(own.items ?? {}, name))
  if (type === 'object') return {}
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? minimum : text(name, Math.max(1, own.minLength ?? 1))
}

/** A text of so many characters that a member of this name takes. */
export const text = (name: string, length: number): string =>
  (forms[name] ?? ((n: number) => 'x'.repeat(n)))(length)

const faceOf = createFindFace(facesOf(hollowApp().routes))

/** Every operation of the document but those of providers, which are translations of these. */
export const operations = Object.entries(document.paths)
  .filter(([path]) => faceOf(path) === null)
  .flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )

/** An instance that has one of everything. */
export async function openFilled(
  open: OpenFace = openInProcess,
): Promise<{ face: Face; fill(path: string): string }> {
  const face = await open({ limits: {} })
  const create = async (path: string, body: unknown): Promise<string> => {
    const answer = (await (await face.call('POST', path, { body })).json()) as { id: string }
    return answer.id
  }
  const email = await create('/v1/emails', {
    from: 'a@acme.test',
    to: 'ada@example.com',
    subject: 'x',
    text: 'x',
  })
  const domain = await create('/v1/domains', { name: 'acme.test' })
  const audience = await create('/dev/audiences', { name: 'People' })
  await face.call('POST', `/dev/audiences/${audience}/contacts`, { body: { email: 'ada@example.com' } })
  const broadcast = await create('/dev/broadcasts', {
    audience_id: audience,
    from: 'hello@acme.test',
    subject: 'x',
    text: 'x',
  })
  const list = await (await face.call('GET', `/v1/audiences/${audience}/contacts`)).json()
  const contact = (list as { contacts: { id: string }[] }).contacts[0]?.id ?? ''
  for (const text of ['w', 'x']) await face.call('PUT', '/dev/templates/hello', { body: { text } })
  const kept = await (await face.call('GET', '/dev/templates/hello/versions')).json()
  const version = (kept as { versions: { id: string }[] }).versions[0]?.id ?? ''
  return {
    face,
    fill: (path) =>
      path
        .replace('{contactId}', contact)
        .replace('{audienceId}', audience)
        .replace('{version}', version)
        .replace(/\{\w+\}/, () => {
          if (path.includes('/audiences')) return audience
          if (path.includes('/broadcasts')) return broadcast
          if (path.includes('/templates')) return 'hello'
          return path.includes('/domains') ? domain : email
        }),
  }
}
