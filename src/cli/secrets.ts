import { invalidOption } from '../core/errors.ts'
import type { CommandOptions } from '../options/options.ts'
import { readSecretFile } from './secret-file.ts'

/**
 * Reads the file that `apiKeyFile` names. A key on the command line is visible in the list of processes and in the
 * history of the shell, and a variable is visible in the environment of the process. A file avoids both.
 *
 * @param sources  The sources in order of precedence. The first one with keys or a file of keys decides; if it has both,
 *   both count.
 * @param warnings  Gets sentences about the file.
 * @returns The keys, if a source names any, and the file of the first key, if it came from one.
 * @throws invalid_option if the file cannot be used.
 */
export async function readKeys(
  sources: readonly CommandOptions[],
  warnings: string[] = [],
): Promise<{ apiKeys?: string[] | undefined; file?: string }> {
  const { apiKeys, apiKeyFile } = sources.find((source) => source.apiKeys ?? source.apiKeyFile) ?? {}
  if (apiKeyFile === undefined) return { apiKeys }
  const lines = await readSecretFile(apiKeyFile, '--api-key-file', warnings)
  // Not quoted: messages end in logs.
  const at = lines.findIndex((line) => !/^[\x21-\x7e]+$/.test(line))
  if (at >= 0)
    throw invalidOption(
      `--api-key-file: key ${at + 1} in ${apiKeyFile} must be printable ASCII without spaces. Write one key per line.`,
    )
  return { apiKeys: [...(apiKeys ?? []), ...lines], ...(!apiKeys && { file: apiKeyFile }) }
}

/**
 * The URL of the relay, with the password from the file of `relayPasswordFile`; undefined without a relay.
 *
 * @param options  The strongest value of each, whichever source it came from.
 * @throws invalid_option if the file cannot be used, or the URL has no user or a password already.
 */
export async function readRelay(
  { relay, relayPasswordFile }: CommandOptions,
  warnings: string[],
): Promise<string | undefined> {
  if (relayPasswordFile === undefined) return relay
  if (relay === undefined)
    throw invalidOption('--relay-password-file needs a relay: add --relay smtp://user@host:587.')
  const url = new URL(relay)
  if (url.username === '')
    throw invalidOption('--relay-password-file needs a user in the URL of the relay: smtp://user@host:587.')
  if (url.password !== '')
    throw invalidOption(
      'The password of the relay is given twice, in its URL and by --relay-password-file. Remove one of them.',
    )
  const password = await readSecretLine(relayPasswordFile, {
    source: '--relay-password-file',
    content: 'password',
    warnings,
  })
  // The setter of `URL` does not encode a percent sign.
  url.password = encodeURIComponent(password)
  return url.href
}

/**
 * The secret of the OpenID client, also from the file of `oidcClientSecretFile`; undefined if there is none.
 *
 * @param options  The strongest value of each, whichever source it came from.
 * @throws invalid_option if the file cannot be used, or the secret is given twice.
 */
export async function readClientSecret(
  { oidc, oidcClientSecretFile: path }: CommandOptions,
  warnings: string[],
): Promise<string | undefined> {
  if (path === undefined) return oidc?.clientSecret
  if (oidc?.clientSecret !== undefined)
    throw invalidOption(
      'The secret is given twice, by --oidc-client-secret and by --oidc-client-secret-file. Remove one.',
    )
  return await readSecretLine(path, { source: '--oidc-client-secret-file', content: 'secret', warnings })
}

/** Reads a file of one line. */
async function readSecretLine(
  path: string,
  { source, content, warnings }: { source: string; content: string; warnings: string[] },
): Promise<string> {
  const [line = '', ...others] = await readSecretFile(path, source, warnings)
  if (others.length === 0) return line
  throw invalidOption(`${source}: ${path} has several lines; it must contain the ${content} only.`)
}
