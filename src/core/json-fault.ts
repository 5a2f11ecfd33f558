import { messageOf } from './errors.ts'

/** What `JSON.parse` says about a text, with line and column in place of its offset. */
export function jsonFault(error: unknown, text: string): string {
  const message = messageOf(error)
  return message.replace(/ in JSON at position (\d+).*/, (_, digits) => {
    const offset = Number(digits)
    let line = 1
    let lineStart = 0
    // Not by splitting: ten million lines would be ten million strings.
    for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', lineStart)) {
      line++
      lineStart = at + 1
    }
    return ` at line ${line}, column ${offset - lineStart + 1}`
  })
}
