import { invalidOption } from '../core/errors.ts'
import { allRows, type CommandOptions, type LocalpostOptions } from '../options/options.ts'
import { readOptions, type Rows } from '../options/read.ts'
import type { Arguments } from './arguments.ts'
import { readCertificate, type ReadCertificate } from './certificate.ts'
import { readConfigFile } from './config-file.ts'
import { readEnvironment } from './environment.ts'
import { readMailpitVariables } from './mailpit-variables.ts'
import { readClientSecret, readKeys, readRelay } from './secrets.ts'

/** The settings that the command starts with. */
export interface Settings {
  port: number
  quiet: boolean
  /** Set if it prints JSON instead of lines for people. */
  logFormat?: 'json'
  /** For createLocalpost. */
  options: LocalpostOptions & { host: string; smtpPort: number }
  /** The file of the key that the banner names; absent if the key came from elsewhere. */
  keyFile?: string
  /** Whether variables of Mailpit are set, as containers for it have. */
  isForMailpit?: true
  /** Reads the certificate again; absent without one. */
  readCertificate?: () => Promise<ReadCertificate>
  /** Warnings for the user; it starts anyway. */
  warnings: string[]
}

/**
 * Joins flags, variables (Mailpit's after our own), the configuration file and the defaults. The first that sets an option wins. Groups such as
 * `dns` are joined member by member.
 *
 * @param cwd  The folder in which a configuration file is looked for, and to which paths are relative.
 * @throws invalid_option for a wrong value or an impossible combination, with its source.
 */
export async function resolveSettings(
  given: Pick<Arguments, 'config' | 'options'>,
  variables: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Settings> {
  const environment = readEnvironment(variables)
  const file = await readConfigFile(given.config ?? environment.config, cwd)
  const isPlaceGiven = [given.options, environment.options].some(
    ({ dir, store, memory }) => dir !== undefined || store !== undefined || memory !== undefined,
  )
  const mailpit = readMailpitVariables(variables, { isPlaceGiven })
  const sources: readonly CommandOptions[] = [given.options, environment.options, mailpit.options, file]
  const merged = merge([...sources, commandDefaults], allRows)
  assertComplete(merged)
  const {
    port,
    quiet,
    logFormat,
    memory: _memory,
    apiKeyFile: _keys,
    relayPasswordFile: _password,
    oidcClientSecretFile: _secret,
    tlsCert,
    tlsKey,
    ...options
  } = merged
  const warnings = [...environment.warnings, ...mailpit.warnings]
  const keys = await readKeys(sources, warnings)
  const relay = await readRelay(merged, warnings)
  const clientSecret = await readClientSecret(merged, warnings)
  const certificate = tlsCert === undefined && tlsKey === undefined ? null : { cert: tlsCert, key: tlsKey }
  const tls = certificate && (await readCertificate(certificate))
  if (tls) {
    options.tls = tls.certificate
    warnings.push(...tls.warnings)
  }
  if (keys.apiKeys) options.apiKeys = keys.apiKeys
  if (relay !== undefined) options.relay = relay
  if (clientSecret !== undefined) options.oidc = { ...options.oidc, clientSecret }
  const place = placeOfData(sources)
  if (place !== 'dir') delete options.dir
  if (place !== 'store') delete options.store
  assertDifferentPorts([
    ['--port', port],
    ['--smtp-port', options.smtpPort],
    ['--smtps-port', options.smtpsPort ?? 0],
  ])
  if (options.relayAll && !options.relay)
    throw invalidOption('--relay-all needs a relay: add --relay smtp://host:port.')
  return {
    port,
    quiet,
    options,
    ...(logFormat === 'json' && { logFormat: 'json' as const }),
    ...(keys.file !== undefined && { keyFile: keys.file }),
    ...(mailpit.isUsed && { isForMailpit: true as const }),
    ...(certificate && { readCertificate: () => readCertificate(certificate) }),
    warnings,
  }
}

/** @throws invalid_option for two equal ports; 0 takes a free one. */
function assertDifferentPorts(ports: readonly (readonly [flag: string, port: number])[]): void {
  for (const [at, [flag, port]] of ports.entries()) {
    const other = ports.slice(at + 1).find(([, one]) => port !== 0 && one === port)
    if (other)
      throw invalidOption(
        `${flag} and ${other[0]} are both ${port}. Give each a port of its own; 0 takes a free one.`,
      )
  }
}

/** The defaults of the command, for options that no source sets. */
const commandDefaults: CommandOptions = Object.fromEntries(
  Object.entries(allRows)
    .filter(([, row]) => row.command === true || row.commandDefault !== undefined)
    .map(([name, row]) => [name, row.commandDefault ?? row.default])
    .filter(([, value]) => value !== null),
)

function merge(sources: readonly object[], rows: Rows): object {
  const entries = Object.entries(rows).map(([name, { members }]) => {
    const given = sources
      .map((source): unknown => Reflect.get(source, name))
      .filter((one) => one !== undefined)
    if (!members || given.length === 0) return [name, given[0]]
    const groups = given.map((group): object => Object(group))
    return [name, merge(groups, members)]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/**
 * Where the data is. The first source with any of these options decides, so that `--dir` overrides LOCALPOST_STORE, and
 * the other way round.
 */
function placeOfData(sources: readonly CommandOptions[]): 'dir' | 'store' | 'memory' {
  for (const { memory, dir, store } of sources) {
    const isGiven = { dir: dir !== undefined, store: store !== undefined, memory: memory === true }
    const places = (['dir', 'store', 'memory'] as const).filter((place) => isGiven[place])
    if (places.length > 1)
      throw invalidOption(
        'A data folder, a database and memory exclude each other: give one of --dir, --store and --memory.',
      )
    if (places[0]) return places[0]
    // Without a folder, `memory: false` means the default one.
    if (memory === false) return 'dir'
  }
  return 'dir'
}

type Complete = CommandOptions & Pick<Required<CommandOptions>, 'port' | 'quiet' | 'host' | 'smtpPort'>

// Each option was already checked when its source was read. This check exists for the compiler.
function assertComplete(merged: object): asserts merged is Complete {
  readOptions(merged, allRows)
}
