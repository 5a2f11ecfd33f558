import { z } from 'zod'
import { errorTable, type ErrorCode } from './error-table.ts'
import type { ErrorBody, FieldError } from './types.ts'

/** Codes of starts, options, the client and the library, which no HTTP answer has. */
export const unansweredCodes: readonly ErrorCode[] = [
  'unexpected_mail',
  'store_in_use',
  'store_newer_schema',
  'invalid_option',
  'port_in_use',
  'listen_failed',
  'already_listening',
  'clock_not_held',
  'snapshot_not_possible',
  'request_failed',
  'request_timeout',
  'unexpected_response',
]

const codes = Object.keys(errorTable) as ErrorCode[]
const answeredCodes = codes.filter((code) => !unansweredCodes.includes(code))

/** The code of an error that an answer may have. */
export const errorCodeSchema: z.ZodType<ErrorCode> = z.enum(answeredCodes)

/** One wrong member of a request: its path (`attachments[0].path`) and what is wrong with it. */
export const fieldErrorSchema: z.ZodType<FieldError> = z.strictObject({
  field: z.string(),
  message: z.string(),
})

/** The body of every error answer of `/v1` and `/dev`. */
export const errorSchema: z.ZodType<ErrorBody> = z.strictObject({
  statusCode: z.int().describe('The HTTP status again'),
  name: errorCodeSchema.describe('What to branch on'),
  message: z.string().describe('What failed and what to do; for people'),
  errors: z.array(fieldErrorSchema).optional().describe('One entry per wrong member'),
})
