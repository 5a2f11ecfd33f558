/** A part of a search that a button turns on and off. */
export interface QueryFilter {
  words: string
  part: string
}

/** The most frequent filters, in one click. */
export const filters: readonly QueryFilter[] = [
  { words: 'Unread', part: 'is:unread' },
  { words: 'Bounced', part: 'status:bounced' },
  { words: 'Attachments', part: 'has:attachment' },
  { words: 'API', part: 'source:api' },
  { words: 'SMTP', part: 'source:smtp' },
]

/** The part of a search for a tag. */
export function tagPart(tag: string): string {
  return `tag:${/[\s"]/.test(tag) ? `"${tag.replaceAll(/["\\]/g, '\\$&')}"` : tag}`
}

/** Whether a search has a part of its own with this text. */
export function hasPart(query: string, part: string): boolean {
  return partsOf(query).some((one) => one.toLowerCase() === part.toLowerCase())
}

/** Adds a part to a search, or removes it. A part with another value of the same key is replaced if `isSingle`. */
export function togglePart(query: string, part: string, isSingle = false): string {
  const parts = partsOf(query)
  const isOn = hasPart(query, part)
  const key = part.slice(0, part.indexOf(':') + 1).toLowerCase()
  const kept = parts.filter((one) =>
    isOn || !isSingle ? one.toLowerCase() !== part.toLowerCase() : !one.toLowerCase().startsWith(key),
  )
  return (isOn ? kept : [...kept, part]).join(' ')
}

/** Replaces a part of a search by another one, wherever it is. */
export function replacePart(query: string, part: string, next: string): string {
  if (!hasPart(query, part)) return query
  return partsOf(query)
    .map((one) => (one.toLowerCase() === part.toLowerCase() ? next : one))
    .join(' ')
}

/** Words, phrases and `key:value`, as the server separates them. */
function partsOf(query: string): string[] {
  return query.match(/(?:[^\s"]|"(?:\\["\\]|[^"])*"?)+/g) ?? []
}
