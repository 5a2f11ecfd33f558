/**
 * Folds the white space and control characters of a text to single spaces, with none at its ends: for lists and searches,
 * for the email detail, and for what becomes a header field, where a line break would begin another one.
 */
export function foldSpace(text: string): string {
  return text.replace(unfolded, ' ').trim()
}

// Does not match single spaces, because replacing each of them would take three times as long.
const unfolded = /[\s\x00-\x1f\x7f]{2,}|[^\S ]|[\x00-\x1f\x7f]/g
