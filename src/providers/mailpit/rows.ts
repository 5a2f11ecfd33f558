import { z } from 'zod'
import { type Route } from '../../server/route.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Face } from '../../server/face.ts'
import { mailpitFace } from './face.ts'

/** Makes the rows of one chapter of Mailpit's API, or of that of a face beside it. */
export function rowsOf(tag: string, face: Face = mailpitFace): ReturnType<typeof defineRoutes> {
  const makers = defineRoutes({ tag, access: 'local', face })
  const strict =
    <Args extends unknown[]>(make: (...args: Args) => Route) =>
    (...args: Args): Route => {
      const row = make(...args)
      // Without this, `DELETE /api/v1/messages?query=…` would delete all messages.
      return { ...row, query: row.query ?? z.strictObject({}) }
    }
  return {
    ...makers,
    get: strict(makers.get),
    post: strict(makers.post),
    put: strict(makers.put),
    del: strict(makers.del),
  }
}
