import { createHmac, randomBytes } from 'node:crypto'

/** A sign-in that has begun: what the provider gets, and what the browser keeps meanwhile. */
export interface Login {
  /** The value of the cookie. Everything else is derived from it and the secret, so the server stores nothing. */
  readonly cookie: string
  readonly state: string
  readonly nonce: string
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string
}

/** Begins sign-ins, and recognises the ones that it began. */
export interface Logins {
  begin(): Login
  /** The sign-in of a cookie; null if it is none or has expired. One that was changed has another `state`. */
  of(cookie: string): Login | null
}

/** How long a sign-in at the provider may take. */
export const loginSeconds: number = 10 * 60

/**
 * @param secret  At least 32 random bytes.
 * @param now  Unix time in milliseconds.
 */
export function createLogins(secret: Buffer, now: () => number): Logins {
  function loginOf(cookie: string): Login {
    const derive = (purpose: string): string =>
      createHmac('sha256', secret).update(`oidc ${purpose} ${cookie}`).digest('base64url')
    return { cookie, state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
  }
  return {
    begin: () => loginOf(`${now() + loginSeconds * 1000}.${randomBytes(32).toString('base64url')}`),
    of(cookie) {
      const [, expires] = form.exec(cookie) ?? []
      return expires !== undefined && now() < Number(expires) ? loginOf(cookie) : null
    },
  }
}

const form = /^(\d{13})\.[\w-]{43}$/
