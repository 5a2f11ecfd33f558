import { z } from 'zod'
import { formTypes } from '../core/form.ts'
import { errorTable } from '../core/errors.ts'
import { jsonAnswer } from './answer.ts'
import { bearerPlace } from './auth.ts'
import type { Face } from './face.ts'
import { createSchemaWriter, type SchemaWriter } from './json-schema.ts'
import { maxBytesOf, type Route } from './route.ts'
import { defineRoutes } from './define-routes.ts'
import { groupByStatus } from './route-errors.ts'
import { errorSchema } from '../core/error-schema.ts'
import { emailPayloadSchema } from '../emails/event-schema.ts'
import { domainPayloadSchema } from '../webhooks/schema.ts'

/** The part of an OpenAPI 3.1 document that this module writes. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: object
  readonly [member: string]: unknown
}

/**
 * `/dev/openapi.json`, which describes all routes including these, and `/v1/openapi.json`, which describes the operations
 * of `/v1` alone, for generators of clients. Each face has one too. A document is created on the first request.
 *
 * @param routes  All routes; those of a face may be added until its document is requested.
 */
export function openApiRoutes(routes: readonly Route[], faces: readonly Face[], version: string): Route[] {
  const row = (
    path: string,
    { access, summary, face }: Pick<Route, 'access' | 'summary' | 'face'>,
    isOf: typeof isOfService,
  ): Route => {
    let document: OpenApiDocument | undefined
    return defineRoutes({ tag: 'Instance', access, ...(face && { face }) }).get(path, {
      summary,
      success: { schema: z.looseObject({ openapi: z.literal('3.1.0') }) },
      handler: () => jsonAnswer((document ??= toOpenApi(routes.filter(isOf), version, face))),
    })
  }
  const ofService = 'The part of this document that describes `/v1`'
  return [
    row('/dev/openapi.json', { access: 'local', summary: 'This document' }, isOwn),
    row(serviceDocument, { access: 'open', summary: ofService }, isOfService),
    ...faces.map((face) => {
      const path = `${face.prefix}/openapi.json`
      return row(path, { access: 'open', summary: 'This document', face }, (route) => route.face === face)
    }),
  ]
}

const serviceDocument = '/v1/openapi.json'

function isOwn({ face }: Route): boolean {
  return face === undefined
}

function isOfService({ path }: Route): boolean {
  return path.startsWith('/v1/') && path !== serviceDocument
}

/**
 * Describes the routes as OpenAPI 3.1.
 *
 * @param face  The provider whose routes they are. Default: they are those of Localpost.
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function toOpenApi(routes: readonly Route[], version: string, face?: Face): OpenApiDocument {
  const schemas = createSchemaWriter()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const operations = (paths[route.path] ??= {})
    operations[route.method.toLowerCase()] = toOperation(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: face ? `${face.title} at Localpost` : 'Localpost',
      version,
      description: face
        ? `The part of the API of ${face.title} that Localpost has.`
        : '`/v1` is the interface of the service; `/dev` is what a local tool needs beside it.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set([...routes.map(({ tag }) => tag), tagOfWebhooks])].map((name) => ({ name })),
    paths,
    ...(face ? {} : { webhooks: ownWebhooks(schemas) }),
    components: {
      schemas: schemas.components(),
      securitySchemes: {
        apiKey: face?.key.scheme ?? bearerPlace.scheme,
        ...(face && face.access !== 'local' ? {} : { session: sessionScheme }),
      },
    },
  }
}

const sessionScheme = {
  type: 'apiKey',
  in: 'cookie',
  name: 'localpost_session_8025',
  description:
    'Made by `POST /dev/session` and named by the port; only asked for where a caller needs a key: the listener ' +
    'is not bound to loopback, a proxy passed the request on, or `requireKey` is on',
}

function ownWebhooks(schemas: SchemaWriter): object {
  return {
    emailEvent: toWebhook('emailEvent', 'An event of an email', emailPayloadSchema, schemas),
    domainEvent: toWebhook('domainEvent', 'An event of a domain', domainPayloadSchema, schemas),
  }
}

function toOperation(route: Route, schemas: SchemaWriter): object {
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

const tagOfWebhooks = 'Webhooks'

/** What is posted to the webhooks of `POST /dev/webhooks`, signed as Standard Webhooks says. */
function toWebhook(operationId: string, summary: string, payload: z.ZodType, schemas: SchemaWriter): object {
  const header = (name: string, description: string): object => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })
  return {
    post: {
      tags: [tagOfWebhooks],
      operationId,
      summary,
      security: [],
      parameters: [
        header('webhook-id', 'The same for every try and every replay of the event'),
        header('webhook-timestamp', 'Of the try: Unix time in seconds'),
        header('webhook-signature', '`v1,` and the base64 of the HMAC with SHA-256'),
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemas.write(payload, 'output') } },
      },
      responses: { '2XX': { description: 'Taken; any other answer is tried again' } },
    },
  }
}

/** Names of operations that do not follow from their paths. */
const ofService: Readonly<Record<string, string>> = {
  'POST /v1/emails': 'sendEmail',
  'GET /v1/emails': 'listEmails',
  'GET /v1/emails/{id}': 'getEmail',
  'POST /v1/domains': 'createDomain',
  'GET /v1/domains': 'listDomains',
  'GET /v1/domains/{id}': 'getDomain',
  'GET /v1/audiences': 'listAudiences',
  'GET /v1/audiences/{audienceId}/contacts': 'listContacts',
  [`GET ${serviceDocument}`]: 'getServiceDocument',
  // `getMetrics` is `/dev/metrics`.
  'GET /metrics': 'getInstanceMetrics',
}

function operationId(method: string, path: string): string {
  const known = ofService[`${method} ${path}`]
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
  const id = ofService[`${method} ${path}`]
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
  // What becomes of a text may have no type here, such as the list of the names in it; then its own type is written.
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
