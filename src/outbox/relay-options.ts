import { hostOfUrl, isLoopback } from '../net/hosts.ts'
import type { TransportOptions } from './smtp-pool.ts'

/**
 * The options for the server of a relay URL. The user and password are sent only over TLS or to loopback.
 *
 * @param given.insecureAuth  Allows sending the user and password without TLS. Default: false.
 */
export function relayOptions(
  url: string,
  { hostname, insecureAuth = false }: { hostname: string; insecureAuth?: boolean },
): TransportOptions {
  const parsed = new URL(url)
  const { protocol, port, username, password } = parsed
  const secure = protocol === 'smtps:'
  const defaultPort = secure ? 465 : 25
  const host = hostOfUrl(parsed)
  return {
    host,
    requireTls: username !== '' && !secure && !insecureAuth && !isLoopback(host),
    port: port === '' ? defaultPort : Number(port),
    secure,
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    hostname,
    maxConnections: 2,
  }
}
