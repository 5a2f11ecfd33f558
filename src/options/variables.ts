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

const known = new Set([
  ...listRows(allRows).flatMap(({ row }) => (row.flag === undefined ? [] : [variableOf(row.flag)])),
  variableOf('config'),
  ...Object.values(clientVariables),
])

type Variables = Readonly<Record<string, string | undefined>>

/** A hint for each variable that looks misspelt. @param names  Those to suggest; all known ones are right. */
export function misspeltVariables(variables: Variables, names: Iterable<string> = known): string[] {
  const endings = [...names].map((name) => name.slice(prefix.length))
  return Object.keys(variables).flatMap((name) => {
    if (!name.startsWith(prefix) || known.has(name)) return []
    const near = suggest(name.slice(prefix.length), endings)
    return near ? [`${name} is not a variable of Localpost. Did you mean ${prefix}${near}?`] : []
  })
}

/** Reads where a client finds its server. Empty variables count as not set. */
export function readClientVariables(variables: Variables): { url: string | null; apiKey: string | null } {
  return {
    url: variables[clientVariables.url] || null,
    // The server reads several from the same variable.
    apiKey: variables[clientVariables.apiKey]?.split(',', 1)[0]?.trim() || null,
  }
}
