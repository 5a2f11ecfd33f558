import { createCall, type Calls } from '../client/call.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { clientVariables, misspeltVariables, readClientVariables } from '../options/variables.ts'
import { nodeFetch } from './node-fetch.ts'

/** Where a server is, as a test says it. */
interface ServerSettings {
  url?: string
  apiKey?: string
}

/**
 * Makes requests to a server that runs elsewhere. What the settings lack is read from the variables `LOCALPOST_URL` and
 * `LOCALPOST_API_KEY`; errors say which of them decides.
 *
 * @throws invalid_option
 */
export function callServer(settings: ServerSettings): Pick<Calls, 'ask'> & { url: string } {
  warnOfMisspelt(settings)
  const variables = readClientVariables(process.env)
  const { url = variables.url ?? defaultUrl, apiKey = variables.apiKey } = settings
  const { ask } = createCall({ url, apiKey, fetch: nodeFetch }, { needsKey: false })
  return {
    url,
    ask: async <T>(...request: Parameters<Calls['ask']>) =>
      ask<T>(...request).catch((error: unknown) => {
        throw withHint(error, settings)
      }),
  }
}

/** Hints about the variables go to stderr, each once in a process. */
function warnOfMisspelt({ url, apiKey }: ServerSettings): void {
  if (url !== undefined && apiKey !== undefined) return
  for (const hint of misspeltVariables(process.env, Object.values(clientVariables))) {
    if (said.has(hint)) continue
    said.add(hint)
    process.stderr.write(`localpost: ${hint}\n`)
  }
}

/** The hints that this process has written. */
const said = new Set<string>()

const defaultUrl = 'http://127.0.0.1:8025'

/** Says which settings decide where the server is, and who asks. */
function withHint(error: unknown, { url, apiKey }: ServerSettings): unknown {
  if (isErrorOf(error, 'request_failed') && url === undefined)
    return withAdvice(error, 'The variable LOCALPOST_URL or the option url names another server.')
  if (isErrorOf(error, 'missing_api_key', 'invalid_api_key') && apiKey === undefined)
    return withAdvice(
      error,
      'Give a key of the account "default" by the variable LOCALPOST_API_KEY or the option apiKey.',
    )
  return error
}

function withAdvice({ code, message, status }: LocalpostError, advice: string): LocalpostError {
  return new LocalpostError(code, `${message} ${advice}`, { status })
}
