import { LocalpostError } from '../core/errors.ts'
import type { CommandOptions } from '../options/options.ts'
import { readSecretFile } from './secret-file.ts'

/** API keys, and sentences about the files that they came from. */
export interface Keys {
  /** Undefined if no source names any. */
  apiKeys: string[] | undefined
  /** The file of the first key, if it came from one. */
  file?: string
  warnings: string[]
}

/**
 * Reads the file that `apiKeyFile` names. A key on the command line is visible in the list of processes and in the
 * history of the shell, and a variable is visible in the environment of the process. A file avoids both.
 *
 * @param sources  The sources in order of precedence. The first one with keys or a file of keys decides; if it has both,
 *   both count.
 * @throws invalid_option if the file cannot be used.
 */
export async function readKeys(sources: readonly CommandOptions[]): Promise<Keys> {
  const { apiKeys, apiKeyFile } = sources.find((source) => source.apiKeys ?? source.apiKeyFile) ?? {}
  if (apiKeyFile === undefined) return { apiKeys, warnings: [] }
  const { lines, warning } = await readSecretFile(apiKeyFile, '--api-key-file')
  assertKeys(lines, apiKeyFile)
  return {
    apiKeys: [...(apiKeys ?? []), ...lines],
    ...(!apiKeys && { file: apiKeyFile }),
    warnings: warning === null ? [] : [warning],
  }
}

/** The URL of a relay, and sentences about the file that its password came from. */
export interface Relay {
  /** Undefined if no source names any. */
  relay: string | undefined
  warnings: string[]
}

/**
 * Adds the password from the file of `relayPasswordFile` to the URL of the relay.
 *
 * @param options  The strongest value of each, whichever source it came from.
 * @throws invalid_option if the file cannot be used, or the URL has no user or a password already.
 */
export async function readRelay({ relay, relayPasswordFile }: CommandOptions): Promise<Relay> {
  if (relayPasswordFile === undefined) return { relay, warnings: [] }
  const url = relayWithUser(relay)
  const { lines, warning } = await readSecretFile(relayPasswordFile, '--relay-password-file')
  const password = onlyLine(lines, '--relay-password-file', relayPasswordFile, 'password')
  // The setter of `URL` does not encode a percent sign.
  url.password = encodeURIComponent(password)
  return { relay: url.href, warnings: warning === null ? [] : [warning] }
}

/** The secret of an OpenID client, and sentences about the file that it came from. */
export interface ClientSecret {
  /** Undefined if no source names any. */
  clientSecret: string | undefined
  warnings: string[]
}

/**
 * Reads the file that `oidcClientSecretFile` names.
 *
 * @param options  The strongest value of each, whichever source it came from.
 * @throws invalid_option if the file cannot be used, or the secret is given twice.
 */
export async function readClientSecret({
  oidc,
  oidcClientSecretFile: path,
}: CommandOptions): Promise<ClientSecret> {
  const { clientSecret } = oidc ?? {}
  if (path === undefined) return { clientSecret, warnings: [] }
  if (clientSecret !== undefined)
    refuse('The secret is given twice, by --oidc-client-secret and by --oidc-client-secret-file. Remove one.')
  const { lines, warning } = await readSecretFile(path, '--oidc-client-secret-file')
  const secret = onlyLine(lines, '--oidc-client-secret-file', path, 'secret')
  return { clientSecret: secret, warnings: warning === null ? [] : [warning] }
}

function onlyLine(lines: readonly string[], source: string, path: string, what: string): string {
  const [line = '', ...others] = lines
  if (others.length > 0) refuse(`${source}: ${path} has several lines; it must contain the ${what} only.`)
  return line
}

function assertKeys(lines: readonly string[], path: string): void {
  // Not quoted: messages end in logs.
  const at = lines.findIndex((line) => !/^[\x21-\x7e]+$/.test(line))
  if (at >= 0)
    refuse(
      `--api-key-file: key ${at + 1} in ${path} must be printable ASCII without spaces. Write one key per line.`,
    )
}

function relayWithUser(relay: string | undefined): URL {
  if (relay === undefined) {
    refuse('--relay-password-file needs a relay: add --relay smtp://user@host:587.')
  }
  const url = new URL(relay)
  if (url.username === '')
    refuse('--relay-password-file needs a user in the URL of the relay: smtp://user@host:587.')
  if (url.password !== '')
    refuse(
      'The password of the relay is given twice, in its URL and by --relay-password-file. Remove one of them.',
    )
  return url
}

function refuse(message: string): never {
  throw new LocalpostError('invalid_option', message)
}
