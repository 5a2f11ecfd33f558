import { suggest } from '../core/suggest.ts'
import { flags, variableOf } from './flags.ts'
import { readValue } from './values.ts'

/** What the LOCALPOST_* variables say. */
export interface Environment {
  /** Path of the configuration file. */
  config: string | undefined
  /** By option name, read and checked; only what was given. */
  options: Record<string, unknown>
  /** One sentence per variable that looks like a slip of a real one. */
  warnings: string[]
}

/**
 * Reads the LOCALPOST_* variables; an empty one counts as not set, as composing tools pass them.
 *
 * @throws invalid_option for a wrong value, with the variable's name.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  const options: Record<string, unknown> = {}
  for (const flag of flags) {
    const source = variableOf(flag.name)
    const text = variables[source]
    if (!text) continue
    const texts = flag.kind === 'list' ? text.split(',').map((part) => part.trim()) : [text]
    options[flag.option] = readValue(flag, texts, source)
  }
  return { config: variables[variableOf('config')] || undefined, options, warnings: findSlips(variables) }
}

// Others' variables may begin with LOCALPOST_ too (an app's LOCALPOST_URL), so a slip is warned of, not refused.
function findSlips(variables: NodeJS.ProcessEnv): string[] {
  const known = [...flags.map((flag) => variableOf(flag.name)), variableOf('config')]
  const endings = known.map((name) => name.slice(prefix.length))
  return Object.keys(variables).flatMap((name) => {
    if (!name.startsWith(prefix) || known.includes(name)) return []
    const near = suggest(name.slice(prefix.length), endings)
    return near ? [`${name} is not a variable of Localpost. Did you mean ${prefix}${near}?`] : []
  })
}

const prefix = 'LOCALPOST_'
