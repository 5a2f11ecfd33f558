// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { ErrorCode } from './error-table.ts'

/** One wrong member of a request: its path (`attachments[0].path`) and what is wrong with it. */
export interface FieldError {
  field: string
  message: string
}

/** The body of every error answer of `/v1` and `/dev`. */
export interface ErrorBody {
  /** The HTTP status again. */
  statusCode: number
  /** What to branch on. */
  name: ErrorCode
  /** What failed and what to do; for people. */
  message: string
  /** One entry per wrong member. */
  errors?: FieldError[]
}
