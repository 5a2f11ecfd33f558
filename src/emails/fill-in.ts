import { validationError } from '../core/errors.ts'

/** How many pairs of opening braces one email may have: each is looked at in one piece. */
export const maxPlaceholders = 100_000

/** What remains of a bound while texts are filled in; see {@link fillIn}. */
export interface FillBudget {
  /** UTF-8 bytes that the results may still take. */
  bytes: number
  /** Pairs of opening braces that may still be looked at; the texts of an email share it. */
  places: PlaceBudget
  /** The error for a result that takes more bytes. */
  exceeded(): Error
}

/** How many pairs of opening braces may still be looked at. */
export interface PlaceBudget {
  left: number
}

/** A value with its size in UTF-8 bytes: a value that is used many times is measured once. */
export interface SizedValue {
  text: string
  bytes: number
}

/**
 * Replaces the placeholders of a text by values, in steps. It searches for braces, because that is several times faster than
 * a regular expression over the whole text. Nothing is appended before its size is taken from the budget.
 *
 * @param field  The member that the text comes from, for errors.
 * @param valueOf  Makes the value, in steps; undefined leaves the placeholder as written.
 * @throws validation_error for too many placeholders; what the budget gives for too many bytes.
 */
export function* fillIn(
  field: string,
  source: string,
  budget: FillBudget,
  valueOf: (name: string) => Generator<undefined, SizedValue | undefined>,
): Generator<undefined, string> {
  let filled = ''
  let done = 0
  const append = (text: string, bytes: number): void => {
    spend(budget, bytes)
    filled += text
  }
  yield* eachPlaceholder(field, source, budget.places, function* (name, at, end) {
    const value = yield* valueOf(name)
    if (value === undefined) return
    const between = source.slice(done, at)
    append(between, Buffer.byteLength(between))
    append(value.text, value.bytes)
    done = end
  })
  const rest = done === 0 ? source : source.slice(done)
  append(rest, Buffer.byteLength(rest))
  return filled
}

/** How often each name occurs in a text, in steps. @throws validation_error for too many placeholders. */
export function* countPlaceholders(
  field: string,
  source: string,
  places: PlaceBudget,
): Generator<undefined, Map<string, { times: number; characters: number }>> {
  const counts = new Map<string, { times: number; characters: number }>()
  yield* eachPlaceholder(field, source, places, (name, at, end) => {
    const count = counts.get(name)
    if (count) {
      count.times++
      count.characters += end - at
    } else counts.set(name, { times: 1, characters: end - at })
  })
  return counts
}

function* eachPlaceholder(
  field: string,
  source: string,
  places: PlaceBudget,
  visit: (name: string, at: number, end: number) => Generator<undefined, void> | void,
): Generator<undefined, void> {
  for (let at = source.indexOf('{{'); at !== -1;) {
    if (--places.left < 0) {
      const message = `has too many placeholders: an email may have at most ${maxPlaceholders} pairs of opening braces`
      throw validationError([{ field, message }])
    }
    placeholder.lastIndex = at
    const name = placeholder.exec(source)?.[1]
    const end = name === undefined ? at + 1 : placeholder.lastIndex
    const steps = name === undefined ? undefined : visit(name, at, end)
    if (steps) yield* steps
    at = source.indexOf('{{', end)
    yield
  }
}

const placeholder = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/y

/** Takes bytes from a budget. @throws what the budget gives where it has less. */
export function spend(budget: FillBudget, bytes: number): void {
  budget.bytes -= bytes
  if (budget.bytes < 0) throw budget.exceeded()
}
