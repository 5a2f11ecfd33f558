import { parseArgs as readTokens } from 'node:util'
import type { ArgsDef } from 'citty'
import { parseArgs } from 'citty'
import { LocalpostError } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'
import { flags } from './flags.ts'
import { readValue } from './values.ts'

/** What the command line says. */
export interface Arguments {
  help: boolean
  version: boolean
  /** Path of the configuration file. */
  config: string | undefined
  /** By option name, read and checked; only what was given. */
  options: Record<string, unknown>
}

/** The flags that set no option. */
const commandFlags: ArgsDef = {
  config: {
    type: 'string',
    valueHint: 'file',
    description: 'Configuration file, instead of a localpost.config.{js,mjs,json} found here',
  },
  help: { type: 'boolean', alias: 'h', description: 'Print this' },
  version: { type: 'boolean', alias: 'v', description: 'Print the version' },
}

/** Every flag, as citty describes a command's arguments. */
export const argsDef: ArgsDef = {
  ...Object.fromEntries(
    flags.map(({ name, kind, hint, description, default: shown }) => [
      name,
      kind === 'switch'
        ? { type: 'boolean', description }
        : { type: 'string', description, valueHint: hint, default: shown },
    ]),
  ),
  ...commandFlags,
}

/**
 * Reads the command line.
 *
 * @param raw  The arguments after the command's name.
 * @throws invalid_option for an unknown flag (with the nearest real one), an argument that is no flag,
 *   and a value that is missing or wrong.
 */
export function parseArguments(raw: readonly string[]): Arguments {
  const texts = readTexts(raw)
  const parsed = parseArgs([...raw], argsDef)
  const options: Record<string, unknown> = {}
  for (const flag of flags) {
    const given = texts.get(flag.name)
    if (!given) continue
    // citty knows `--no-strict`, but keeps only the last of several values.
    const values = flag.kind === 'switch' ? [String(parsed[flag.name])] : given
    options[flag.option] = readValue(flag, values, `--${flag.name}`)
  }
  const config = texts.get('config')?.at(-1)
  return { help: texts.has('help'), version: texts.has('version'), config, options }
}

/**
 * Every value of every flag, in the order given. citty takes any flag, any word and any missing value in
 * silence, so they are refused here.
 */
function readTexts(raw: readonly string[]): Map<string, string[]> {
  const names = Object.keys(argsDef)
  const { tokens } = readTokens({ args: [...raw], strict: false, tokens: true, options: nodeOptions() })
  const texts = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional')
      refuse(`"${token.value}" is not a flag. A command (import, export or doctor) stands first.`)
    if (token.kind !== 'option') continue
    const negated = token.name.startsWith('no-') && isSwitch(token.name.slice(3))
    const name = negated ? token.name.slice(3) : token.name
    if (!names.includes(name)) refuse(`Unknown flag ${token.rawName}.${hintFor(token.name, names)}`)
    if (!isSwitch(name) && !hasValue(token))
      refuse(`${token.rawName} needs a value: ${token.rawName}=<value>.`)
    if (token.value !== undefined && isSwitch(name) && !['true', 'false'].includes(token.value)) {
      refuse(`${token.rawName} is "${token.value}"; it takes =true, =false or nothing.`)
    }
    texts.set(name, [...(texts.get(name) ?? []), token.value ?? 'true'])
  }
  return texts
}

function nodeOptions(): Record<string, { type: 'boolean' | 'string'; short?: string }> {
  const shorts: Record<string, string> = { help: 'h', version: 'v' }
  return Object.fromEntries(
    Object.keys(argsDef).map((name) => {
      const short = shorts[name]
      return [name, { type: isSwitch(name) ? 'boolean' : 'string', ...(short && { short }) }]
    }),
  )
}

function isSwitch(name: string): boolean {
  return argsDef[name]?.type === 'boolean'
}

// `--port --quiet` is a forgotten value, not a port named "--quiet"; `--dir=--odd` says that it is meant.
function hasValue(token: { value?: string | undefined; inlineValue?: boolean | undefined }): boolean {
  return (
    token.value !== undefined &&
    token.value !== '' &&
    (token.inlineValue === true || !token.value.startsWith('-'))
  )
}

function hintFor(name: string, names: readonly string[]): string {
  const near = suggest(name, names)
  return near ? ` Did you mean --${near}?` : ''
}

function refuse(message: string): never {
  throw new LocalpostError('invalid_option', message)
}
