import { parseArgs } from 'node:util'
import { toError } from '../client/answer-error.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import { suggest } from '../core/suggest.ts'
import { readEnvironment } from './environment.ts'
import { readKeys } from './secrets.ts'

/** A Localpost that runs elsewhere, in another process or on another machine. */
export interface Remote {
  /** As given, without a slash at its end. */
  url: string
  /**
   * Asks it for something of its control API.
   *
   * @param path  Begins with `/dev/`.
   * @returns An answer of success, its body not read yet.
   * @throws request_failed where nothing answers, else the error that it answered with.
   */
  ask(path: string, init?: { method: 'POST'; body: Uint8Array<ArrayBuffer>; type: string }): Promise<Response>
}

/** What a command that talks to a running Localpost was told. */
export interface RemoteArguments {
  help: boolean
  words: string[]
  /** By name: the command's own options. */
  options: Readonly<Record<string, string | undefined>>
  /** Where it was told to ask. @throws invalid_option when the URL is none, or the file of the key cannot be used. */
  connect(): Promise<Remote>
}

/**
 * Reads the command line of such a command: `--url`, `--api-key`, `--api-key-file`, `--help` and its own.
 *
 * @param name  The command's, for messages.
 * @param own  Its own options; each takes a value.
 * @param variables  `LOCALPOST_PORT`, `LOCALPOST_API_KEY` and `LOCALPOST_API_KEY_FILE` count where the flags are not given.
 * @throws invalid_option for what it does not know.
 */
export function parseRemoteArguments(
  name: string,
  raw: readonly string[],
  own: readonly string[],
  variables: NodeJS.ProcessEnv,
): RemoteArguments {
  const names = ['url', 'api-key', 'api-key-file', ...own]
  const { tokens } = parseArgs({
    args: [...raw],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(names.map((one) => [one, { type: 'string' as const }])),
    },
  })
  const given: Record<string, string> = {}
  const words: string[] = []
  let help = false
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (token.name === 'help') {
      help = true
      continue
    }
    if (!names.includes(token.name)) {
      const near = token.name.length > 1 ? suggest(token.name, [...names, 'help']) : undefined
      const hint = near
        ? `Did you mean --${near}?`
        : 'What begins with a dash and is no flag stands behind --.'
      throw new LocalpostError('invalid_option', `${name} has no flag ${token.rawName}. ${hint}`)
    }
    if (!token.value || (!token.inlineValue && token.value.startsWith('-'))) {
      throw new LocalpostError('invalid_option', `${token.rawName} needs a value: ${token.rawName}=<value>.`)
    }
    given[token.name] = token.value
  }
  return {
    help,
    words,
    options: given,
    async connect() {
      const { port = 8025, ...others } = readEnvironment(variables).options
      const environment: object = others
      const [apiKey, apiKeyFile] = [given['api-key'], given['api-key-file']]
      const { apiKeys = [] } = await readKeys([
        { ...(apiKey && { apiKeys: [apiKey] }), ...(apiKeyFile && { apiKeyFile }) },
        environment,
      ])
      return connectTo(given['url'] ?? `http://127.0.0.1:${String(port)}`, apiKeys[0] ?? null)
    },
  }
}

function connectTo(given: string, apiKey: string | null): Remote {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    const message = `--url is ${quote(given)}; it takes the URL of a running Localpost, such as http://127.0.0.1:8025.`
    throw new LocalpostError('invalid_option', message)
  }
  const url = given.replace(/\/+$/, '')
  return {
    url,
    async ask(path, init) {
      const headers = {
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(init ? { 'content-type': init.type } : {}),
      }
      const { method = 'GET', body } = init ?? {}
      const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body } : {}) }).catch(
        (error: unknown) => {
          const message = `Nothing answers at ${url} (${reasonOf(error)}). Start one with \`npx localpost\`, or say where it runs with --url.`
          throw new LocalpostError('request_failed', message, { cause: error })
        },
      )
      if (response.ok) return response
      const text = await response.text()
      throw toError(response, text, parse(text), `${method} ${url}${path}`)
    },
  }
}

/** The reason of a failure of the network, in few words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node's fetch says "fetch failed" and keeps the reason to itself.
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return code || cause.message || error.message
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
