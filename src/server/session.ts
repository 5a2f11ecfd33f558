import { randomBytes } from 'node:crypto'
import type { KeyCheck } from './auth.ts'
import { dateNow } from '../core/machine.ts'

/** Keeps the page signed in after it showed a key once; held in memory, so a restart ends every session. */
export interface Sessions {
  /**
   * @param isSecure  Whether the browser came over HTTPS.
   * @returns The value of `Set-Cookie` for a session of this key, which was checked before.
   */
  open(key: string, isSecure: boolean): string
  /** @returns The value of `Set-Cookie` that removes the cookie; the session ends, too. */
  close(headers: Pick<Headers, 'get'>, isSecure: boolean): string
  /** Whether the request's cookie names a session that has not expired, and whose key is still accepted. */
  has(headers: Pick<Headers, 'get'>): boolean
}

/**
 * @param deps.port  The listener's port; null in process. Browsers send cookies to every port of a host, so each
 *   instance has a cookie of its own name.
 * @param deps.now  Default: the machine's time, which browsers go by.
 * @see {@link Sessions}
 */
export function createSessions(
  keys: KeyCheck,
  { port, now = dateNow }: { port: () => number | null; now?: () => number },
): Sessions {
  // The cookie carries a token that means nothing elsewhere: a stolen cookie is not a stolen key.
  const sessions = new Map<string, { key: string; expires: number }>()

  function nameOf(): string {
    const bound = port()
    return bound === null ? 'localpost_session' : `localpost_session_${bound}`
  }

  function tokenOf(headers: Pick<Headers, 'get'>): string {
    const name = nameOf()
    for (const pair of (headers.get('cookie') ?? '').split(';')) {
      const at = pair.indexOf('=')
      if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
    }
    return ''
  }

  return {
    open(key, isSecure) {
      const token = randomBytes(24).toString('base64url')
      sessions.set(token, { key, expires: now() + lifetimeSeconds * 1000 })
      const [oldest] = sessions.keys()
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
      return `${nameOf()}=${token}; Max-Age=${lifetimeSeconds}; ${attributes(isSecure)}`
    },
    close(headers, isSecure) {
      sessions.delete(tokenOf(headers))
      return `${nameOf()}=; Max-Age=0; ${attributes(isSecure)}`
    },
    has(headers) {
      const token = tokenOf(headers)
      const session = sessions.get(token)
      if (!session) return false
      if (now() < session.expires && keys.accepts(session.key)) return true
      sessions.delete(token)
      return false
    },
  }
}

const lifetimeSeconds = 24 * 60 * 60
const maxSessions = 1000

function attributes(isSecure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}
