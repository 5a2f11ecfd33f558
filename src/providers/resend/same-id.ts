import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'

/** The id of the path, which the SDK for Python sends in the body too. */
export const sameId = z.string().optional().describe('As in the path, where the SDK for Python repeats it')

/** @throws validation_error for an id in the body that is not that of the path. */
export function assertSameId(field: string, given: string | undefined, id: string): void {
  if (given === undefined || given === id) return
  throw validationError([{ field, message: `must be the id of the path, not ${quote(given)}` }])
}
