import { withoutEnding } from '../core/ending.ts'
import { LocalpostError } from '../core/errors.ts'
import { maskKey } from '../keys/keys.ts'
import type { Scope } from '../keys/types.ts'

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

/**
 * Checks the key of a request.
 *
 * @param bearer  As {@link bearerOf} returns it.
 * @returns The key and its scope.
 * @throws missing_api_key, invalid_api_key, both with `WWW-Authenticate`.
 */
export function requireKey(
  headers: Pick<Headers, 'get'>,
  keys: KeyCheck,
  bearer: string | null = bearerOf(headers),
): { key: string; scope: Scope } {
  if (bearer === null) {
    const given = headers.get('authorization')
    const seen =
      given === null
        ? 'The request has no Authorization header'
        : 'The Authorization header has no Bearer key'
    throw new LocalpostError('missing_api_key', `${seen}. Send \`Authorization: Bearer <API_KEY>\`.`, {
      headers: challenge,
    })
  }
  const scope = keys.scopeOf(bearer)
  if (scope !== null) return { key: bearer, scope }
  const message = `There is no API key ${maskKey(bearer)}. Use the key that Localpost printed at its start or reads from --api-key-file, or add one.`
  throw new LocalpostError('invalid_api_key', message, { headers: challenge })
}

const bearerScheme = /^bearer[ \t]+(?=\S)/i
const challenge = { 'www-authenticate': 'Bearer realm="localpost"' }
