import { quote } from './errors.ts'
import { jsonSteps } from './json-steps.ts'
import { unpaced } from './yield.ts'

/** Says why a text is not JSON, and where, for texts that `JSON.parse` refused. */
export function explainJsonFault(text: string): string {
  return unpaced(faultSteps(text, findJsonFault(text)))
}

/**
 * Like {@link explainJsonFault}, for a known offset of the fault. Works in steps, because a text may be long.
 *
 * @param position  As {@link findJsonFault} gives it.
 */
export function* faultSteps(text: string, position: number): Generator<undefined, string> {
  const { line, column } = yield* placeSteps(text, position)
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
  const parsed = unpaced(jsonSteps(text))
  return 'fault' in parsed ? parsed.fault : text.length
}

/** Whether a text nests arrays and objects deeper than so many levels. It is not parsed, and need not be valid JSON. */
export function isNestedDeeper(levels: number, text: string): boolean {
  // The JSON of a mail has few brackets. Counting them is much faster than the loop over each character: the place
  // `nesting of a body` in bench/places.mjs.
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
  return unpaced(placeSteps(text, position))
}

function* placeSteps(text: string, position: number): Generator<undefined, { line: number; column: number }> {
  let line = 1
  let lineStart = 0
  // Not by splitting: ten million lines would be ten million strings.
  for (let at = 0; at < position; at++) {
    if ((at & 0x1fff) === 0) yield
    if (text.charCodeAt(at) !== 10) continue
    line++
    lineStart = at + 1
  }
  return { line, column: position - lineStart + 1 }
}
