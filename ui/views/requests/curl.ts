import type { LoggedRequest } from '../../../src/server/types.ts'

/** A command for a POSIX shell that repeats the request; `$LOCALPOST_API_KEY` replaces the key, which the log masks. */
export function curlOf(request: LoggedRequest, base: string): string {
  const url = new URL(request.path.replace(/^\//, ''), base).href
  const parts = [`curl -X ${quoted(request.method)} ${quoted(url)}`]
  if (request.api_key !== null) parts.push('  -H "Authorization: Bearer $LOCALPOST_API_KEY"')
  if (request.request_body) {
    parts.push(`  -H 'Content-Type: application/json'`, `  --data-raw ${quoted(request.request_body)}`)
  }
  return parts.join(' \\\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
