import { attachmentMembers } from '../attachments/schema.ts'
import { quote, validationError, type FieldError } from '../core/errors.ts'
import { checkInput } from '../core/validate.ts'
import type { SendRequest } from './types.ts'
import { plainReader } from './plain-values.ts'
import { maxEntries, maxVariables, sendMembers, variableMembers, variableValueSchema } from './schema.ts'

/** The body of a send request. @throws validation_error for anything but an object. */
export function asObject(input: unknown): object {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  throw validationError([{ field: 'body', message: `must be an object, not ${quote(input)}` }])
}

/**
 * Reads the members of a send request, each by its own schema.
 *
 * @param errors  Where every wrong member is added.
 * @returns The valid members of the request.
 */
export function readMembers(input: object, errors: FieldError[]): Partial<SendRequest> {
  const request: Record<string, unknown> = {}
  for (const { name, schema, readPlain, isOptional } of members) {
    // Only own members: nothing is read from a prototype.
    const given: unknown = Object.hasOwn(input, name) ? Reflect.get(input, name) : undefined
    if (given === undefined && isOptional) continue
    const tooMany = excessOf(name, given)
    if (tooMany !== null) {
      errors.push({ field: name, message: tooMany })
      continue
    }
    const plain = readPlain(given)
    if (plain !== undefined) {
      request[name] = plain
      continue
    }
    const result = checkInput<unknown>(schema, given, [name])
    if ('errors' in result) for (const error of result.errors) errors.push(error)
    else if (result.value !== undefined) request[name] = result.value
    if (name === 'variables') addProtoVariable(given, 'value' in result ? result.value : null, errors)
  }
  return request
}

// Record schemas skip this one name, but it is a valid name of a variable.
function addProtoVariable(given: unknown, read: unknown, errors: FieldError[]): void {
  const name = '__proto__'
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return
  const result = checkInput(variableValueSchema, Reflect.get(given, name), ['variables', name])
  if ('errors' in result) for (const error of result.errors) errors.push(error)
  else if (typeof read === 'object' && read !== null)
    Object.defineProperty(read, name, { value: result.value, enumerable: true })
}

// Checked before any code visits every entry.
function excessOf(name: string, given: unknown): string | null {
  if (Array.isArray(given)) {
    return given.length > maxEntries ? `must have at most ${maxEntries} entries, not ${given.length}` : null
  }
  if (name !== 'variables' || typeof given !== 'object' || given === null) return null
  const count = Object.keys(given).length
  return count > maxVariables ? `must have at most ${maxVariables} variables, not ${count}` : null
}

// Most requests leave out most members, and a schema is slow to accept that.
const members = Object.entries(sendMembers).map(([name, schema]) => ({
  name,
  schema,
  readPlain: plainReader(schema),
  isOptional: schema.safeParse(undefined).success,
}))

const memberNames = new Set(Object.keys(sendMembers))
const attachmentNames = new Set(Object.keys(attachmentMembers))
const variableNames = new Set(Object.keys(variableMembers))

/**
 * Reports the path of each unknown member. Looks only into members that passed their schema, and not, for example, into
 * a long string in their place.
 */
export function eachUnknown(input: object, request: Partial<SendRequest>, say: (path: string) => void): void {
  unknownIn('', input, memberNames, say)
  for (const i of request.attachments?.keys() ?? []) {
    const given: unknown = Reflect.get(Reflect.get(input, 'attachments'), i)
    unknownIn(`attachments[${i}].`, given, attachmentNames, say)
  }
  for (const name of Object.keys(request.variables ?? {})) {
    const given: unknown = Reflect.get(Reflect.get(input, 'variables'), name)
    if (typeof given === 'object') unknownIn(`variables.${name}.`, given, variableNames, say)
  }
}

function unknownIn(
  prefix: string,
  value: unknown,
  known: ReadonlySet<string>,
  say: (path: string) => void,
): void {
  if (typeof value !== 'object' || value === null) return
  for (const name of Object.keys(value)) if (!known.has(name)) say(prefix + name)
}
