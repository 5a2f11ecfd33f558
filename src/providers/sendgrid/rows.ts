import { defineRoutes } from '../../server/route.ts'
import { sendgridFace } from './face.ts'

/** Makes the rows of one chapter of SendGrid's API. */
export const rowsOf = (tag: string): ReturnType<typeof defineRoutes> =>
  defineRoutes({ tag, access: 'key', face: sendgridFace })
