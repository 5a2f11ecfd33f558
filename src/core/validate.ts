import type { z } from 'zod'
import { suggest } from './suggest.ts'
import { validationError, type FieldError } from './errors.ts'
import { listFirst, quote, shorten } from './quote.ts'

/**
 * Reads input from outside by a schema, for every resource and route.
 *
 * @param value  Anything: a parsed JSON body, or the argument of a library call.
 * @returns What the schema makes of it; unknown members are left out where the schema is a plain object.
 * @throws validation_error with one entry per wrong member, in plain words; an entry for `body` is about the whole value.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = checkInput(schema, value)
  if ('errors' in result) throw validationError(result.errors)
  return result.value
}

/** The same for callers who collect errors. @param path  The path of the value in the whole input. */
export function checkInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly PropertyKey[] = [],
): { value: T } | { errors: FieldError[] } {
  const result = schema.safeParse(value, { error: inWords, reportInput: true })
  if (result.success) return { value: result.data }
  // If a value has the wrong type, its length says nothing more: `[]` for a string is not reported as "too short".
  const issues = result.error.issues.filter(({ path: member }, at, all) => {
    const before = all[at - 1]
    return before?.code !== 'invalid_type' || before.path.join('\0') !== member.join('\0')
  })
  return { errors: issues.flatMap((issue) => fieldErrors(issue, path)) }
}

/** A path of members as errors show it: `attachments[0].path`; `body` for the whole value. */
export function fieldName(path: readonly PropertyKey[]): string {
  let name = ''
  for (const step of path) {
    if (typeof step === 'number') name += `[${step}]`
    else name += memberName(String(step), name !== '')
  }
  return name || 'body'
}

function memberName(member: string, isInner: boolean): string {
  const short = shorten(member, 80)
  if (!/^[\w$-]+$/.test(short)) return `[${JSON.stringify(short)}]`
  return isInner ? `.${short}` : short
}

/** The warning for a member that the schema does not have. */
export function ignoredMember(path: string): string {
  return `member ${quote(path)} is not known and was ignored`
}

function fieldErrors(issue: z.core.$ZodIssue, outer: readonly PropertyKey[]): FieldError[] {
  const path = [...outer, ...issue.path]
  // The error of a branch that accepted the type of the value, but not a part of it, says more than "none of these".
  const near = issue.code === 'invalid_union' ? (nearestBranch(issue.errors) ?? []) : []
  if (near.length > 0) return near.flatMap((inner) => fieldErrors(inner, path))
  return [{ field: fieldName(path), message: issue.message }]
}

/** The branch with the fewest errors: the one that the value was meant for. */
function nearestBranch(branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const ofType = branches.filter((branch) => branch.length > 0 && !branch.some(isOfWrongType))
  return ofType.toSorted((one, other) => errorCount(one) - errorCount(other))[0]
}

const errorCount = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0)

const isOfWrongType = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length === 0 && issue.code === 'invalid_type'

function noneOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const wanted = issue.errors
    .flat()
    .map((inner) => (inner.code === 'invalid_type' ? kindInWords(inner.expected) : ''))
  const wantedKinds = [...new Set(wanted.filter(Boolean))]
  return wantedKinds.length > 0
    ? wrongType(wantedKinds.join(' or '), issue.input)
    : `has a value that is not allowed: ${quote(issue.input)}`
}

// Used where the schema gives no message of its own.
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(kindInWords(issue.expected), issue.input)
    case 'invalid_value': {
      const known = issue.values.map(quote).join(', ')
      return wrongType(issue.values.length > 1 ? `one of ${known}` : known, issue.input)
    }
    case 'too_small':
    case 'too_big':
      return outOfBounds(issue)
    case 'invalid_union':
      return noneOf(issue)
    case 'invalid_key':
      return issue.issues[0]?.message
    case 'invalid_format':
      return `must have the form ${issue.pattern ?? issue.format}, not ${quote(issue.input)}`
    case 'unrecognized_keys':
      return `has unknown members: ${listFirst(issue.keys, (key) => shorten(key, 80)).join(', ')}${meantBy(issue)}`
    default:
      return undefined
  }
}

function meantBy({
  keys: [key, ...others],
  inst,
}: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  if (key === undefined || others.length > 0 || !inst || !('shape' in inst)) return ''
  const near = suggest(key, Object.keys(inst.shape ?? {}))
  return near ? ` (did you mean ${near}?)` : ''
}

function wrongType(wanted: string, given: unknown): string {
  // A number of a query string that is no number is NaN here; the text itself is no longer known.
  if (Number.isNaN(given)) return `must be ${wanted}`
  return given === undefined ? `is missing; it must be ${wanted}` : `must be ${wanted}, not ${quote(given)}`
}

function outOfBounds(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall>): string {
  const [bound, limit] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
  const given = issue.input
  if (typeof given === 'string') {
    if (given === '') return 'must not be empty'
    return `must have ${bound} ${limit} characters, not ${given.length}: ${quote(given)}`
  }
  if (Array.isArray(given)) return `must have ${bound} ${limit} entries, not ${given.length}`
  return `must be ${bound} ${limit}, not ${quote(given)}`
}

const kindInWords = (expected: string): string => kinds[expected] ?? `a ${expected}`

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  int: 'an integer',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}
