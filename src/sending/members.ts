import { attachmentMembers } from '../attachments/schema.ts'
import { validationError, type FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { isRecord } from '../core/members.ts'
import { checkInput } from '../core/validate.ts'
import {
  maxEntries,
  maxVariables,
  sendMembers,
  sendRequestSchema,
  variableMembers,
  variableValueSchema,
} from '../emails/send-schema.ts'
import { maxWholeEntries, sendingRequestSchema } from './schema.ts'
import type { SendingRequest } from './types.ts'

/**
 * Which members a request may have. `interface`: those of docs/interface.md 4.2; others are ignored, with a warning.
 * `whole`: all that the core accepts; others are refused.
 */
export type RequestKind = 'interface' | 'whole'

/** The body of a send request. @throws validation_error for anything but an object. */
export function asObject(input: unknown): object {
  if (isRecord(input)) return input
  throw validationError([{ field: 'body', message: `must be an object, not ${quote(input)}` }])
}

/**
 * Reads the members of a send request by its schema.
 *
 * @param errors  Where every wrong member is added.
 * @returns The valid members of the request.
 * @throws validation_error for too many entries of a member.
 */
export function readMembers(input: object, kind: RequestKind, errors: FieldError[]): Partial<SendingRequest> {
  // Only own members: nothing is read from a prototype.
  const given =
    kind === 'interface' ? knownMembers(input) : Object.fromEntries<unknown>(Object.entries(input))
  assertFew(given, kind)
  for (const field of protoRefusing) {
    const value = given[field]
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      errors.push({ field, message: 'must not have the name "__proto__"' })
  }
  const schema = kind === 'interface' ? sendRequestSchema : sendingRequestSchema
  const result = checkInput<SendingRequest>(schema, given)
  if ('value' in result) {
    addProtoVariable(given['variables'], result.value, errors)
    return result.value
  }
  for (const error of result.errors) errors.push(error)
  const wrong = new Set(result.errors.map(({ field }) => /^\w*/.exec(field)?.[0]))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)))
}

function knownMembers(input: object): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const name of memberNames) if (Object.hasOwn(input, name)) given[name] = Reflect.get(input, name)
  return given
}

function addProtoVariable(given: unknown, { variables }: SendingRequest, errors: FieldError[]): void {
  const name = '__proto__'
  if (!variables || typeof given !== 'object' || given === null || !Object.hasOwn(given, name)) return
  const result = checkInput(variableValueSchema, Reflect.get(given, name), ['variables', name])
  if ('errors' in result) for (const error of result.errors) errors.push(error)
  else Object.defineProperty(variables, name, { value: result.value, enumerable: true })
}

interface OpenMember {
  /** What its entries are called if there are too many; null: they are not counted. */
  readonly entries: 'variables' | 'names' | null
  readonly mayHaveProto: boolean
}

/**
 * The members with names that the caller chooses. Schemas skip the name `__proto__`: `addProtoVariable` adds it to variables, and
 * the others refuse it.
 */
const openMembers: ReadonlyMap<string, OpenMember> = new Map<string, OpenMember>([
  ['variables', { entries: 'variables', mayHaveProto: true }],
  ['headers', { entries: 'names', mayHaveProto: false }],
  ['metadata', { entries: 'names', mayHaveProto: false }],
  // Any JSON.
  ['data', { entries: null, mayHaveProto: false }],
])
const protoRefusing = [...openMembers].flatMap(([field, { mayHaveProto }]) => (mayHaveProto ? [] : field))

// Checked before any code visits every entry.
function assertFew(given: Readonly<Record<string, unknown>>, kind: RequestKind): void {
  const errors: FieldError[] = []
  for (const [field, value] of Object.entries(given)) {
    const isList = Array.isArray(value)
    const names = openMembers.get(field)?.entries ?? null
    if (!isList && (names === null || typeof value !== 'object' || value === null)) continue
    const [count, max, what] = isList
      ? [value.length, kind === 'interface' ? maxEntries : maxWholeEntries, 'entries']
      : [Object.keys(value).length, maxVariables, names]
    if (count > max) errors.push({ field, message: `must have at most ${max} ${what}, not ${count}` })
  }
  if (errors.length > 0) throw validationError(errors)
}

const memberNames = new Set(Object.keys(sendMembers))
const attachmentNames = new Set(Object.keys(attachmentMembers))
const variableNames = new Set(Object.keys(variableMembers))

/**
 * Reports the path of each unknown member. Looks only into members that passed their schema, and not, for example, into
 * a long string in their place.
 */
export function eachUnknown(
  input: object,
  request: Partial<SendingRequest>,
  say: (path: string) => void,
): void {
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
