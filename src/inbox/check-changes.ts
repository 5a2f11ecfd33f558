import { validationError, type FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import { maxTagLength, maxTags } from '../emails/tags.ts'

type TagMember = 'tags' | 'add_tags' | 'remove_tags'

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
    if (tags === undefined) continue
    const problem = problemOf(tags)
    if (problem !== null) errors.push({ field, message: problem })
  }
  if (errors.length > 0) throw validationError(errors)
}

/** What is wrong with a list of tags; null if nothing is. */
function problemOf(tags: unknown): string | null {
  if (!Array.isArray(tags)) return `must be a list of tags, not ${quote(tags)}`
  if (tags.length > maxTags) return `has ${tags.length} tags; a mail can have at most ${maxTags}`
  const wrong = tags.findIndex((tag) => !isTag(tag))
  return wrong === -1 ? null : `has a value that cannot be a tag: it ${tagRule}, not ${quote(tags[wrong])}`
}

/** @throws validation_error if nothing would be changed, for example because of a misspelt member. */
export function checkIsChange(changes: object): void {
  if (Object.values(changes).some((value) => value !== undefined)) return
  const message = 'says nothing to change: give unread, tags, add_tags or remove_tags'
  throw validationError([{ field: 'body', message }])
}

/** @throws validation_error for a text that cannot be a tag. */
export function checkTag(tag: unknown): void {
  if (isTag(tag)) return
  const message = `${tagRule}, not ${quote(tag)}`
  throw validationError([{ field: 'tag', message }])
}

const tagRule = `must be 1 to ${maxTagLength} characters without commas and control characters`

function isTag(tag: unknown): boolean {
  return (
    typeof tag === 'string' &&
    tag.trim() !== '' &&
    tag.length <= maxTagLength &&
    !/[\x00-\x1f\x7f,]/.test(tag)
  )
}
