import { randomBytes } from 'node:crypto'
import type { KeyCheck } from './auth.ts'

/** Lets the page stay in after it showed a key once; kept in memory, so a restart ends every session. */
export interface Sessions {
  /** @returns The value of `Set-Cookie` for a session of this key, which was checked before. */
  open(key: string): string
  /** @returns The value of `Set-Cookie` that removes the cookie; the session is over, too. */
  close(headers: Pick<Headers, 'get'>): string
  /** Whether the request's cookie names a session whose key is still accepted. */
  has(headers: Pick<Headers, 'get'>): boolean
}

/** @see {@link Sessions} */
export function createSessions(keys: KeyCheck): Sessions {
  // The cookie carries a token that means nothing elsewhere: a stolen cookie is not a stolen key.
  const keyByToken = new Map<string, string>()
  return {
    open(key) {
      const token = randomBytes(24).toString('base64url')
      keyByToken.set(token, key)
      const [oldest] = keyByToken.keys()
      if (keyByToken.size > maxSessions && oldest !== undefined) keyByToken.delete(oldest)
      return `${cookieName}=${token}; ${attributes}`
    },
    close(headers) {
      keyByToken.delete(tokenOf(headers) ?? '')
      return `${cookieName}=; ${attributes}; Max-Age=0`
    },
    has(headers) {
      const key = keyByToken.get(tokenOf(headers) ?? '')
      return key !== undefined && keys.accepts(key)
    },
  }
}

const cookieName = 'localpost_session'
const attributes = 'Path=/; HttpOnly; SameSite=Strict'
const maxSessions = 1000
const cookieForm = /(?:^|;)[ \t]*localpost_session=([\w-]+)/

function tokenOf(headers: Pick<Headers, 'get'>): string | undefined {
  return cookieForm.exec(headers.get('cookie') ?? '')?.[1]
}
