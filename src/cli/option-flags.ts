import { kinds } from '../options/kinds.ts'
import { listRows, type PlacedRow } from '../options/read.ts'
import { optionSections } from '../options/table.ts'
import type { Flag } from './commands.ts'

/** The flag of an option, from its row. */
export interface OptionFlag extends Flag {
  option: PlacedRow
  /** The value to type, for docs/cli.md. */
  takes: string
}

/** Every flag that sets an option, in the order of the table. */
export const optionFlags: readonly OptionFlag[] = Object.entries(optionSections).flatMap(([section, rows]) =>
  listRows(rows).flatMap((option) =>
    option.row.flag === undefined ? [] : flagOf(option.row.flag, option, section),
  ),
)

/** The flag is rare, so that the short help leaves it out, unless the row of its option says `often`. */
function flagOf(name: string, option: PlacedRow, section: string): OptionFlag {
  const { row } = option
  const kind = kinds[row.kind]
  const shown = row.commandDefault ?? row.default
  return {
    option,
    name,
    value: row.hint ?? kind.hint ?? row.values?.join('|'),
    help: row.help,
    section,
    isRare: row.often === undefined,
    takes: kind.typed?.(row) ?? kind.takes(row),
    default: typeof shown === 'string' || typeof shown === 'number' ? String(shown) : undefined,
  }
}

/** Sets an option by its path: `['dns', 'servers']` is a member of a group, which is made if it is not there. */
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
