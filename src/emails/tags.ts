/**
 * The initial tags of a mail: those of its X-Tags field, and the text after a plus in its recipients
 * (`ada+signup@example.com` has `signup`).
 *
 * @param field  The value of X-Tags: words, separated by commas.
 */
export function tagsOf(recipients: readonly string[], field: string = ''): string[] {
  const tags = new Set<string>()
  const add = (tag: string): void => {
    if (tag !== '' && tag.length <= maxLength && tags.size < maxTags && !/[\x00-\x1f\x7f,]/.test(tag))
      tags.add(tag)
  }
  if (field !== '') for (const tag of field.slice(0, maxFieldLength).split(',')) add(tag.trim())
  for (const recipient of recipients) {
    const plus = recipient.indexOf('+')
    if (plus > 0) add(recipient.slice(plus + 1, recipient.lastIndexOf('@')).trim())
  }
  return [...tags]
}

// The same limits as for tags that users set.
const maxTags = 50
const maxLength = 100
const maxFieldLength = 8192
