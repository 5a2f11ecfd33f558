import { flagsOf } from './arguments.ts'
import { type Command, type Flag, namedCommands } from './commands.ts'
import { paint } from './output.ts'

/**
 * The text of a command's --help.
 *
 * @param isWhole  Whether it lists every flag, as --help all does, or only those that are often used.
 */
export function renderHelp(command: Command, isWhole: boolean): string {
  const width = Math.min(process.stdout.columns || maxWidth, maxWidth)
  const all = flagsOf(command)
  const isServer = command.name === ''
  const isRare = ({ name, isRare: rarely = false }: Flag): boolean =>
    isServer ? rarely : (command.rare ?? []).includes(name)
  const flags = isWhole ? all : all.filter((flag) => !isRare(flag))
  const hiddenCount = all.length - flags.length
  const more = `${hiddenCount} more options: localpost ${isServer ? '' : `${command.name} `}--help all`
  const titleOf = ({ section }: Flag): string => (isServer ? (section ?? 'General') : 'Options')
  const sections = [...new Set(flags.map(titleOf))].map((title) => {
    const listed = flags.filter((flag) => titleOf(flag) === title)
    return [paint('bold', `${title}:`), ...rowsOf(listed.map(rowOf), flags.map(rowOf), width)].join('\n')
  })
  const commands = namedCommands.map(({ name, summary }) => [name, summary] as const)
  return [
    [paint('bold', 'Usage:'), ...command.usage.map((line) => `  ${line}`)].join('\n'),
    ...command.about.map((text) => wrap(text, width).join('\n')),
    ...(isServer ? [[paint('bold', 'Commands:'), ...rowsOf(commands, commands, width)].join('\n')] : []),
    ...sections,
    ...(hiddenCount > 0 ? [more] : []),
    ...command.notes.map((text) => wrap(text, width).join('\n')),
    `Exit codes: ${command.exitCodes}.`,
  ].join('\n\n')
}

const maxWidth = 100

function rowOf({ name, short, value, help, default: shown }: Flag): readonly [string, string] {
  const letter = short === undefined ? '' : `-${short}, `
  const hint = value === undefined ? '' : ` <${value}>`
  return [`${letter}--${name}${hint}`, shown === undefined ? help : `${help} (default:\u00A0${shown})`]
}

/** Two columns, the second one wrapped; `all` are the rows that share the width of the first. */
function rowsOf(
  rows: readonly (readonly [string, string])[],
  all: readonly (readonly [string, string])[],
  width: number,
): string[] {
  const column = Math.max(...all.map(([label]) => label.length)) + 4
  return rows.flatMap(([label, text]) =>
    wrap(text, width - column).map((line, at) => `${(at === 0 ? `  ${label}` : '').padEnd(column)}${line}`),
  )
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const joined = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length === 0 || joined.length > width) lines.push(word)
    else lines[lines.length - 1] = joined
  }
  return lines.map((line) => line.replace('\u00A0', ' '))
}
