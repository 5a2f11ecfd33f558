import { LocalpostError } from '../core/errors.ts'

/** A provider's names of members whose names in the core differ: `attachments[].name` to `attachments[].filename`. */
export type MemberNames = Readonly<Record<string, string>>

/** The result of a call of a resource, whose errors get a provider's names of members. */
export async function withNames<T>(call: Promise<T>, names: MemberNames): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw renamedError(error, names)
  }
}

/** The same error with other names of its members. */
export function renamedError<T>(error: T, names: MemberNames): T | LocalpostError {
  if (!(error instanceof LocalpostError) || !error.errors) return error
  return withFields(error, (field) => renamed(field, names))
}

/** The same error, as that of one of several emails. */
export function placedError(error: LocalpostError, i: number): LocalpostError {
  return withFields(error, (field) => (field === 'body' ? `[${i}]` : `[${i}].${field}`))
}

function withFields(error: LocalpostError, rename: (field: string) => string): LocalpostError {
  const { code, message, status, headers, cause, errors = [] } = error
  const fields = errors.map((one) => ({ ...one, field: rename(one.field) }))
  return new LocalpostError(code, message, { status, headers, cause, errors: fields })
}

/** @param field  As errors show it: `[2].attachments[0].name`. */
function renamed(field: string, names: MemberNames): string {
  const [, place = '', member = '', index = '', inner = '', rest = ''] = path.exec(field) ?? []
  const whole = names[`${member}${index && '[]'}${inner && `.${inner}`}`]
  if (whole !== undefined) return `${place}${whole.replace('[]', index)}${rest}`
  const first = names[member]
  return first === undefined ? field : `${place}${first}${field.slice(place.length + member.length)}`
}

const path = /^(\[\d+\]\.)?(\w+)(\[\d+\])?(?:\.(\w+))?(.*)$/s
