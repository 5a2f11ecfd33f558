import { LocalpostError } from '../core/errors.ts'
import type { Scope } from '../keys/types.ts'
import type { Role } from '../users/user.ts'
import type { Route } from './route.ts'

/**
 * What a route requires: a scope of API keys, or `admin`, which only keys of scope `full` and users with the role
 * `admin` have.
 */
export type Need = Scope | 'admin'

/**
 * The scope that each route needs. A test compares this table with the routes; a route that is missing here needs
 * `admin`.
 *
 * Routes with `read` change nothing and send nothing. `admin` is for routes that give access or empty the instance.
 */
export const routeNeeds: Readonly<Record<string, Need>> = {
  'POST /v1/emails': 'send',
  'GET /v1/emails': 'read',
  'GET /v1/emails/{id}': 'read',
  'POST /v1/domains': 'full',
  'GET /v1/domains': 'read',
  'GET /v1/domains/{id}': 'read',
  'GET /v1/audiences': 'read',
  'GET /v1/audiences/{audienceId}/contacts': 'read',
  'GET /dev/inbox': 'read',
  'DELETE /dev/inbox': 'full',
  'PATCH /dev/inbox': 'full',
  'GET /dev/inbox/bulk': 'read',
  'DELETE /dev/inbox/bulk/{id}': 'full',
  'GET /dev/inbox/tags': 'read',
  'PATCH /dev/inbox/tags': 'full',
  'GET /dev/inbox/wait': 'read',
  'POST /dev/inbox/import': 'full',
  'GET /dev/inbox/export': 'read',
  'GET /dev/inbox/{id}': 'read',
  'GET /dev/inbox/{id}/checks': 'read',
  'POST /dev/inbox/{id}/consent': 'read',
  'GET /dev/inbox/{id}/client-support': 'read',
  'GET /dev/inbox/{id}/compare/{other}': 'read',
  'PATCH /dev/inbox/{id}': 'full',
  'DELETE /dev/inbox/{id}': 'full',
  'POST /dev/inbox/{id}/release': 'full',
  'GET /dev/inbox/{id}/preview': 'read',
  'GET /dev/inbox/{id}/raw': 'read',
  'GET /dev/inbox/{id}/html': 'read',
  'GET /dev/inbox/{id}/attachments/{index}': 'read',
  'GET /dev/inbox/{id}/structure': 'read',
  'GET /dev/inbox/{id}/parts/{index}': 'read',
  'GET /dev/inbox/{id}/messages/{path}': 'read',
  'GET /dev/inbox/{id}/messages/{path}/html': 'read',
  'GET /dev/inbox/{id}/messages/{path}/attachments/{index}': 'read',
  'POST /dev/emails/{id}/events': 'full',
  'GET /dev/domains': 'read',
  'PATCH /dev/domains/{id}': 'full',
  'DELETE /dev/domains/{id}': 'full',
  'POST /dev/domains/{id}/verify': 'full',
  'GET /dev/domains/{id}/records': 'read',
  'GET /dev/domains/{id}/zone': 'read',
  'POST /dev/audiences': 'full',
  'PATCH /dev/audiences/{id}': 'full',
  'DELETE /dev/audiences/{id}': 'full',
  'POST /dev/audiences/{id}/contacts': 'full',
  'PATCH /dev/audiences/{id}/contacts/{contactId}': 'full',
  'DELETE /dev/audiences/{id}/contacts/{contactId}': 'full',
  'GET /dev/broadcasts': 'read',
  'GET /dev/broadcasts/{id}': 'read',
  'POST /dev/broadcasts': 'full',
  'GET /dev/templates': 'read',
  'GET /dev/templates/{id}': 'read',
  'PUT /dev/templates/{id}': 'full',
  'GET /dev/templates/{id}/versions': 'read',
  'POST /dev/templates/{id}/versions/{version}/restore': 'full',
  'POST /dev/templates/preview': 'read',
  'DELETE /dev/templates/{id}': 'full',
  'GET /dev/webhooks': 'read',
  'POST /dev/webhooks': 'full',
  'DELETE /dev/webhooks/{id}': 'full',
  'GET /dev/webhooks/deliveries': 'read',
  'POST /dev/webhooks/deliveries/{id}/replay': 'full',
  'GET /dev/rules': 'read',
  'PUT /dev/rules': 'full',
  'GET /dev/faults': 'read',
  'PUT /dev/faults': 'full',
  'DELETE /dev/faults': 'full',
  'GET /dev/accounts': 'read',
  'POST /dev/accounts': 'admin',
  'GET /dev/accounts/{name}': 'read',
  'PATCH /dev/accounts/{name}': 'admin',
  'POST /dev/accounts/{name}/smtp-password': 'admin',
  'DELETE /dev/accounts/{name}': 'admin',
  'GET /dev/keys': 'read',
  'POST /dev/keys': 'admin',
  'DELETE /dev/keys/{id}': 'admin',
  'GET /dev/health': 'read',
  'GET /dev/metrics': 'read',
  'POST /dev/reset': 'admin',
  'GET /dev/events': 'read',
  'GET /dev/requests': 'read',
  'GET /dev/smtp-sessions': 'read',
  'GET /dev/smtp-sessions/{id}': 'read',
  'GET /dev/openapi.json': 'read',
}

/**
 * The requirement of a request, by its query. A check with `live` requests the links of a mail, which may change
 * something elsewhere.
 */
export function needOf({ method, path }: Pick<Route, 'method' | 'path'>): (query: string) => Need {
  const need = routeNeeds[`${method} ${path}`] ?? 'admin'
  if (path !== '/dev/inbox/{id}/checks') return () => need
  return (query) => ((new URLSearchParams(query).get('live') ?? 'false') === 'false' ? need : 'full')
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
