import { z } from 'zod'
import { bytesAnswer, type Answer } from '../../server/answer.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import type { Face } from '../../server/face.ts'
import { mailpitFace } from './face.ts'

/**
 * Makes the routes of one chapter of Mailpit's API, or of that of a face beside it. A route without a query of its own refuses
 * any: otherwise, `DELETE /api/v1/messages?query=…` would delete all messages.
 */
export function defineMailpitRoutes(tag: string, face: Face = mailpitFace): ReturnType<typeof defineRoutes> {
  return defineRoutes({ tag, access: 'local', face, query: z.strictObject({}) })
}

/** The answer of a request that changes something. */
export const ok: Answer = bytesAnswer('ok', { 'content-type': 'text/plain' })
/** What {@link ok} is in the document. */
export const okSuccess = { type: 'text/plain', description: '`ok`' } as const
