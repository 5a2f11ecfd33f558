import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { isRecord } from '../../core/members.ts'
import type { SendingRequest } from '../../sending/types.ts'
import { templateDataName } from './conventions.ts'

/**
 * How SES renders: an attribute that is missing is an error, nothing is escaped, and there are the helpers of
 * Handlebars alone.
 */
export const sesRendering: NonNullable<SendingRequest['rendering']> = {
  engine: 'handlebars',
  missing: 'error',
  escape: 'none',
  helpers: 'basic',
}

/** Reads the data for a template: a JSON object. @throws validation_error for anything else. */
export function readTemplateData(json: string): Record<string, unknown> {
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    throw fault(`is not JSON: ${quote(json)}`)
  }
  if (!isRecord(given)) throw fault(`must be a JSON object, not ${quote(given)}`)
  return Object.fromEntries(Object.entries(given))
}

const fault = (message: string): Error => validationError([{ field: templateDataName, message }])
