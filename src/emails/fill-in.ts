import { validationError } from '../core/errors.ts'

/** The maximum number of pairs of opening braces in one email, because each costs a search for a placeholder. */
const maxPlaceholders = 100_000

/** A placeholder in a text: `{{ name }}`. */
export interface Placeholder {
  name: string
  start: number
  end: number
}

/** A text that is filled in more than once is searched and measured once. */
export interface SizedText {
  text: string
  /** In UTF-8. */
  bytes: number
}

/** How many UTF-8 bytes may still be used. */
export interface ByteLimit {
  left: number
  /** The error for more. */
  exceeded(): Error
}

/**
 * Finds the placeholders of the texts of one email.
 *
 * @throws validation_error for too many pairs of opening braces.
 */
export function placeholdersOf<Field extends string>(
  parts: Readonly<Record<Field, string>>,
  fields: readonly Field[],
): Record<Field, Placeholder[]> {
  let left = maxPlaceholders
  const found = fields.map((field) => {
    const source = parts[field]
    const placeholders: Placeholder[] = []
    // A search for braces is several times faster than a regular expression over the whole text.
    for (let at = source.indexOf('{{'); at !== -1;) {
      if (--left < 0) throw tooMany(field)
      placeholder.lastIndex = at
      const name = placeholder.exec(source)?.[1]
      const end = name === undefined ? at + 1 : placeholder.lastIndex
      if (name !== undefined) placeholders.push({ name, start: at, end })
      at = source.indexOf('{{', end)
    }
    return [field, placeholders] as const
  })
  return Object.fromEntries(found) as Record<Field, Placeholder[]>
}

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/y

function tooMany(field: string): Error {
  const message = `has too many placeholders: an email may have at most ${maxPlaceholders} pairs of opening braces`
  return validationError([{ field, message }])
}

/**
 * Replaces the placeholders of a text by values. Nothing is added before its size is taken from the limit.
 *
 * @param valueOf  Undefined leaves a placeholder as written.
 * @throws the error of the limit.
 */
export function fillIn(
  source: string,
  placeholders: readonly Placeholder[],
  limit: ByteLimit,
  valueOf: (name: string) => SizedText | undefined,
): string {
  let filled = ''
  let done = 0
  for (const { name, start, end } of placeholders) {
    const value = valueOf(name)
    if (!value) continue
    const between = source.slice(done, start)
    spend(limit, Buffer.byteLength(between) + value.bytes)
    filled += between + value.text
    done = end
  }
  const rest = done === 0 ? source : source.slice(done)
  spend(limit, Buffer.byteLength(rest))
  return filled + rest
}

/** Takes bytes from a limit. @throws its error if fewer are left. */
export function spend(limit: ByteLimit, bytes: number): void {
  limit.left -= bytes
  if (limit.left < 0) throw limit.exceeded()
}
