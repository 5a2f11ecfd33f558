import { quote, validationError, type FieldError } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'

/** @throws validation_error for unknown members, and values that cannot be stored. */
export function checkChanges(
  changes: { unread?: unknown } & Partial<Record<TagMember, unknown>>,
  members: readonly string[],
): void {
  const given: unknown = changes
  if (typeof given !== 'object' || given === null)
    throw validationError([{ field: 'body', message: `must be an object, not ${quote(given)}` }])
  const errors: FieldError[] = []
  for (const field of Object.keys(given).filter((name) => !members.includes(name))) {
    const near = suggest(field, members)
    errors.push({
      field,
      message: `is not known; ${near ? `did you mean ${near}?` : `known: ${members.join(', ')}`}`,
    })
  }
  const { unread } = changes
  if (unread !== undefined && typeof unread !== 'boolean')
    errors.push({ field: 'unread', message: `must be true or false, not ${quote(unread)}` })
  for (const field of ['tags', 'add_tags', 'remove_tags'] as const) {
    const tags = changes[field]
    if (tags === undefined || (Array.isArray(tags) && tags.length <= maxTags && tags.every(isTag))) continue
    const message = `must be up to ${maxTags} words of 1 to 100 characters, not ${quote(tags)}`
    errors.push({ field, message })
  }
  if (errors.length > 0) throw validationError(errors)
}

/** @throws validation_error if nothing would be changed, for example because of a misspelt member. */
export function checkIsChange(changes: object): void {
  if (Object.values(changes).some((value) => value !== undefined)) return
  const message = 'says nothing to change: give unread, tags, add_tags or remove_tags'
  throw validationError([{ field: 'body', message }])
}

/** How many tags a mail may have. */
export const maxTags = 50

type TagMember = 'tags' | 'add_tags' | 'remove_tags'

/** @throws validation_error for a text that cannot be a tag. */
export function checkTag(tag: unknown): void {
  if (isTag(tag)) return
  const message = `must be 1 to 100 characters without commas and control characters, not ${quote(tag)}`
  throw validationError([{ field: 'tag', message }])
}

function isTag(tag: unknown): boolean {
  return typeof tag === 'string' && tag.trim() !== '' && tag.length <= 100 && !/[\x00-\x1f\x7f,]/.test(tag)
}
