import { authorityOf, reachableHost } from '../net/hosts.ts'

/** The URL of a Localpost that already listens at the HTTP port of the settings, over HTTP; null if none answers there. */
export async function runningPage(host: string, port: number): Promise<string | null> {
  if (port === 0) return null
  const url = `http://${authorityOf(reachableHost(host), port)}`
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs), redirect: 'error' })
    const text = await answer.text()
    // As `server/probes.ts` writes it.
    return /^\{"status":"(?:not_)?ready","reasons":\[/.test(text) ? url : null
  } catch {
    return null
  }
}

/** In milliseconds. The first request to an instance loads its HTTP interface, which takes a second on a slow machine. */
const answerMs = 3000
