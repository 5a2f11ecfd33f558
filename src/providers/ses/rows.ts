import { defineRoutes } from '../../server/route.ts'
import { sesFace } from './face.ts'

/** Makes the rows of one chapter of the API of SES. */
export const rowsOf = (tag: string): ReturnType<typeof defineRoutes> =>
  defineRoutes({ tag, access: 'key', face: sesFace })
