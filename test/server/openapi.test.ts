import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { errorTable, LocalpostError } from '../../src/core/errors.ts'
import { errorAnswer } from '../../src/server/answer.ts'
import { createFindFace, facesOf } from '../../src/server/faces.ts'
import { toOpenApi } from '../../src/server/openapi.ts'
import { errorsOf } from '../../src/server/route-errors.ts'
import { unansweredCodes } from '../../src/core/error-schema.ts'
import { keyHeaders } from '../providers/_authorization.ts'
import { openInProcess } from './_face.ts'
import { hollowApp } from './validate-response.ts'

describe('the OpenAPI document', () => {
  const app = hollowApp()
  const document = toOpenApi(app.routes, '1.2.3')
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('describes exactly the methods that are answered', async () => {
    const answered: string[] = []
    for (const path of Object.keys(document.paths))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const url = `http://localpost${path.replace(/\{\w+\}/g, 'x')}`
        const headers = keyHeaders(path, 'the-only-key-there-is')
        const response = await app.fetch(new Request(url, { method, headers }))
        await response.body?.cancel()
        // 501: what a provider has and Localpost has not.
        if (response.status !== 405 && response.status !== 501) answered.push(`${method} ${path}`)
      }
    expect(answered.sort()).toEqual([...described].sort())
  })

  test('has the eight operations of the interface under /v1, and the document of them', () => {
    expect(described.filter((operation) => operation.includes(' /v1')).sort()).toEqual([
      'GET /v1/audiences',
      'GET /v1/audiences/{audienceId}/contacts',
      'GET /v1/domains',
      'GET /v1/domains/{id}',
      'GET /v1/emails',
      'GET /v1/emails/{id}',
      'GET /v1/openapi.json',
      'POST /v1/domains',
      'POST /v1/emails',
    ])
  })

  // Without names, openapi-python-client gives several of them the same one, and leaves their unions out.
  test('in the variants of a named union, unions and lists of objects have names of their own', () => {
    interface Schema {
      anyOf?: Schema[]
      items?: Schema
      properties?: Record<string, Schema>
    }
    const { schemas } = document.components as { schemas: Record<string, Schema> }
    const unnamed = Object.entries(schemas).flatMap(([name, { anyOf = [] }]) =>
      anyOf
        .flatMap(({ properties = {} }) => Object.entries(properties))
        .filter(([, { anyOf: inner = [], items = {} }]) => [items, ...inner].some((one) => one.properties))
        .map(([property]) => `${name}.${property}`),
    )
    expect(unnamed).toEqual([])
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate({ ...document })
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('requires a key under /v1 and in the APIs of providers, and in process for no other path', () => {
    const faceOf = createFindFace(facesOf(app.routes))
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const operation of Object.values(operations) as { security?: object[] }[]) {
        if (/^\/(?!dev)[a-z\d-]+\/openapi\.json$/.test(path)) expect(operation.security).toEqual([])
        else if (path.startsWith('/v1/') || (faceOf(path) && faceOf(path)?.access !== 'local'))
          expect(operation.security).toEqual([{ apiKey: [] }])
        else expect([[], [{}, { apiKey: [] }, { session: [] }]]).toContainEqual(operation.security)
      }
    }
  })

  // Errors of linters and generators: found with Spectral, Redocly, openapi-python-client, openapi-typescript.
  test('has no boolean as the schema of items, and no array without items', () => {
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if ('type' in value && value.type === 'array')
        expect(value).toMatchObject({ items: expect.any(Object) as object })
      expect(value).not.toHaveProperty('prefixItems')
      for (const member of Object.values(value)) walk(member)
    }
    walk(document)
    expect(document.components).toMatchObject({
      schemas: {
        Mail: {
          properties: {
            headers: { items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } },
          },
        },
      },
    })
  })

  test('states for every operation who may call it, also where that is everybody', () => {
    for (const { path, method, access } of app.routes) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      const security = operation && 'security' in operation ? operation.security : undefined
      expect(security, path).toBeInstanceOf(Array)
      if (access === 'public' || access === 'open') expect(security).toEqual([])
    }
  })

  test('states the limits of cursors, names and the Idempotency-Key, as the server enforces them', async () => {
    type Parameter = { name: string; schema: { maxLength?: number } }
    const parameters = Object.values(document.paths).flatMap((operations) =>
      (Object.values(operations) as { parameters: Parameter[] }[]).flatMap(
        (operation) => operation.parameters,
      ),
    )
    const limitOf = (name: string): (number | undefined)[] =>
      parameters.filter((parameter) => parameter.name === name).map(({ schema }) => schema.maxLength)
    expect(new Set(limitOf('cursor').slice(0, 4))).toEqual(new Set([320]))
    expect(new Set(limitOf('Idempotency-Key'))).toEqual(new Set([256]))
    const { post } = await openInProcess()
    const call = (
      path: string,
      init: { method?: string; body?: string; headers?: Record<string, string> } = {},
    ): Promise<Response> =>
      post.fetch(
        new Request(`http://localhost${path}`, {
          ...init,
          headers: {
            authorization: `Bearer ${post.apiKey}`,
            'content-type': 'application/json',
            ...init.headers,
          },
        }),
      )
    expect((await call(`/v1/emails?cursor=${'x'.repeat(321)}`)).status).toBe(422)
    const name = `${`${'a'.repeat(62)}.`.repeat(4)}test.`
    const body = JSON.stringify({ name })
    expect(name.length).toBeGreaterThan(254)
    expect((await call('/v1/domains', { method: 'POST', body })).status).toBe(422)
    const mail = JSON.stringify({ from: 'a@acme.test', to: 'b@example.com', subject: 'x', text: 'x' })
    const withKey = (length: number): Promise<Response> =>
      call('/v1/emails', { method: 'POST', body: mail, headers: { 'idempotency-key': 'k'.repeat(length) } })
    expect([(await withKey(256)).status, (await withKey(257)).status]).toEqual([200, 422])
  })

  test('names only codes that an answer can have', () => {
    const { schemas } = document.components as {
      schemas: { ErrorCode: { enum: string[] } }
    }
    const named = schemas.ErrorCode.enum
    expect(named.filter((code) => unansweredCodes.some((other) => other === code))).toEqual([])
    for (const route of app.routes) for (const code of errorsOf(route)) expect(named).toContain(code)
    expect([...named, ...unansweredCodes].sort()).toEqual(Object.keys(errorTable).sort())
  })

  test('is the same in the package and from the server', async () => {
    const { call } = await openInProcess()
    const shipped: unknown = JSON.parse(
      readFileSync(new URL('../../dist/openapi.json', import.meta.url), 'utf8'),
    )
    expect(shipped).toEqual(await (await call('GET', '/dev/openapi.json')).json())
    const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      exports: Record<string, unknown>
    }
    expect(exports['./openapi.json']).toBe('./dist/openapi.json')
    expect(exports['./openapi-v1.json']).toBe('./dist/openapi-v1.json')
  })

  test('has one of `/v1` alone beside it, which needs no key', async () => {
    const { post } = await openInProcess()
    const response = await post.fetch(new Request('http://localhost/v1/openapi.json'))
    const alone = (await response.json()) as typeof document
    const shipped = readFileSync(new URL('../../dist/openapi-v1.json', import.meta.url), 'utf8')
    expect(JSON.parse(shipped)).toEqual(alone)
    const ids = Object.values(alone.paths).flatMap((operations) =>
      (Object.values(operations) as { operationId: string }[]).map(({ operationId }) => operationId),
    )
    expect(ids.sort().join(' ')).toBe(
      'createDomain getDomain getEmail listAudiences listContacts listDomains listEmails sendEmail',
    )
    expect(await new Validator().validate({ ...alone })).toMatchObject({ valid: true })
    expect(alone.components).not.toHaveProperty('schemas.Mail')
  })

  test('has a unique name for every operation, also without case and punctuation', () => {
    const named = { ...document.paths, ...(document['webhooks'] as typeof document.paths) }
    const ids = Object.values(named).flatMap((operations) =>
      (Object.values(operations) as { operationId: string }[]).map(({ operationId }) => operationId),
    )
    expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]{2,59}$/.test(id))).toEqual([])
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length)
  })

  test('describes what is posted to webhooks, one payload for each event', () => {
    const { schemas } = document.components as {
      schemas: Record<string, { discriminator?: { propertyName: string; mapping: Record<string, string> } }>
    }
    const { propertyName, mapping } = schemas['EmailPayload']?.discriminator ?? { mapping: {} }
    const statuses = 'sent complained delivered bounced delivery_delayed failed opened clicked'.split(' ')
    expect(propertyName).toBe('type')
    expect(Object.keys(mapping)).toEqual(statuses.map((status) => `email.${status}`))
    for (const [type, reference] of Object.entries(mapping))
      expect(schemas[reference.split('/').at(-1) ?? '']).toMatchObject({
        properties: { type: { type: 'string', const: type } },
      })
    expect(document['webhooks']).toMatchObject({
      emailEvent: { post: { requestBody: { required: true } } },
      domainEvent: { post: { requestBody: { required: true } } },
    })
  })

  // Generators have no type for them.
  test('has no parameter without a type, and no boolean that is always the same', () => {
    type Typed = { type?: unknown; $ref?: unknown; anyOf?: Typed[]; enum?: unknown; const?: unknown }
    const isTyped = ({ type, $ref, anyOf, enum: of, const: one }: Typed): boolean =>
      [type, $ref, of, one].some((member) => member !== undefined) || (anyOf?.every(isTyped) ?? false)
    const untyped = Object.entries(document.paths).flatMap(([path, operations]) =>
      (Object.values(operations) as { parameters: { name: string; schema: Typed }[] }[]).flatMap(
        ({ parameters }) =>
          parameters.filter(({ schema }) => !isTyped(schema)).map(({ name }) => `${path} ${name}`),
      ),
    )
    expect(untyped).toEqual([])
    expect(JSON.stringify(document)).not.toMatch(/"const":(?:true|false)/)
  })

  test('describes a status for every error that a route can answer', () => {
    for (const route of app.routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()] as { responses: object }
      for (const code of errorsOf(route)) {
        expect(Object.keys(operation.responses), `${route.path} ${code}`).toContain(
          String(errorAnswer(new LocalpostError(code, ''), route.face, route.path).status),
        )
      }
    }
  })

  test('has the resources as components, and refers to no others', () => {
    const { schemas } = document.components as { schemas: object }
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'Audience',
        'Contact',
        'Domain',
        'DomainDetail',
        'Email',
        'EmailDetail',
        'ErrorBody',
        'Mail',
      ]),
    )
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(20)
    for (const [, name] of references) expect(schemas).toHaveProperty(String(name))
    expect(JSON.stringify(document)).not.toContain('#/$defs')
    expect(schemas).toMatchObject({
      SendRequest: { example: {}, properties: { from: { description: expect.any(String) as string } } },
    })
  })

  test('is served at /dev/openapi.json', async () => {
    const { call } = await openInProcess()
    const response = await call('GET', '/dev/openapi.json')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ openapi: '3.1.0', paths: { '/v1/emails': {} } })
  })
})
