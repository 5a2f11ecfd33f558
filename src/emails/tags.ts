import { cutText, joinSentences } from '../core/text.ts'

/** How many tags a mail may have. */
export const maxTags = 50
/** How many characters a tag may have. */
export const maxTagLength = 100

/** The tags with which a mail arrives. */
export interface InitialTags {
  readonly tags: string[]
  /** How they differ from what the mail says, for people; null if they do not. */
  readonly problem: string | null
}

/**
 * The tags with which a mail arrives: those of its X-Tags field, and the text after a plus in its recipients
 * (`ada+signup@example.com` has `signup`). A mail is never refused for its tags: the first 50 are kept, and long ones are
 * shortened.
 *
 * @param field  The value of X-Tags: words, separated by commas.
 * @param given  Further tags, which come first.
 */
export function initialTags(
  recipients: readonly string[],
  field: string = '',
  given: readonly string[] = [],
): InitialTags {
  const tags = new Set<string>()
  const problems: string[] = []
  let shortened = 0
  let isFull = false
  const add = (written: string): void => {
    const whole = written.replaceAll(notInTags, ' ').trim()
    const tag = cutText(whole, maxTagLength).trim()
    if (tag === '' || tags.has(tag)) return
    if (tags.size === maxTags) isFull = true
    else {
      tags.add(tag)
      if (whole.length > maxTagLength) shortened++
    }
  }
  for (const tag of given) add(tag)
  for (const tag of beginningOf(field).split(',')) add(tag)
  for (const recipient of recipients) {
    const plus = recipient.indexOf('+')
    if (plus > 0) add(recipient.slice(plus + 1, recipient.lastIndexOf('@')))
  }
  if (field.length > maxTagsLength)
    problems.push(`X-Tags has ${field.length} characters; tags are read from the first ${maxTagsLength}.`)
  if (isFull) problems.push(`The mail names more than ${maxTags} tags; the first ${maxTags} are kept.`)
  if (shortened > 0) {
    const [which, verb] = shortened === 1 ? ['A tag has', 'is'] : [`${shortened} tags have`, 'are']
    problems.push(`${which} more than ${maxTagLength} characters and ${verb} shortened.`)
  }
  return { tags: [...tags], problem: joinSentences(problems) }
}

/** As much of the field as is read, without the piece of a tag at its end. */
function beginningOf(field: string): string {
  const beginning = cutText(field, maxTagsLength)
  const end = field.length > maxTagsLength ? beginning.lastIndexOf(',') : -1
  return end > 0 ? beginning.slice(0, end) : beginning
}

/** Characters that no tag may have. */
const notInTags = /[\x00-\x1f\x7f,]+/g
// Enough for 50 tags of full length. A hostile field may have a megabyte.
const maxTagsLength = 8192
