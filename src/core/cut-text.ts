/** The beginning of a text: at most so many characters (UTF-16 code units), never with half of a surrogate pair at its end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1))
  return text.slice(0, isSplit ? maxLength - 1 : maxLength)
}
