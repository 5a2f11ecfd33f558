import { validationError } from '../../core/errors.ts'
import { quote } from '../../core/quote.ts'
import { exceededBound } from '../../core/json-body.ts'
import { maxDepth } from '../../core/json-depth.ts'
import { isRecord } from '../../core/members.ts'

/** Reads a parameter that is an object in JSON. @throws validation_error */
export function readObject(field: string, json: string): ReadonlyMap<string, unknown> {
  const wrong = (message: string): Error => validationError([{ field, message }])
  if (exceededBound(json, { depth: maxDepth, values: maxValues }) !== null)
    throw wrong(`must have at most ${maxValues} values, nested at most ${maxDepth} levels`)
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    throw wrong(`must be an object in JSON, not ${quote(json)}`)
  }
  if (!isRecord(given)) throw wrong(`must be an object in JSON, not ${quote(json)}`)
  return new Map<string, unknown>(Object.entries(given))
}

const maxValues = 100_000

/** A text as it is, and any other value as JSON. */
export function parameterText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
