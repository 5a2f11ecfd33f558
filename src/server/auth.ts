import { withoutEnding } from '../core/text.ts'
import { LocalpostError } from '../core/errors.ts'
import { maskKey } from '../keys/keys.ts'
import type { Scope } from '../keys/types.ts'
import type { Role } from '../users/user.ts'
import type { KeyPlace } from './face.ts'
import type { Need, Route } from './route.ts'

/** The API keys; see `keys/keys.ts`. */
export interface KeyCheck {
  scopeOf(bearer: string): Scope | null
}

/**
 * The key of an `Authorization: Bearer …` header; the scheme's case does not matter.
 *
 * @returns null without the header, with another scheme, or with no key in it.
 * @see RFC 6750, section 2.1
 */
export function bearerOf(headers: Pick<Headers, 'get'>): string | null {
  const value = headers.get('authorization')
  if (value === null) return null
  const [scheme] = bearerScheme.exec(value) ?? []
  return scheme === undefined ? null : withoutEnding(value.slice(scheme.length), ' \t')
}

/** Checks the key of a request. @throws missing_api_key, invalid_api_key, both with `WWW-Authenticate`. */
export function requireKey(
  headers: Pick<Headers, 'get'>,
  keys: KeyCheck,
  place: KeyPlace = bearerPlace,
): { key: string; scope: Scope } {
  const key = place.of(headers)
  const details = place.challenge === undefined ? {} : { headers: { 'www-authenticate': place.challenge } }
  if (key === null)
    throw new LocalpostError(
      'missing_api_key',
      `${missingKeyText(headers, place)}. Send ${place.headerForms.map((form) => `\`${form}\``).join(' or ')}.`,
      details,
    )
  const scope = keys.scopeOf(key)
  if (scope !== null) return { key, scope }
  const advice = place.adviceOn?.(key) ?? `There is no API key ${maskKey(key)}.`
  const message = `${advice} Use the key that Localpost printed at its start or reads from --api-key-file, or add one.`
  throw new LocalpostError('invalid_api_key', message, details)
}

function missingKeyText(headers: Pick<Headers, 'get'>, place: KeyPlace): string {
  if (place !== bearerPlace) return 'The request has no API key'
  return headers.get('authorization') === null
    ? 'The request has no Authorization header'
    : 'The Authorization header has no Bearer key'
}

const bearerScheme = /^bearer[ \t]+(?=\S)/i

/** An API key as `/v1` and many providers take it. */
export const bearerPlace: KeyPlace = {
  of: bearerOf,
  headerForms: ['Authorization: Bearer <API_KEY>'],
  challenge: 'Bearer realm="localpost"',
  scheme: { type: 'http', scheme: 'bearer' },
}

/** Name and password of Basic authentication. Clients of some providers send an API key as the password. @see RFC 7617 */
export function basicOf(headers: Pick<Headers, 'get'>): { name: string; password: string } | null {
  const [, encoded] = /^basic ([a-z\d+/=]{1,2000})$/i.exec(headers.get('authorization') ?? '') ?? []
  if (encoded === undefined) return null
  const decoded = Buffer.from(encoded, 'base64').toString()
  const at = decoded.indexOf(':')
  return at === -1 ? null : { name: decoded.slice(0, at), password: decoded.slice(at + 1) }
}

/** What the caller of a route needs, by the query of the request. */
export function needOf({ method, needs }: Pick<Route, 'method' | 'needs'>): (query: string) => Need {
  if (typeof needs === 'function') return needs
  const need = needs ?? (method === 'GET' ? 'read' : 'full')
  return () => need
}

/** Whether a user with this role meets the requirement. */
export function roleMeets(role: Role, need: Need): boolean {
  return role === 'admin' || need !== 'admin'
}

/** Whether an API key of this scope is enough. */
export function scopeMeets(scope: Scope, need: Need): boolean {
  return scope === 'full' || scope === need
}

/**
 * The error for a known caller who may not do this.
 *
 * @param who  The beginning of a sentence: `The API key lp_abcd…wxyz has the scope read`.
 * @see RFC 6750 section 3.1
 */
export function insufficientScope(who: string, what: string, need: Need): LocalpostError {
  const [wanted, fix] = wordsOf[need]
  return new LocalpostError('insufficient_scope', `${who}; ${what} needs ${wanted}. ${fix}`, {
    headers: {
      'www-authenticate': `Bearer realm="localpost", error="insufficient_scope", scope="${need === 'admin' ? 'full' : need}"`,
    },
  })
}

const otherKey = 'Use another API key.'
const wordsOf: Readonly<Record<Need, readonly [wanted: string, fix: string]>> = {
  send: ['the scope `send` or `full`', otherKey],
  read: ['the scope `read` or `full`', otherKey],
  full: ['the scope `full`', otherKey],
  admin: ['an API key of scope `full`, or a user with the role `admin`', 'Ask an admin to do it.'],
}
