/**
 * Whether a word is a random identifier: a token, a hash, an id. Ordinary words, file names and slugs such as
 * `confirm-your-address` or `unsubscribeFromThisList` are not.
 *
 * @param word  Letters, digits and `_`, `-`, `.`, `~`.
 */
export function isRandomWord(word: string): boolean {
  if (word.length < shortest) return false
  const pieces = word.split(/[-_.~]+/)
  return !(pieces.every((piece) => plain.test(piece)) && pieces.some((piece) => realWord.test(piece)))
}

/** Shorter identifiers cannot be distinguished from words. */
const shortest = 16
// Words, camelCase, numbers, sizes as `600x400`, and names with a number as `png24` or `v2`.
const plain = /^(?:[a-z]*(?:[A-Z][a-z]{2,})*|[A-Z]+|\d{1,4}|\d{1,4}x\d{1,4}|[a-z]+\d{1,2})$/
const realWord = /^[A-Za-z]{3,}$/
