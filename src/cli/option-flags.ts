import { kinds } from '../options/kinds.ts'
import { allRows } from '../options/options.ts'
import { listRows, type PlacedRow } from '../options/read.ts'
import type { Flag } from './command.ts'

/** The flag of an option, from its row. */
export interface OptionFlag extends Flag {
  option: PlacedRow
  /** The value to type, for docs/cli.md. */
  takes: string
}

/** Every flag that sets an option, in the order of the table. */
export const optionFlags: readonly OptionFlag[] = listRows(allRows).flatMap((option) => {
  const { row } = option
  if (row.flag === undefined) return []
  const kind = kinds[row.kind]
  const shown = row.commandDefault ?? row.default
  return {
    option,
    name: row.flag,
    value: row.hint ?? kind.hint?.(row),
    help: row.help,
    section: row.section,
    isRare: row.often === undefined,
    takes: kind.typed?.(row) ?? kind.takes(row),
    default: typeof shown === 'string' || typeof shown === 'number' ? String(shown) : undefined,
  }
})

/** Sets an option by its path: `['dns', 'servers']` is a member of a group. */
export function setOption(options: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...inner] = path
  if (inner.length === 0) {
    options[name] = value
    return
  }
  const group: Record<string, unknown> = { ...Object(options[name] ?? {}) }
  setOption(group, inner, value)
  options[name] = group
}
