/** A string and the offset behind its closing quote, or the offset of what is wrong with it. */
export type ReadString = { value: string; end: number } | { fault: number }

/**
 * Reads the strings of a JSON text, from its beginning to its end, each in slices.
 *
 * @returns Reads the string that begins with the quote at an offset; offsets must grow from call to call.
 */
export function createJsonStrings(text: string): (start: number) => Generator<undefined, ReadString> {
  // Searched again only if it was passed, because a search without a hit reads all the rest.
  const quotes = createFinder(text, '"')
  const escapes = createFinder(text, '\\')

  /** Where a slice ends, never within an escape: after the maximum of characters, or before the closing quote. */
  function endOfSlice(start: number): number {
    const most = start + sliceChars
    for (let at = start; ;) {
      const quote = quotes(at)
      const escape = escapes(at)
      const next = Math.min(quote, escape, most)
      if (next === most || next === text.length || next !== escape) return next
      at = escape + (text[escape + 1] === 'u' ? 6 : 2)
      if (at >= most) return Math.min(at, text.length)
    }
  }

  return function* (start) {
    let value = ''
    for (let at = start + 1; ;) {
      const end = endOfSlice(at)
      const slice = decode(text.slice(at, end))
      if (slice === null) return { fault: faultIn(text, at) }
      value += slice
      if (text[end] === '"') return { value, end: end + 1 }
      if (end >= text.length) return { fault: text.length }
      at = end
      yield
    }
  }
}

/** How much of a string is decoded in one piece. */
const sliceChars = 32 * 1024

/** Finds a character at an offset or behind it; the length of the text where there is none. */
function createFinder(text: string, char: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) {
      found = text.indexOf(char, from)
      if (found === -1) found = text.length
    }
    return found
  }
}

/** null for an escape that JSON does not allow. */
function decode(slice: string): string | null {
  try {
    return JSON.parse(`"${slice}"`) as string
  } catch {
    return null
  }
}

const plain = /[^"\\\u0000-\u001f]*/y
const escaped = /(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

/** The offset of the first character that a string must not contain, for a slice that is known to contain one. */
function faultIn(text: string, start: number): number {
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
