import { defineRoutes } from '../../server/route.ts'
import { mailgunFace } from './face.ts'

/** Makes the rows of one chapter of Mailgun's API. */
export const rowsOf = (tag: string): ReturnType<typeof defineRoutes> =>
  defineRoutes({ tag, access: 'key', face: mailgunFace })
