import type { H3Event, Middleware } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import type { SessionOwner } from '../users/sessions.ts'
import { passedOn } from './body-streams.ts'
import { stateOf, isLocalPath } from './request-state.ts'
import { defaultAccount } from '../accounts/schema.ts'
import { bearerPlace } from './auth.ts'
import type { Face } from './face.ts'
import type { Scope } from '../keys/types.ts'

/**
 * Passes a request on to the account that it is for, unless that is `default`.
 *
 * @param hasUsers  Whether users can sign in, which see only some accounts.
 */
export function passToAccount(
  otherAccounts: OtherAccounts,
  hasUsers: boolean,
  sessionOwner: (headers: Pick<Headers, 'get'>) => SessionOwner | null,
): Middleware {
  return async (event, next) => {
    if (!hasUsers && otherAccounts.isEmpty() && !namesAccount(event)) return next()
    const find = (): AccountDestination =>
      destinationOf(event, otherAccounts, () => sessionOwner(event.req.headers))
    const state = stateOf(event)
    const { refusedName, ...to } = find()
    const assertReached = (): void => {
      const now = find()
      if (now.id !== to.id || now.refusedName !== null || (now.id !== null && !otherAccounts.has(now.id)))
        throw new LocalpostError('not_found', 'The account of this request cannot be reached any more.')
    }
    state.account = { ...state.account, ...(refusedName === null ? { assertReached } : { refusedName }) }
    if (to.id === null) return next()
    const { app, used, release } = await otherAccounts.open(to.id)
    state.account = { ...state.account, used }
    return answerHeld(async () => app.answer(to.request, event.context), event, release)
  }
}

/**
 * Gets an answer, and calls `release` once it needs its account no longer: at once, or at the end of a stream. h3's
 * `onDispose` would read ahead of callers in process, and hold the account for those who never read an answer.
 */
async function answerHeld(
  get: () => Promise<Response>,
  event: H3Event,
  release: () => void,
): Promise<Response> {
  let isHeld = false
  try {
    const answer = await get()
    const { isStreamed, socket } = stateOf(event)
    if (!isStreamed || socket?.res.destroyed) return answer
    isHeld = true
    if (!socket) {
      const { status, headers, body } = answer
      return new Response(body && passedOn(body, release).body, { status, headers })
    }
    socket.res.once('close', release)
    return answer
  } finally {
    if (!isHeld) release()
  }
}

/** The account that a request is for. */
interface AccountDestination {
  /** Another account; null for this one. */
  readonly id: string | null
  /** What is passed to the other account. */
  readonly request: Request
  /** The name of a requested account that the caller may not see, which is refused after the key was checked; null for none. */
  readonly refusedName: string | null
}

/**
 * Finds the account that a request is for: that of its API key, else that of its session, else the one that the query names.
 * A caller of one account who names another one gets the same answer as for one that does not exist.
 */
function destinationOf(
  event: Pick<H3Event, 'req' | 'url' | 'context'>,
  otherAccounts: OtherAccounts,
  sessionOwner: () => SessionOwner | null,
): AccountDestination {
  const { req: request, url } = event
  const { face } = stateOf(event)
  const to = (id: string | null): AccountDestination => ({ id, request, refusedName: null })
  // Of h3's URL: in the request's own one, letters may be escaped.
  const tracked = trackedForm.exec(url.pathname)
  if (tracked) {
    const [, id = '', rest = ''] = tracked
    return otherAccounts.has(id) ? { ...to(id), request: requestAt(rest, request) } : to(null)
  }
  if (face && face.access !== 'local') return to(otherAccountOf(face, request.headers, otherAccounts))
  if (!isLocalPath(event) && !url.pathname.startsWith('/v1/')) return to(null)
  return { request, ...callerDestination(event, otherAccounts, sessionOwner) }
}

/** The account of a request to `/v1`, or to what only the page and local callers use. */
function callerDestination(
  event: Pick<H3Event, 'req' | 'url' | 'context'>,
  otherAccounts: OtherAccounts,
  sessionOwner: () => SessionOwner | null,
): Pick<AccountDestination, 'id' | 'refusedName'> {
  const { req: request, url } = event
  const { face, signedIn } = stateOf(event)
  const key = signedIn ? null : (face?.key ?? bearerPlace).of(request.headers)
  const named = isLocalPath(event) ? url.searchParams.get('account') : pageAccountOf(request, key)
  const session = key === null ? (signedIn?.() ?? sessionOwner()) : null
  const ownId = key === null ? accountIn(session) : (otherAccounts.ofKey(key)?.id ?? null)
  if (ownId !== null) {
    const isOther = named !== null && otherAccounts.ofName(named) !== ownId
    return { id: ownId, refusedName: isOther ? named : null }
  }
  // A caller that may use several accounts. The routes of accounts show only those that the caller may see.
  if (session && named === null && url.pathname.startsWith('/dev/accounts'))
    return { id: null, refusedName: null }
  const name = named ?? firstAccountOf(session)
  // A key of `default` reaches only `default`.
  const id = key === null ? otherAccounts.ofName(name) : null
  const isKnown = maySee(session, name) && (id !== null || name === defaultAccount)
  return isKnown ? { id, refusedName: null } : { id: null, refusedName: name }
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

function namesAccount({ req, url }: Pick<H3Event, 'req' | 'url'>): boolean {
  return req.headers.has(accountHeader) || (url.search !== '' && url.searchParams.has('account'))
}

/** The page calls `/v1` with its session, and `/v1` has no parameter `account`, so a header names the account. */
function pageAccountOf({ headers }: Request, key: string | null): string | null {
  return key === null ? headers.get(accountHeader) : null
}

const accountHeader = 'x-localpost-account'

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

/** URLs in tracked mail name the account of the mail. Such a path reaches nothing else. */
const trackedForm = /^\/a\/(acc_[a-z0-9]{22})(\/t\/.+)$/

function requestAt(path: string, { url, method, headers }: Request): Request {
  return new Request(new URL(path, url), { method, headers })
}

/** The HTTP interface of one account. */
export interface AccountHttp {
  /** Answers a request that the interface of `default` passes on, with h3's context of it. */
  answer(request: Request, context: Record<string, unknown>): Response | Promise<Response>
}

/** The owner of an API key. */
export interface KeyOwner {
  /** The id of the account. */
  readonly id: string
  readonly scope: Scope
}

/** The accounts other than `default`, each with its own HTTP interface. */
export interface OtherAccounts {
  isEmpty(): boolean
  /** The account of an API key; null for keys of `default`, and for values that are no key. */
  ofKey(key: string): KeyOwner | null
  /** The same by the SHA-256 of the key in hex. */
  ofDigest(digest: string): KeyOwner | null
  /** The id of the account with this name; null if there is none that can be used. */
  ofName(name: string): string | null
  /** Whether there is an account of this id that can be used. */
  has(id: string): boolean
  /** Opens an account, which stays open until `release` is called. This counts as use; `used` extends it. @throws not_found. */
  open(id: string): Promise<{ readonly app: AccountHttp; used(): void; release(): void }>
}
