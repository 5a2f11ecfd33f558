import { z } from 'zod'
import { emailPayloadSchema } from '../emails/event-schema.ts'
import { domainPayloadSchema } from '../webhooks/schema.ts'
import { bearerPlace } from './auth.ts'
import type { Face } from './face.ts'
import { createSchemaWriter, type SchemaWriter } from './json-schema.ts'
import { toOperation, serviceDocument } from './openapi-operation.ts'
import { jsonAnswer } from './answer.ts'
import { defineRoutes, type Route } from './define-routes.ts'

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

function isOwn({ face }: Route): boolean {
  return face === undefined
}

function isOfService({ path }: Route): boolean {
  return path.startsWith('/v1/') && path !== serviceDocument
}

/** The part of an OpenAPI 3.1 document that this module writes. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: object
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: object
  readonly [member: string]: unknown
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
    ...(face ? {} : { webhooks: describeWebhooks(schemas) }),
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

function describeWebhooks(schemas: SchemaWriter): object {
  return {
    emailEvent: toWebhookItem('emailEvent', 'An event of an email', emailPayloadSchema, schemas),
    domainEvent: toWebhookItem('domainEvent', 'An event of a domain', domainPayloadSchema, schemas),
  }
}

const tagOfWebhooks = 'Webhooks'

/** What is posted to the webhooks of `POST /dev/webhooks`, signed as Standard Webhooks says. */
function toWebhookItem(
  operationId: string,
  summary: string,
  payload: z.ZodType,
  schemas: SchemaWriter,
): object {
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
