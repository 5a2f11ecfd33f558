import type { H3Event } from 'h3'
import { defaultAccount } from '../accounts/schema.ts'
import type { SessionOwner } from '../users/sessions.ts'
import { bearerPlace } from './auth.ts'
import type { Face } from './face.ts'
import type { OtherAccounts } from './other-accounts.ts'
import { isLocalPath, stateOf } from './request-state.ts'

/** The account that a request is for. */
export type AccountDestination =
  /** Another account, and the request that is passed to it. */
  | { readonly id: string; readonly request: Request; readonly unknown: string | null }
  /**
   * This account. `unknown` is the name of a requested account that the caller may not see; it is refused after the key
   * was checked.
   */
  | { readonly id: null; readonly unknown: string | null }

/**
 * Finds the account that a request is for: that of its API key, else that of its session, else the one that the query names.
 * A caller of one account who names another one gets the same answer as for one that does not exist.
 */
export function destinationOf(
  event: Pick<H3Event, 'req' | 'url' | 'context'>,
  otherAccounts: OtherAccounts,
  sessionOwner: () => SessionOwner | null,
): AccountDestination {
  const { req: request, url } = event
  const { face } = stateOf(event)
  // Of h3's URL: in the request's own one, letters may be escaped.
  const tracked = trackedForm.exec(url.pathname)
  if (tracked) {
    const [, id = '', rest = ''] = tracked
    return otherAccounts.has(id) ? { id, request: requestAt(rest, request), unknown: null } : mainAccount
  }
  if (face && face.access !== 'local') {
    const id = otherAccountOf(face, request.headers, otherAccounts)
    return id === null ? mainAccount : { id, request, unknown: null }
  }
  return callerDestination(event, otherAccounts, sessionOwner)
}

/** The account of a request to `/v1`, or to what only the page and local callers use. */
function callerDestination(
  event: Pick<H3Event, 'req' | 'url' | 'context'>,
  otherAccounts: OtherAccounts,
  sessionOwner: () => SessionOwner | null,
): AccountDestination {
  const { req: request, url } = event
  const { pathname, searchParams } = url
  const { face, signedIn } = stateOf(event)
  const isLocal = isLocalPath(event)
  if (!isLocal && !pathname.startsWith('/v1/')) return mainAccount
  const bearer = signedIn ? null : (face?.key ?? bearerPlace).of(request.headers)
  const named = isLocal ? searchParams.get('account') : pageAccountOf(request, bearer)
  const session = bearer === null ? (signedIn?.() ?? sessionOwner()) : null
  const ownId = bearer === null ? accountIn(session) : (otherAccounts.ofKey(bearer)?.id ?? null)
  if (ownId !== null) {
    const isOther = named !== null && otherAccounts.ofName(named) !== ownId
    return { id: ownId, request, unknown: isOther ? named : null }
  }
  // A caller that may use several accounts. The routes of accounts show only those that the caller may see.
  if (session && named === null && pathname.startsWith('/dev/accounts')) return mainAccount
  const name = named ?? firstAccountOf(session)
  // A key of `default` reaches only `default`.
  const id = bearer === null ? otherAccounts.ofName(name) : null
  if (!maySee(session, name) || (id === null && name !== defaultAccount)) return { id: null, unknown: name }
  return id === null ? mainAccount : { id, request, unknown: null }
}

/**
 * The account that a request to the API of a provider is for, where its key alone decides.
 *
 * @returns null for `default`, and where more than the key decides.
 */
export function otherAccountOf(
  face: Face,
  headers: Pick<Headers, 'get'>,
  otherAccounts: Pick<OtherAccounts, 'ofKey'>,
): string | null {
  const key = face.access === 'local' ? null : face.key.of(headers)
  return key === null ? null : (otherAccounts.ofKey(key)?.id ?? null)
}

/** The page calls `/v1` with its session, and `/v1` has no parameter `account`, so a header names the account. */
function pageAccountOf({ headers }: Request, bearer: string | null): string | null {
  return bearer === null ? headers.get('x-localpost-account') : null
}

const accountIn = (owner: SessionOwner | null): string | null =>
  owner && 'account' in owner ? owner.account : null

/** The account of a caller who names none. */
function firstAccountOf(owner: SessionOwner | null): string {
  if (maySee(owner, defaultAccount) || !owner || !('user' in owner)) return defaultAccount
  return owner.user.accounts[0] ?? defaultAccount
}

/** Whether a user who signed in may see an account. For other callers, their origin decides. */
export function maySee(owner: SessionOwner | null, name: string): boolean {
  if (!owner || !('user' in owner)) return true
  return owner.user.role === 'admin' || owner.user.accounts.includes(name)
}

const mainAccount: AccountDestination = { id: null, unknown: null }

/** URLs in tracked mail name the account of the mail. Such a path reaches nothing else. */
const trackedForm = /^\/a\/(acc_[a-z0-9]{22})(\/t\/.+)$/

function requestAt(path: string, { url, method, headers }: Request): Request {
  return new Request(new URL(path, url), { method, headers })
}
