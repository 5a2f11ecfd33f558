import { suggest } from '../core/suggest.ts'
import { allRows } from './options.ts'
import { listRows } from './read.ts'

/** The variable of a flag: `LOCALPOST_SMTP_PORT` of `smtp-port`. */
export function variableOf(flag: string): string {
  return `${prefix}${flag.toUpperCase().replaceAll('-', '_')}`
}

const prefix = 'LOCALPOST_'

/** The variables of clients: where the server is, and the API key. The key has the name that the server reads too. */
export const clientVariables = { url: 'LOCALPOST_URL', apiKey: 'LOCALPOST_API_KEY' } as const

/** An earlier name of the variable of the key, which clients still accept. */
const earlierKey = 'LOCALPOST_KEY'

const current = new Set([
  ...listRows(allRows).flatMap(({ row }) => (row.flag === undefined ? [] : [variableOf(row.flag)])),
  variableOf('config'),
  ...Object.values(clientVariables),
])
const known = new Set([...current, earlierKey])

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Finds variables that look misspelt. Other programs may use names that begin with LOCALPOST_, so these are only hints.
 *
 * @param names  The variables that they may be meant for. Default: all.
 * @returns One sentence for each.
 */
export function misspeltVariables(variables: Variables, names: Iterable<string> = current): string[] {
  const endings = [...names].map((name) => name.slice(prefix.length))
  return Object.keys(variables).flatMap((name) => {
    if (!name.startsWith(prefix) || known.has(name)) return []
    const near = suggest(name.slice(prefix.length), endings)
    return near ? [`${name} is not a variable of Localpost. Did you mean ${prefix}${near}?`] : []
  })
}

/** Where a client finds its server, by the variables of its process. Empty ones count as not set. */
export interface ClientPlace {
  url: string | null
  apiKey: string | null
  /** Set if the key came from the earlier name: a sentence that says the new one. */
  hint: string | null
}

/** Reads LOCALPOST_URL and LOCALPOST_API_KEY, and the earlier LOCALPOST_KEY in place of the second. */
export function readClientVariables(variables: Variables): ClientPlace {
  // The server reads several from the same variable.
  const key = variables[clientVariables.apiKey]?.split(',', 1)[0]?.trim() || null
  const earlier = variables[earlierKey] || null
  return {
    url: variables[clientVariables.url] || null,
    apiKey: key ?? earlier,
    hint:
      key === null && earlier !== null
        ? `${earlierKey} is called ${clientVariables.apiKey} now. It is still accepted; rename it.`
        : null,
  }
}
