import { z } from 'zod'
import { jsonAnswer } from './answer.ts'
import { defineRoutes } from './define-routes.ts'
import type { Face } from './face.ts'
import { type OpenApiDocument, toOpenApi } from './openapi.ts'
import { serviceDocument } from './openapi-operation.ts'
import type { Route } from './route.ts'

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
