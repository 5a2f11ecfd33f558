import type { Face } from '../server/face.ts'
import { defineRoutes } from '../server/define-routes.ts'

/** @returns A function that makes the rows of one chapter of a provider's API. */
export function providerRows(face: Face): (tag: string) => ReturnType<typeof defineRoutes> {
  return (tag) => defineRoutes({ tag, access: 'key', face })
}
