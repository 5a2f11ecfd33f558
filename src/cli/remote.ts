import type { z } from 'zod'
import { toAnswerError } from '../client/answer-error.ts'
import { withoutEnding } from '../core/text.ts'
import { invalidOption, LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { allRows } from '../options/options.ts'
import { clientVariables, readClientVariables } from '../options/variables.ts'
import type { Arguments } from './arguments.ts'
import { readEnvironment } from './environment.ts'
import type { Output } from './output.ts'
import { readKeys } from './secrets.ts'

/** A running Localpost, in another process or on another machine. */
export interface Remote {
  /** As given, without a trailing slash. */
  url: string
  /** Whether the URL was given, by the flag or a variable. */
  isGiven: boolean
  /** The same with another URL. `isGiven` stays as it is. */
  at(url: string): Remote
  /**
   * Sends a request to its control API.
   *
   * @param path  Begins with `/dev/`.
   * @returns An answer of success, its body not read yet.
   * @throws request_failed if nothing answers, else the error that it answered with.
   */
  ask(path: string, init?: RemoteRequest): Promise<Response>
  /** The same, but an answer with an error is returned too. @throws request_failed if nothing answers. */
  send(path: string, init?: RemoteRequest): Promise<Response>
}

/** A request. */
export interface RemoteRequest {
  /** Default: GET. */
  method?: 'POST' | 'DELETE'
  body?: string | Uint8Array<ArrayBuffer>
  /** The type of the body. Default: JSON. */
  type?: string
  /** Ends the request. */
  signal?: AbortSignal
  /** Further headers. */
  headers?: Readonly<Record<string, string>>
}

/**
 * Finds the Localpost that the commands of a running server talk to, by `--url` and the API key's flags; where these are
 * not given, by LOCALPOST_URL or LOCALPOST_PORT, and by LOCALPOST_API_KEY and LOCALPOST_API_KEY_FILE.
 *
 * @param output  Gets hints about misspelt variables.
 * @throws invalid_option when the URL is not one, or the file of the key cannot be used.
 */
export async function connect(
  { flags, options }: Pick<Arguments, 'flags' | 'options'>,
  variables: NodeJS.ProcessEnv,
  output: Pick<Output, 'warn'>,
): Promise<Remote> {
  const environment = readEnvironment(variables)
  const place = readClientVariables(variables)
  const { apiKeys } = await readKeys([options, environment.options])
  for (const text of environment.warnings) output.warn(text)
  const port = Number(environment.options['port'] ?? allRows['port']?.default)
  const source = flags['url'] === undefined && place.url !== null ? clientVariables.url : '--url'
  const isGiven = flags['url'] !== undefined || place.url !== null
  const url = flags['url'] ?? place.url ?? `http://127.0.0.1:${port}`
  const apiKey = (apiKeys ? apiKeys[0] : place.apiKey) ?? null
  return remoteAt({ url, apiKey, source, isGiven })
}

/** @param given.source  Where the URL was given, for messages. */
function remoteAt({
  url: given,
  apiKey,
  source,
  isGiven,
}: Pick<Remote, 'url' | 'isGiven'> & { apiKey: string | null; source: string }): Remote {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw invalidOption(
      `${source} is ${quote(given)}; it takes the URL of a running Localpost, such as http://127.0.0.1:8025.`,
    )
  const url = withoutEnding(given, '/')
  const send: Remote['send'] = (path, { type = 'application/json', headers, ...init } = {}) => {
    const sent = {
      // Shows that no address in a mail caused the request.
      'x-localpost-page': '1',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      ...(init.method === 'POST' && { 'content-type': type }),
      ...headers,
    }
    return fetch(`${url}${path}`, { ...init, headers: sent }).catch((error: unknown) => {
      const advice = 'Start Localpost with `npx localpost`, or give its address with --url or LOCALPOST_URL.'
      const message = `Nothing answers at ${url} (${shortReasonOf(error)}). ${advice}`
      throw new LocalpostError('request_failed', message, { cause: error })
    })
  }
  return {
    url,
    isGiven,
    at: (other) => remoteAt({ url: other, apiKey, source, isGiven }),
    send,
    async ask(path, init) {
      const response = await send(path, init)
      if (response.ok) return response
      throw toAnswerError(response, await response.text(), `${init?.method ?? 'GET'} ${url}${path}`)
    },
  }
}

/**
 * Asks, and checks the answer, which another program may have given.
 *
 * @param complaint  What the error says after the URL.
 * @throws unexpected_response if it does not match the schema; request_failed if it breaks off.
 */
export async function readAnswer<T>(
  remote: Remote,
  schema: z.ZodType<T>,
  complaint: string,
  ...request: Parameters<Remote['ask']>
): Promise<T> {
  const response = await remote.ask(...request)
  const answer: unknown = await response
    .json()
    .catch((error: unknown) => (error instanceof SyntaxError ? null : brokenOff(error)))
  if (!schema.safeParse(answer).success)
    throw new LocalpostError('unexpected_response', `${remote.url} ${complaint}`)
  // The answer itself is returned: it is printed with all members, in its order.
  return answer as T
}

/** @throws request_failed for an answer that ended before it was complete. */
export function brokenOff(error: unknown): never {
  const message = `The download broke off (${shortReasonOf(error)}). Run the same command again.`
  throw new LocalpostError('request_failed', message, { cause: error })
}

/** The reason of a failure of the network or of a file, in few words: the code of the error, else its message. */
export function shortReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The error of Node's fetch only says "fetch failed"; its cause has the reason.
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return code || cause.message || error.message
}
