import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { errorTable } from '../../src/core/errors.ts'
import { errorsOf, toOpenApi } from '../../src/server/openapi.ts'
import { openInProcess } from './_face.ts'
import { hollowApp } from './validate-response.ts'

describe('the OpenAPI document', () => {
  const app = hollowApp()
  const document = toOpenApi(app.routes, '1.2.3')
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )

  test('describes exactly the routes that are registered', () => {
    expect(described.sort()).toEqual(app.registered().sort())
  })

  test('has the eight operations of the interface under /v1, and no others', () => {
    expect(described.filter((operation) => operation.includes(' /v1')).sort()).toEqual([
      'GET /v1/audiences',
      'GET /v1/audiences/{audienceId}/contacts',
      'GET /v1/domains',
      'GET /v1/domains/{id}',
      'GET /v1/emails',
      'GET /v1/emails/{id}',
      'POST /v1/domains',
      'POST /v1/emails',
    ])
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate({ ...document })
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('asks for a Bearer key under /v1 and nowhere needs one in process', () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const operation of Object.values(operations) as { security?: object[] }[]) {
        if (path.startsWith('/v1/')) expect(operation.security).toEqual([{ apiKey: [] }])
        else expect(operation.security ?? [{}]).toContainEqual({})
      }
    }
  })

  test('names every operation once', () => {
    const ids = Object.values(document.paths).flatMap((operations) =>
      (Object.values(operations) as { operationId: string }[]).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('describes a status for every error that a route can answer', () => {
    for (const route of app.routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()] as { responses: object }
      for (const code of errorsOf(route)) {
        expect(Object.keys(operation.responses), `${route.path} ${code}`).toContain(
          String(errorTable[code].status),
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
        'Error',
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
