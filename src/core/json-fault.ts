import { quote } from './errors.ts'

/** Says why a text is not JSON, and where, for texts that `JSON.parse` refused. */
export function explainJsonFault(text: string): string {
  const position = findJsonFault(text)
  const { line, column } = placeOf(text, position)
  const what =
    position === text.length
      ? 'it ends too early'
      : `unexpected ${quote(String.fromCodePoint(text.codePointAt(position) ?? 0))}`
  return `${what} at line ${line}, column ${column} (position ${position})`
}

/**
 * Finds where a text stops being JSON; only for texts that `JSON.parse` refused, whose messages often name no place.
 *
 * @returns The offset of the first character that is not allowed at its place; the length where the text ends early.
 * @see RFC 8259
 */
export function findJsonFault(text: string): number {
  /** What closes the arrays and objects that are open. */
  const open: ('}' | ']')[] = []
  let state: State = 'value'
  for (let at = skip(spaces, text, 0); at < text.length; at = skip(spaces, text, at)) {
    const char = text[at]
    const closing = open.at(-1)
    if (char === closing && (state === 'after' || state.startsWith('first'))) {
      open.pop()
      state = 'after'
      at++
    } else if (state === 'after' || state === 'colon') {
      if (char !== (state === 'colon' ? ':' : ',') || closing === undefined) return at
      state = state === 'after' && closing === '}' ? 'key' : 'value'
      at++
    } else if (char === '"') {
      const end = endOfString(text, at + 1)
      if (text[end] !== '"') return end
      state = state.endsWith('key') ? 'colon' : 'after'
      at = end + 1
    } else if (state.endsWith('key')) {
      return at
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']')
      state = char === '{' ? 'first-key' : 'first-value'
      at++
    } else {
      const end = skip(scalar, text, at)
      if (end === at) return at
      state = 'after'
      at = end
    }
  }
  return text.length
}

/** What has to come next. The first key or value may be missing. */
type State = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'after'

const spaces = /[ \t\r\n]*/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/y
const plain = /[^"\\\u0000-\u001f]*/y
const escaped = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

/** The offset of the first character that a string must not contain, which is a quote where nothing is wrong. */
function endOfString(text: string, start: number): number {
  for (let at = start; ;) {
    const end = skip(escaped, text, skip(plain, text, at))
    if (end === at) return at
    at = end
  }
}

function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  form.test(text)
  return form.lastIndex
}

/** The line and column of an offset, both from 1. */
export function placeOf(text: string, position: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  // Not by splitting: ten million lines would be ten million strings.
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) {
    line++
    lineStart = at + 1
  }
  return { line, column: position - lineStart + 1 }
}
