import { validationError } from '../core/errors.ts'

/** The maximum number of pairs of opening braces in one email, because each costs a search for a placeholder. */
export const maxPlaceholders = 100_000

/** What remains of the limits while texts are filled in; see {@link fillIn}. */
export interface FillBudget {
  /** UTF-8 bytes that the results may still take. */
  bytes: number
  /** Pairs of opening braces that may still be examined; the texts of an email share it. */
  places: PlaceBudget
  /** The error for a result that exceeds the bytes. */
  exceeded(): Error
}

/** How many pairs of opening braces may still be examined. */
export interface PlaceBudget {
  left: number
}

/** A value with its size in UTF-8 bytes: a value that is used many times is measured once. */
export interface SizedValue {
  text: string
  bytes: number
}

/**
 * Replaces the placeholders of a text by values, in steps. Nothing is appended before its size is taken from the budget.
 *
 * @param field  The member that the text comes from, for errors.
 * @param valueOf  The value, or the steps that make it; undefined leaves the placeholder as written.
 * @throws validation_error for too many placeholders; the error of the budget for too many bytes.
 */
export function* fillIn(
  field: string,
  source: string,
  budget: FillBudget,
  valueOf: (name: string) => SizedValue | Generator<undefined, SizedValue> | undefined,
): Generator<undefined, string> {
  let filled = ''
  let done = 0
  for (let at = nextBraces(source, 0); at !== -1;) {
    const { name, end } = placeholderAt(field, source, at, budget.places)
    const given = name === undefined ? undefined : valueOf(name)
    if (given !== undefined) {
      const value = 'next' in given ? yield* given : given
      const between = source.slice(done, at)
      spend(budget, Buffer.byteLength(between))
      spend(budget, value.bytes)
      filled += between + value.text
      done = end
    }
    at = nextBraces(source, end)
    if (budget.places.left % placesAtOnce === 0) yield
  }
  const rest = done === 0 ? source : source.slice(done)
  spend(budget, Buffer.byteLength(rest))
  return filled + rest
}

/** How often each name occurs in a text, in steps. @throws validation_error for too many placeholders. */
export function* countPlaceholders(
  field: string,
  source: string,
  places: PlaceBudget,
): Generator<undefined, Map<string, { times: number; characters: number }>> {
  const counts = new Map<string, { times: number; characters: number }>()
  for (let at = nextBraces(source, 0); at !== -1;) {
    const { name, end } = placeholderAt(field, source, at, places)
    if (name !== undefined) {
      const count = counts.get(name)
      if (count) {
        count.times++
        count.characters += end - at
      } else counts.set(name, { times: 1, characters: end - at })
    }
    at = nextBraces(source, end)
    if (places.left % placesAtOnce === 0) yield
  }
  return counts
}

/** How many pairs of opening braces are examined in one step, because a step costs more than examining one. */
const placesAtOnce = 16

/** A search for braces is several times faster than a regular expression over the whole text. */
function nextBraces(source: string, from: number): number {
  return source.indexOf('{{', from)
}

/**
 * Reads the placeholder that begins at a pair of opening braces. Without a name there is no placeholder. The search
 * continues at `end`.
 */
function placeholderAt(
  field: string,
  source: string,
  at: number,
  places: PlaceBudget,
): { name: string | undefined; end: number } {
  if (--places.left < 0) {
    const message = `has too many placeholders: an email may have at most ${maxPlaceholders} pairs of opening braces`
    throw validationError([{ field, message }])
  }
  placeholder.lastIndex = at
  const name = placeholder.exec(source)?.[1]
  return { name, end: name === undefined ? at + 1 : placeholder.lastIndex }
}

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/y

/** Takes bytes from a budget. @throws The budget's error if it has fewer. */
export function spend(budget: FillBudget, bytes: number): void {
  budget.bytes -= bytes
  if (budget.bytes < 0) throw budget.exceeded()
}
