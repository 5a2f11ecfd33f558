import { invalidOption, type LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import { kinds } from './kinds.ts'
import type { Row } from './row.ts'

/** The rows of options by name, as in the table. */
export type Rows = Readonly<Record<string, Row>>

/** A row and its path: `['dns', 'servers']`. */
export interface PlacedRow {
  path: readonly string[]
  row: Row
}

/** All rows; the members of a group follow it. */
export function listRows(rows: Rows, within: readonly string[] = []): PlacedRow[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const path = [...within, name]
    return [{ path, row }, ...listRows(row.members ?? {}, path)]
  })
}

/**
 * Checks options by their rows, and completes the values of some kinds. Defaults are not filled in.
 *
 * @returns The options that were given; undefined counts as not given.
 * @throws invalid_option for an unknown name (with the nearest real one), one that was renamed (with its new name), or a
 *   wrong value.
 */
export function readOptions(
  given: object,
  rows: Rows,
  within: readonly string[] = [],
): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined
    if (!row) throw unknownOption(name, rows, within)
    if (value !== undefined) read[name] = readOption(value, row, [...within, name])
  }
  return read
}

/** Checks one option. @throws invalid_option */
function readOption(value: unknown, row: Row, path: readonly string[]): unknown {
  const kind = kinds[row.kind]
  const name = path.join('.')
  if (!kind.is(value, row, name))
    throw invalidOption(`Option "${name}" ${complaint(value, row, kind.takes(row))}`)
  if (row.members) return readOptions(Object(value), row.members, path)
  return kind.complete ? kind.complete(value, name) : value
}

/**
 * Reads the texts given for a flag, or those of a variable.
 *
 * @param source  The flag or variable, for errors: `--port`, `LOCALPOST_PORT`.
 * @returns The value as `readOptions` takes it: checked, not completed.
 * @throws invalid_option with the source, the value (unless it may be secret), and the valid values.
 */
export function readTyped(texts: readonly string[], { row, path }: PlacedRow, source: string): unknown {
  const kind = kinds[row.kind]
  const wrong = texts.find((text) => !kind.is(kind.read?.([text]), row, path.join('.')))
  if (wrong !== undefined)
    throw invalidOption(`${source} ${complaint(wrong, row, kind.typed?.(row) ?? kind.takes(row))}`)
  const value = kind.read?.(texts)
  readOption(value, row, path)
  return value
}

/** The end of an error about a wrong value. Values that may be secrets are not quoted, because errors end up in logs. */
function complaint(value: unknown, row: Row, wanted: string): string {
  const isHidden = kinds[row.kind].isSecret && value !== ''
  return isHidden ? `takes ${wanted}.` : `is ${quote(value)}; it takes ${wanted}.`
}

function unknownOption(name: string, rows: Rows, within: readonly string[]): LocalpostError {
  const prefix = [...within, ''].join('.')
  const near = suggest(name, Object.keys(rows))
  const hint = near ? `Did you mean "${prefix}${near}"?` : `Known: ${Object.keys(rows).join(', ')}.`
  return invalidOption(`Unknown option ${quote(`${prefix}${name}`)}. ${hint}`)
}
