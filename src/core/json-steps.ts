import { createJsonStrings } from './json-strings.ts'

/** The value of a text, or its fault. */
export type ParsedJson =
  | { value: unknown }
  /** The offset of the first character that is not allowed at its place; the length where the text ends early. */
  | { fault: number }
  | { exceeded: keyof JsonBounds }

/** Limits of a text. */
export interface JsonBounds {
  /** How deep arrays and objects may nest. */
  depth: number
  /** How many values it may have, arrays and objects among them. */
  values: number
}

/**
 * Parses JSON in steps, for a text that `JSON.parse` would take too long for. A long string in it is decoded slice by
 * slice. The value is the one that `JSON.parse` gives.
 *
 * @param bounds  Looked at before a value is made. Default: none.
 * @see RFC 8259
 */
export function* jsonSteps(
  text: string,
  bounds: JsonBounds = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY },
): Generator<undefined, ParsedJson> {
  const open: Container[] = []
  const strings = createJsonStrings(text)
  let root: unknown
  let key = ''
  let state: State = 'value'
  let at = 0
  let start = 0
  let tokens = 0
  let values = 0
  const add = (value: unknown): void => {
    values++
    const container = open.at(-1)
    if (container === undefined) root = value
    else if (Array.isArray(container)) container.push(value)
    else if (key === '__proto__')
      Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true })
    else container[key] = value
  }
  for (;;) {
    if ((++tokens & 31) === 0 || at - start === mostSpaces) yield
    start = at
    at = skip(spaces, text, start)
    if (at - start === mostSpaces) continue
    if (at === text.length) return state === 'end' ? { value: root } : { fault: at }
    const char = text[at]
    if (state === 'end') return { fault: at }
    if (values > bounds.values) return { exceeded: 'values' }
    if ((char === '}' || char === ']') && closes[state] === char) {
      open.pop()
      at++
      state = afterValue(open)
    } else if (state === 'colon' || state === 'comma-}' || state === 'comma-]') {
      if (char !== (state === 'colon' ? ':' : ',')) return { fault: at }
      at++
      state = state === 'comma-}' ? 'key' : 'value'
    } else if (state === 'key' || state === 'key-or-}') {
      if (char !== '"') return { fault: at }
      const read = yield* strings(at)
      if ('fault' in read) return read
      key = read.value
      at = read.end
      state = 'colon'
    } else if (char === '{' || char === '[') {
      if (open.length >= bounds.depth) return { exceeded: 'depth' }
      const container: Container = char === '{' ? {} : []
      add(container)
      open.push(container)
      at++
      state = char === '{' ? 'key-or-}' : 'value-or-]'
    } else if (char === '"') {
      const read = yield* strings(at)
      if ('fault' in read) return read
      add(read.value)
      at = read.end
      state = afterValue(open)
    } else {
      const end = skip(scalar, text, at)
      if (end === at) return { fault: at }
      add(JSON.parse(text.slice(at, end)))
      at = end
      state = afterValue(open)
    }
  }
}

type Container = unknown[] | Record<string, unknown>

type State = 'value' | 'value-or-]' | 'key' | 'key-or-}' | 'colon' | 'comma-}' | 'comma-]' | 'end'

const closes: Partial<Record<State, string>> = {
  'key-or-}': '}',
  'comma-}': '}',
  'value-or-]': ']',
  'comma-]': ']',
}
/** How much white space is skipped in one step. */
const mostSpaces = 32 * 1024
const spaces = new RegExp(`[ \\t\\r\\n]{0,${mostSpaces}}`, 'y')
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/y

function afterValue(open: readonly Container[]): State {
  const last = open.at(-1)
  return last === undefined ? 'end' : Array.isArray(last) ? 'comma-]' : 'comma-}'
}

function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at
  form.test(text)
  return form.lastIndex
}
