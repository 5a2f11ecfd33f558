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
  const open: ('{' | '[')[] = []
  let state: State = 'value'
  let at = 0
  for (;;) {
    at = skip(spaces, text, at)
    if (at === text.length) return at
    const char = text[at]
    if (state === 'end') return at
    if ((char === '}' || char === ']') && closes[state] === char) {
      open.pop()
      at++
      state = afterValue(open)
    } else if (state === 'colon' || state === 'comma-}' || state === 'comma-]') {
      if (char !== (state === 'colon' ? ':' : ',')) return at
      at++
      state = state === 'comma-}' ? 'key' : 'value'
    } else if (state === 'key' || state === 'key-or-}') {
      const end = char === '"' ? endOfString(text, at) : -1
      if (end < 0) return char === '"' ? ~end : at
      at = end
      state = 'colon'
    } else if (char === '{' || char === '[') {
      open.push(char)
      at++
      state = char === '{' ? 'key-or-}' : 'value-or-]'
    } else {
      const end = char === '"' ? endOfString(text, at) : skip(scalar, text, at)
      if (end < 0) return ~end
      if (end === at) return at
      at = end
      state = afterValue(open)
    }
  }
}

/** Whether a text that may be JSON nests arrays and objects deeper than so many levels; told before it is parsed. */
export function isNestedDeeper(levels: number, text: string): boolean {
  // A mail has few of them, and finding them costs nothing beside a walk over all its text.
  if (!hasMore(levels, text)) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > levels) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}

/** Whether more than so many arrays and objects could begin in a text; those in its strings count too. */
function hasMore(levels: number, text: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > levels) return true
    }
  }
  return false
}

/** The line and column of an offset, both from 1. */
export function placeOf(text: string, position: number): { line: number; column: number } {
  let line = 1
  let lineStart = 0
  // Not by splitting: ten million lines would be ten million strings.
  for (let at = 0; at < position; at++) {
    if (text.charCodeAt(at) !== 10) continue
    line++
    lineStart = at + 1
  }
  return { line, column: position - lineStart + 1 }
}

type State = 'value' | 'value-or-]' | 'key' | 'key-or-}' | 'colon' | 'comma-}' | 'comma-]' | 'end'

const closes: Partial<Record<State, string>> = {
  'key-or-}': '}',
  'comma-}': '}',
  'value-or-]': ']',
  'comma-]': ']',
}
const spaces = /[ \t\r\n]*/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/y
const plain = /[^"\\\u0000-\u001f]*/y
const escape = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

function afterValue(open: readonly string[]): State {
  const last = open.at(-1)
  return last === undefined ? 'end' : last === '{' ? 'comma-}' : 'comma-]'
}

function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  form.test(text)
  return form.lastIndex
}

// The offset behind the closing quote, or the complement of the offset where the string breaks.
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ;) {
    at = skip(plain, text, at)
    if (text[at] === '"') return at + 1
    const behind = skip(escape, text, at)
    if (behind === at) return ~at
    at = behind
  }
}
