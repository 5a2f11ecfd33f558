import { LocalpostError } from '../core/errors.ts'
import { withFields } from '../sending/results.ts'

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

/** @param field  As errors show it: `[2].attachments[0].name`, whose name is `attachments[].name`. */
function renamed(field: string, names: MemberNames): string {
  const [, place = '', member = '', index = '', inner = '', rest = ''] = path.exec(field) ?? []
  // Groups that are absent are `''`.
  const whole = names[`${member}${index && '[]'}${inner && `.${inner}`}`]
  if (whole !== undefined) return `${place}${whole.replace('[]', index)}${rest}`
  const first = names[member]
  return first === undefined ? field : `${place}${first}${field.slice(place.length + member.length)}`
}

const path = /^(\[\d+\]\.)?(\w+)(\[\d+\])?(?:\.(\w+))?(.*)$/s
