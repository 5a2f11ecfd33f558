import { LocalpostError } from '../core/errors.ts'
import type { Scope } from '../keys/types.ts'
import type { Role } from '../users/user.ts'
import type { Route } from './route.ts'

/**
 * What a route requires: a scope of API keys, or `admin`, which only keys of scope `full` and users with the role
 * `admin` have. It is for routes that give access or empty the instance.
 */
export type Need = Scope | 'admin'

/** What the caller of a route needs, by the query of the request. A route with `read` changes nothing and sends nothing. */
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
 * @param what  The method and the path.
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
