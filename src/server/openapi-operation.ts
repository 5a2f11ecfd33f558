import { errorSchema } from '../core/error-schema.ts'
import { errorTable } from '../core/errors.ts'
import { formTypes } from '../core/form.ts'
import type { SchemaWriter } from './json-schema.ts'
import { maxBytesOf } from './body.ts'
import type { Route } from './route.ts'
import { groupByStatus } from './route-errors.ts'

/** Describes one route as an operation of OpenAPI. */
export function toOperation(route: Route, schemas: SchemaWriter): object {
  const { method, path, tag, summary, body } = route
  return {
    tags: [tag],
    summary,
    operationId: operationId(method, path),
    security: securityOf[route.access],
    parameters: toParameters(route, schemas),
    ...(body ? { requestBody: toRequestBody(route, body, schemas) } : {}),
    responses: toResponses(route, schemas),
  }
}

/** An empty list means that no authentication is needed; without a list the document would leave it open. */
const securityOf: Readonly<Record<Route['access'], readonly object[]>> = {
  key: [{ apiKey: [] }],
  local: [{}, { apiKey: [] }, { session: [] }],
  open: [],
  public: [],
}

/** The path of the document of `/v1`. */
export const serviceDocument = '/v1/openapi.json'

/**
 * Names of operations that do not follow from their methods and paths: those of `/v1`, and `GET /metrics`, whose name
 * would be that of `/dev/metrics`. The JSON bodies and answers of these operations are components, with names made of
 * these.
 */
const givenIds: Readonly<Record<string, string>> = {
  'POST /v1/emails': 'sendEmail',
  'GET /v1/emails': 'listEmails',
  'GET /v1/emails/{id}': 'getEmail',
  'POST /v1/domains': 'createDomain',
  'GET /v1/domains': 'listDomains',
  'GET /v1/domains/{id}': 'getDomain',
  'GET /v1/audiences': 'listAudiences',
  'GET /v1/audiences/{audienceId}/contacts': 'listContacts',
  [`GET ${serviceDocument}`]: 'getServiceDocument',
  'GET /metrics': 'getInstanceMetrics',
}

function operationId(method: string, path: string): string {
  const known = givenIds[`${method} ${path}`]
  if (known !== undefined) return known
  const words = path
    .replace(/^\/dev\//, '')
    .replace(/[{}]/g, '')
    .split(/[/._-]/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

/** The name of a body or an answer of `/v1` without one of its own; generators would put numbers into theirs. */
function componentName({ method, path }: Route, suffix: 'Body' | 'Answer'): string | undefined {
  const id = givenIds[`${method} ${path}`]
  return id === undefined ? undefined : `${id.charAt(0).toUpperCase()}${id.slice(1)}${suffix}`
}

function toParameters(route: Route, schemas: SchemaWriter): object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name === undefined ? {} : route.params?.[name]) },
  }))
  const membersOf = (io: 'input' | 'output'): Record<string, object> =>
    ((route.query && schemas.write(route.query, io))?.['properties'] ?? {}) as Record<string, object>
  const asText = membersOf('input')
  // The result of a transform has no type in the schema; then the type of the text is written.
  const inQuery = Object.entries(membersOf('output')).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: isTyped(schema) ? schema : (asText[name] ?? schema),
  }))
  const inHeader = Object.entries(route.headers ?? {}).map(([name, { description, maxLength }]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string', ...(maxLength === undefined ? {} : { maxLength }) },
  }))
  return [...inPath, ...inQuery, ...(route.access === 'local' ? [accountParameter] : []), ...inHeader]
}

function isTyped(schema: object): boolean {
  return ['type', 'anyOf', 'enum', '$ref'].some((member) => member in schema)
}

const accountParameter = {
  name: 'account',
  in: 'query',
  description: 'The name of an account, for a caller that needs no key, and for users who signed in',
  schema: { type: 'string' },
}

function toRequestBody(route: Route, body: NonNullable<Route['body']>, schemas: SchemaWriter): object {
  const description = `At most ${maxBytesOf(body)} bytes; more is 413 \`payload_too_large\`.`
  if (body.bytesType !== undefined)
    return {
      required: true,
      description,
      content: { [body.bytesType]: { schema: { type: 'string', format: 'binary' } } },
    }
  const texts = (body.textTypes ?? []).map((type) => [type, { schema: { type: 'string' } }])
  const schema = { schema: schemas.write(body.schema, 'input', componentName(route, 'Body')) }
  const types = [...(body.forms === 'only' ? [] : ['application/json']), ...(body.forms ? formTypes : [])]
  const content = Object.fromEntries([...types.map((type) => [type, schema]), ...texts])
  return { required: body.optional !== true, description, content }
}

function toResponses(route: Route, schemas: SchemaWriter): object {
  const { success } = route
  const content = success.schema
    ? {
        'application/json': {
          schema: schemas.write(success.schema, 'output', componentName(route, 'Answer')),
        },
      }
    : Object.fromEntries([success.type ?? '*/*', ...(success.alsoTypes ?? [])].map((type) => [type, {}]))
  const given = { description: success.description ?? route.summary, content }
  const statuses = [success.status ?? 200, ...(success.alsoStatus ?? [])]
  const responses: Record<string, object> = Object.fromEntries(statuses.map((status) => [status, given]))
  const ofErrors = route.face?.errorSchema ?? errorSchema
  for (const [status, { codes, type }] of groupByStatus(route)) {
    const named = codes.map((code) => (route.face ? '' : `\`${code}\`: `) + errorTable[code].meaning)
    responses[status] ??= {
      description: [...new Set(named)].join(' '),
      content: {
        [type]: type === 'application/json' ? { schema: schemas.write(ofErrors, 'output') } : {},
      },
    }
  }
  return responses
}
