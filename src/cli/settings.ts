import { LocalpostError } from '../core/errors.ts'
import type { LocalpostOptions } from '../options/options.ts'
import type { Arguments } from './arguments.ts'
import { readConfigFile } from './config-file.ts'
import { readEnvironment } from './environment.ts'
import type { CliOptions } from './flags.ts'
import { readKeys, readRelay } from './secrets.ts'
import { assertOption } from './values.ts'

/** All that the command starts with, whoever said it. */
export interface Settings {
  port: number
  quiet: boolean
  /** For createLocalpost. */
  options: LocalpostOptions & { host: string; smtpPort: number }
  /** What to tell the user, although it starts. */
  warnings: string[]
}

/**
 * Joins flags, variables, the configuration file and the defaults; the first that names an option wins, whole.
 *
 * @param cwd  Where a configuration file is looked for, and what relative paths mean.
 * @throws invalid_option for whatever cannot be meant, with its source.
 */
export async function resolveSettings(
  given: Arguments,
  variables: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Settings> {
  const environment = readEnvironment(variables)
  const file = await readConfigFile(given.config ?? environment.config, cwd)
  const sources: object[] = [given.options, environment.options, file, defaults]
  const merged: object = Object.assign({}, ...sources.toReversed())
  assertOptions(merged)
  const { apiKeyFile: _file, relayPasswordFile: _password, memory: _, ...read } = { ...defaults, ...merged }
  const keys = await readKeys(sources)
  const { relay, warnings } = await readRelay(merged)
  const { port, quiet, dnsServers, ...options } = read
  if (keys.apiKeys) options.apiKeys = keys.apiKeys
  if (relay !== undefined) options.relay = relay
  if (dnsServers) options.dns = { ...options.dns, servers: dnsServers }
  if (isInMemory(sources)) delete options.dir
  if (options.relayAll && !options.relay) {
    throw new LocalpostError(
      'invalid_option',
      '--relay-all needs a relay: give --relay smtp://host:port too.',
    )
  }
  return { port, quiet, options, warnings: [...environment.warnings, ...keys.warnings, ...warnings] }
}

const defaults: CliOptions & Pick<Required<CliOptions>, 'port' | 'quiet' | 'host' | 'smtpPort'> = {
  port: 8025,
  smtpPort: 1025,
  host: '127.0.0.1',
  dir: './.localpost',
  quiet: false,
}

/** The first source that speaks of either decides, so `--dir` undoes a variable's memory, and the reverse. */
function isInMemory(sources: readonly CliOptions[]): boolean {
  const source = sources.find(({ memory, dir }) => memory !== undefined || dir !== undefined)
  if (source?.memory && source.dir !== undefined) {
    throw new LocalpostError(
      'invalid_option',
      'A data folder and memory exclude each other: give --dir or --memory.',
    )
  }
  return source?.memory === true
}

// Each was checked with its source's name when it was read; this tells the compiler.
function assertOptions(options: object): asserts options is CliOptions {
  for (const [name, value] of Object.entries(options)) assertOption(name, value)
}
