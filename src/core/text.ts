/** The beginning of a text: at most so many characters (UTF-16 code units), never with half of a surrogate pair at its end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1))
  return text.slice(0, isSplit ? maxLength - 1 : maxLength)
}

/** Folds white space and control characters to single spaces, with none at the ends. */
export function foldSpace(text: string): string {
  return text.replace(unfolded, ' ').trim()
}

// Does not match single spaces, because replacing each of them would take three times as long.
const unfolded = /[\s\x00-\x1f\x7f]{2,}|[^\S ]|[\x00-\x1f\x7f]/g

/** A text without certain characters at its end. A pattern such as `/=+$/` would take quadratic time. */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Sentences as one text; null if there are none. */
export function joinSentences(sentences: readonly (string | null | undefined)[]): string | null {
  return sentences.filter(Boolean).join(' ') || null
}

/** A text as a part of a regular expression that matches the text itself. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** A text in double quotes, as a quoted string of RFC 5322 section 3.2.4, and as a phrase of a search. */
export function quotedString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/**
 * A text as HTML and XML show it. It is not safe in an attribute in single quotes.
 *
 * @param characters  Those that are escaped. Default: all that matter in text and in double quotes.
 */
export function escapedHtml(text: string, characters: RegExp = /[&<>"]/g): string {
  return text.replace(characters, (one) => entities[one] ?? one)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text without its percent encoding; the text itself where that is not valid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
