import { invalidOption } from '../core/errors.ts'
import { allRows, type CommandOptions, type LocalpostOptions } from '../options/options.ts'
import type { Rows } from '../options/read.ts'
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
 * Joins flags, variables (ours before Mailpit's), the configuration file and the defaults. The first that sets an option
 * wins. Groups such as `dns` are joined member by member.
 *
 * @param cwd  The folder in which a configuration file is looked for, and to which paths are relative.
 * @throws invalid_option for a wrong value or an impossible combination, with its source.
 */
export async function resolveSettings(
  given: Pick<Arguments, 'config' | 'options'>,
  variables: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Settings> {
  const { sources, warnings, isForMailpit } = await readSources(given, variables, cwd)
  // Each option was checked when its source was read, and `commandDefaults` has the four that `MergedOptions` requires.
  const merged = merge([...sources, commandDefaults], allRows) as MergedOptions
  const { keyFile, certificate, ...secrets } = await readSecrets(sources, merged, warnings)
  const place = placeOfData(sources)
  const options = { ...ofLibrary(merged, place), ...secrets }
  const { port, quiet, logFormat } = merged
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
    ...(keyFile !== undefined && { keyFile }),
    ...(isForMailpit && { isForMailpit: true as const }),
    ...(certificate && { readCertificate: () => readCertificate(certificate) }),
    warnings,
  }
}

/** The sources in order of precedence, without the defaults. */
async function readSources(
  given: Pick<Arguments, 'config' | 'options'>,
  variables: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ sources: readonly CommandOptions[]; warnings: string[]; isForMailpit: boolean }> {
  const environment = readEnvironment(variables)
  const file = await readConfigFile(given.config ?? environment.config, cwd)
  const isPlaceGiven = [given.options, environment.options].some(
    ({ dir, store, memory }) => dir !== undefined || store !== undefined || memory !== undefined,
  )
  const mailpit = readMailpitVariables(variables, { isPlaceGiven })
  return {
    sources: [given.options, environment.options, mailpit.options, file],
    warnings: [...environment.warnings, ...mailpit.warnings],
    isForMailpit: mailpit.isUsed,
  }
}

/** Reads the files of keys, passwords and certificates. @returns Options that have their content, and where they are. */
async function readSecrets(
  sources: readonly CommandOptions[],
  merged: MergedOptions,
  warnings: string[],
): Promise<Secrets> {
  const { apiKeys, file: keyFile } = await readKeys(sources, warnings)
  const relay = await readRelay(merged, warnings)
  const clientSecret = await readClientSecret(merged, warnings)
  const { tlsCert: cert, tlsKey: key, oidc } = merged
  const certificate = cert === undefined && key === undefined ? null : { cert, key }
  const tls = certificate && (await readCertificate(certificate))
  if (tls) warnings.push(...tls.warnings)
  return {
    ...(apiKeys && { apiKeys }),
    ...(relay !== undefined && { relay }),
    ...(clientSecret !== undefined && { oidc: { ...oidc, clientSecret } }),
    ...(tls && { tls: tls.certificate }),
    keyFile,
    certificate,
  }
}

interface Secrets extends Pick<LocalpostOptions, 'apiKeys' | 'relay' | 'oidc' | 'tls'> {
  keyFile: string | undefined
  certificate: Parameters<typeof readCertificate>[0] | null
}

/** The options without those that only the command has, and with one place of the data at most. */
function ofLibrary(merged: MergedOptions, place: 'dir' | 'store' | 'memory'): Settings['options'] {
  const others = ['dir', 'store'].filter((name) => name !== place)
  const entries = Object.entries(merged).filter(([name]) => !allRows[name]?.command && !others.includes(name))
  return Object.fromEntries(entries) as Settings['options']
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

type MergedOptions = CommandOptions & Pick<Required<CommandOptions>, 'port' | 'quiet' | 'host' | 'smtpPort'>
