import { loginSeconds } from '../oidc/login.ts'
import { sessionSeconds, type SignedIn, type SessionOwner, type StoredSessions } from '../users/sessions.ts'

/** The sessions of the page, by the cookie of a request. */
export interface Sessions {
  /**
   * Replaces the session of the request by a new one, so that a token that others may know is no longer valid.
   *
   * @param isSecure  Whether the browser came over HTTPS.
   * @returns The value of `Set-Cookie`.
   */
  open(owner: SignedIn, headers: Pick<Headers, 'get'>, isSecure: boolean): Promise<string>
  /** Ends the session. @returns The value of `Set-Cookie` that removes the cookie. */
  close(headers: Pick<Headers, 'get'>, isSecure: boolean): Promise<string>
  /** The cookie that a browser keeps while its user signs in at an OpenID provider. */
  readonly login: {
    /** @returns The value of `Set-Cookie`. An empty value removes the cookie. */
    set(value: string, isSecure: boolean): string
    /** The value that the request has; empty without one. */
    of(headers: Pick<Headers, 'get'>): string
  }
  /** The owner of the session of a request; null without a valid session. */
  ownerOf(headers: Pick<Headers, 'get'>): SessionOwner | null
}

/**
 * @param port  The port of the page; null in process. Browsers send cookies to every port of a host, so each instance has
 *   a cookie of its own name.
 * @see {@link Sessions}
 */
export function createSessions(stored: StoredSessions, port: () => number | null): Sessions {
  function nameOf(what: 'session' | 'login' = 'session'): string {
    const bound = port()
    return bound === null ? `localpost_${what}` : `localpost_${what}_${bound}`
  }

  function cookieOf(headers: Pick<Headers, 'get'>, name = nameOf()): string {
    for (const pair of (headers.get('cookie') ?? '').split(';')) {
      const at = pair.indexOf('=')
      if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
    }
    return ''
  }

  return {
    async open(owner, headers, isSecure) {
      await stored.close(cookieOf(headers))
      const token = await stored.open(owner)
      return setCookie(nameOf(), token, sessionSeconds, isSecure)
    },
    async close(headers, isSecure) {
      await stored.close(cookieOf(headers))
      return setCookie(nameOf(), '', 0, isSecure)
    },
    login: {
      // Lax: the provider sends the browser back from another site.
      set: (value, isSecure) =>
        setCookie(nameOf('login'), value, value === '' ? 0 : loginSeconds, isSecure, 'Lax'),
      of: (headers) => cookieOf(headers, nameOf('login')),
    },
    ownerOf: (headers) => stored.ownerOf(cookieOf(headers)),
  }
}

/** The value of `Set-Cookie`. @param seconds  How long the browser keeps it; 0 removes it. */
function setCookie(
  name: string,
  value: string,
  seconds: number,
  isSecure: boolean,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
}
