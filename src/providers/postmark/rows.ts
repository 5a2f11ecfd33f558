import { defineRoutes } from '../../server/route.ts'
import { postmarkFace } from './face.ts'

/** Makes the rows of one chapter of Postmark's API. */
export const rowsOf = (tag: string): ReturnType<typeof defineRoutes> =>
  defineRoutes({ tag, access: 'key', face: postmarkFace })
