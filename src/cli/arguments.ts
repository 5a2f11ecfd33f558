import { parseArgs } from 'node:util'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import { readTyped } from '../options/read.ts'
import { type Command, type Flag, namedCommands, serveCommand } from './commands.ts'
import { optionFlags, setOption } from './option-flags.ts'

/** A parsed command line. */
export interface Arguments {
  /** Whether the help is wanted, and whether with every flag. */
  help: 'short' | 'all' | null
  version: boolean
  /** Path of the configuration file. */
  config: string | undefined
  /** The options that flags set, already checked. */
  options: Record<string, unknown>
  /** The last value of each flag that sets no option; for a switch "true" or "false". */
  flags: Readonly<Record<string, string | undefined>>
  /** Arguments that are not flags. */
  words: readonly string[]
}

/**
 * Finds the command that a command line calls.
 *
 * @returns The command, and the arguments after its name.
 * @throws invalid_option for an unknown command.
 */
export function findCommand(raw: readonly string[]): { command: Command; rest: readonly string[] } {
  // No arguments call the server, as flags alone do.
  const [first = '-', ...rest] = raw
  if (first.startsWith('-')) return { command: serveCommand, rest: raw }
  if (first === 'help') {
    const isWhole = rest.at(-1) === 'all'
    const { command } = findCommand(isWhole ? rest.slice(0, -1) : rest)
    return { command, rest: [isWhole ? '--help=all' : '--help'] }
  }
  const command = namedCommands.find(({ name }) => name === first)
  if (!command) throw invalidOption(unknownCommand(first))
  return { command, rest }
}

/** Every flag that a command takes. */
export function flagsOf({ options, flags }: Command): Flag[] {
  const ofOptions = optionFlags.flatMap((flag) => {
    const help = options === 'all' ? flag.help : options[flag.name]
    return help === undefined ? [] : [{ ...flag, help }]
  })
  return [...ofOptions, ...flags]
}

/**
 * Reads the arguments of a command.
 *
 * @throws invalid_option for an unknown flag (with a suggestion), an unexpected argument, and a missing or invalid value.
 */
export function parseArguments(raw: readonly string[], command: Command = serveCommand): Arguments {
  const { texts, words } = readTexts(raw, command)
  const options: Record<string, unknown> = {}
  for (const { name, option } of optionFlags) {
    const given = texts.get(name)
    if (given) setOption(options, option.path, readTyped(given, option, `--${name}`))
  }
  const flags = Object.fromEntries(command.flags.map(({ name }) => [name, texts.get(name)?.at(-1)]))
  const { help, version, config } = flags
  const shown = help === 'all' ? 'all' : help === 'true' ? 'short' : null
  return { help: shown, version: version === 'true', config, options, flags, words }
}

/** Every value of every flag, in the order given. Refuses unknown flags and missing values, which node:util would accept. */
function readTexts(
  raw: readonly string[],
  command: Command,
): { texts: Map<string, string[]>; words: string[] } {
  const flags = new Map(flagsOf(command).map((flag) => [flag.name, flag]))
  const options = Object.fromEntries(
    [...flags.values()].map(({ name, value, short }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...raw], strict: false, tokens: true, options })
  const texts = new Map<string, string[]>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // `--help all` is `--help=all`: the parser takes `all` as a positional.
      if (token.value === 'all' && texts.get('help')?.at(-1) === 'true') {
        texts.set('help', ['all'])
        continue
      }
      if (!command.takesWords) throw invalidOption(unexpected(token.value, command))
      words.push(token.value)
    }
    if (token.kind !== 'option') continue
    const positive = token.name.replace(/^no-/, '')
    const isNegated = !flags.has(token.name) && positive !== token.name
    const flag = flags.get(positive)
    if (!flag || (isNegated && flag.value !== undefined))
      throw invalidOption(unknownFlag(token, flags, command))
    const value = flag.value === undefined ? switchValue(token, isNegated) : requiredValue(token, flag)
    texts.set(flag.name, [...(texts.get(flag.name) ?? []), value])
  }
  return { texts, words }
}

interface Token {
  name: string
  rawName: string
  value?: string | undefined
  inlineValue?: boolean | undefined
}

function switchValue({ name, rawName, value = 'true' }: Token, isNegated: boolean): string {
  // The other spellings, `help all` and `--help all`, get this value in `findCommand` and `readTexts`.
  if (name === 'help' && value === 'all') return value
  if (value !== 'true' && value !== 'false')
    throw invalidOption(`${rawName} is ${quote(value)}; it takes =true, =false or nothing.`)
  return String((value === 'true') !== isNegated)
}

// In `--port --quiet` the value of --port is missing; `--quiet` is not its value. `--dir=--odd` sets a value with dashes.
function requiredValue({ rawName, value, inlineValue }: Token, flag: Flag): string {
  if (value && (inlineValue || !value.startsWith('-'))) return value
  throw invalidOption(`${rawName} needs a value: ${rawName}=<${flag.value}>.`)
}

function unknownFlag({ name, rawName }: Token, flags: ReadonlyMap<string, Flag>, command: Command): string {
  const near = name.length > 1 ? suggest(name, [...flags.keys()]) : undefined
  const what = `Unknown flag ${rawName}`
  if (near) return `${what}. Did you mean --${near}?`
  if (command.takesWords) return `${what}. Put an argument that begins with a dash behind --.`
  const isElsewhere = command.name !== '' && optionFlags.some((flag) => flag.name === name)
  const known = [...flags.keys()].map((flag) => `--${flag}`).join(', ')
  return isElsewhere ? `${command.name} does not take ${rawName}. It takes ${known}.` : `${what}.`
}

function unexpected(word: string, { name }: Command): string {
  if (name !== '') return `Unexpected argument ${quote(word)}: ${name} takes flags only.`
  return namedCommands.some((command) => command.name === word)
    ? `The command must come first: localpost ${word} …`
    : `Unexpected argument ${quote(word)}.`
}

function unknownCommand(word: string): string {
  const names = namedCommands.map(({ name }) => name)
  const near = suggest(word, names)
  return `Unknown command ${quote(word)}. ${near ? `Did you mean "${near}"?` : `Commands: ${names.join(', ')}.`}`
}
