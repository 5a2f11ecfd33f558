import { defineRoutes } from '../../server/route.ts'
import { resendFace } from './face.ts'

/** Makes the rows of one chapter of Resend's API. */
export const rowsOf = (tag: string): ReturnType<typeof defineRoutes> =>
  defineRoutes({ tag, access: 'key', face: resendFace })
