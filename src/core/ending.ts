/**
 * A text without the characters of a set at its end. A pattern such as `/=+$/` tries each run of them in the text from each of
 * its characters, which takes quadratic time.
 *
 * @param characters  Each of them is one UTF-16 code unit.
 */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
