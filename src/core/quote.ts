/** A value as an error message quotes it: JSON, cut at 80 characters. Never throws, whatever the value. */
export function quote(value: unknown): string {
  return shorten(toText(value), quotedLength)
}

const quotedLength = 80

/** A text of at most so many characters; a longer one ends with `…`. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  // A slice of a string keeps the whole of it in memory.
  return `${decoder.decode(encoder.encode(text.slice(0, maxLength - 1)))}…`
}

// Exists in browsers too, where the client runs.
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function toText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, quotedLength))
  return typeof value === 'object' && value !== null ? beginningOf(value) : String(value)
}

// Only the beginning of a large or deep value is read: each member adds at least one character to the quotation.
function beginningOf(value: object): string {
  let left = quotedLength
  try {
    const text = JSON.stringify(value, (_, member: unknown) => {
      if (left-- <= 0) return undefined
      return typeof member === 'string' || Array.isArray(member) ? member.slice(0, quotedLength) : member
    })
    return text ?? 'an object'
  } catch {
    // Only callers of the library can pass such a value: a cycle, a BigInt, a `toJSON` that throws.
    return 'an object'
  }
}

/** The first 100 of many messages, and how many more there are, so that a hostile request gets no large answer. */
export function listFirst<T>(all: Iterable<T>, say: (one: T) => string): string[] {
  const first = createFirst()
  for (const one of all) first.add(() => say(one))
  return first.all()
}

/** The same for messages that are added one by one. */
export function createFirst(): { add(say: () => string): void; all(): string[] } {
  const said: string[] = []
  let others = 0
  return {
    add(say) {
      if (said.length < maxNamed) said.push(say())
      else others++
    },
    all: () => (others > 0 ? [...said, andMore(others)] : said),
  }
}

/** The last of several messages, in place of those that are left out. */
export const andMore = (count: number): string => `and ${count} more`

/** How many of several messages are named. */
export const maxNamed = 100
