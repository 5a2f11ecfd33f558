import { kinds } from '../options/kinds.ts'
import { readTyped } from '../options/read.ts'
import { misspeltVariables, variableOf } from '../options/variables.ts'
import { optionFlags, setOption } from './option-flags.ts'

/** What the LOCALPOST_* variables say. */
export interface Environment {
  /** Path of the configuration file. */
  config: string | undefined
  /** The options that they set, checked. */
  options: Record<string, unknown>
  /** One sentence per variable that looks like a misspelt one. */
  warnings: string[]
}

/**
 * Reads the LOCALPOST_* variables; an empty one counts as not set, because compose files pass those.
 *
 * @throws invalid_option for a wrong value, with the variable's name.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const options: Record<string, unknown> = {}
  for (const { name, option } of optionFlags) {
    const source = variableOf(name)
    const text = variables[source]
    if (!text) continue
    const texts = kinds[option.row.kind].isList ? text.split(',').map((part) => part.trim()) : [text]
    setOption(options, option.path, readTyped(texts, option, source))
  }
  return {
    config: variables[variableOf('config')] || undefined,
    options,
    warnings: misspeltVariables(variables),
  }
}
