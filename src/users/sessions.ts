import { hash, randomBytes } from 'node:crypto'
import { LocalpostError } from '../core/errors.ts'
import { dateNow } from '../core/machine.ts'
import type { Scope } from '../keys/types.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { insert, remove, type Change, type Store } from '../store/store.ts'
import { sessionCollection, type ProvidedUser, type SessionRecord, type User } from './user.ts'
import { toUser, type Users } from './users.ts'

/** The owner of a session: a user, or the holder of an API key. */
export type SessionOwner =
  | { readonly user: User; /** Whether an OpenID provider signed it in. */ readonly isProvided?: true }
  /** `account` is the id of the account that the key is of; null for `default`. */
  | { readonly scope: Scope; readonly account: string | null }

/** The holder of an API key, a user with a password, or a user of an OpenID provider. */
export type SignedIn = { key: string } | { user: { name: string; hash: string } } | { provided: ProvidedUser }

/**
 * Sessions of the page, after a sign-in with an API key, a password or an OpenID provider. They survive a restart. Each key
 * and each user has up to {@link maxPerUser}; a further one ends the oldest of the same key or user, and of no other.
 */
export interface StoredSessions {
  /** Begins a session of an owner that was authenticated before. @returns Its token. */
  open(owner: SignedIn): Promise<string>
  /** Ends a session. Has no effect if there is none. */
  close(token: string): Promise<void>
  /**
   * The owner of a session. Null if there is no such session, it has expired, its key or user was removed, or the
   * password or the options for the OpenID provider were changed.
   */
  ownerOf(token: string): SessionOwner | null
}

/**
 * @param deps.keys  Finds keys by their digests. `ofDigest` may accept any key; `has` knows only keys that were made or given.
 * @param deps.users  null if no user can sign in with a password.
 * @param deps.policy  A digest of the options for the OpenID provider. Default: there is none.
 * @param deps.now  Default: the machine's time, which browsers use for cookies.
 * @param deps.following  Follows the sessions that begin and end at other instances. Default: a new one.
 */
export async function createStoredSessions(deps: {
  store: Store
  keys: {
    ofDigest(digest: string): { scope: Scope; account: string | null } | null
    has(digest: string): boolean
  }
  users: Pick<Users, 'find'> | null
  policy?: string | null
  now?: () => number
  following?: Following
}): Promise<StoredSessions> {
  const { store, keys, users, policy = null, now = dateNow, following = createFollowing() } = deps
  const sessions = new Map<string, Omit<SessionRecord, 'version'>>()
  await following.open(store, sessionCollection, {
    ids: () => sessions.keys(),
    put: (record) => void sessions.set(record.id, record),
    remove: (id) => void sessions.delete(id),
  })

  /**
   * Sessions of a group count together. Keys that do not exist, which `acceptAnyKey` accepts, are one group, because
   * callers could invent any number.
   */
  function groupOf({ user, provided, subject, proof }: StoredOwner): string {
    if (provided) return `provided ${subject}`
    if (user !== null) return `user ${user}`
    return keys.has(proof) ? `key ${proof}` : 'unknown key'
  }

  /**
   * The sessions that have expired, and the oldest of this owner's group, so that with a new one it has at most
   * {@link maxPerUser}.
   */
  function sessionsToEnd(owner: StoredOwner, at: number): Omit<SessionRecord, 'version'>[] {
    const all = [...sessions.values()]
    const group = groupOf(owner)
    const same = all.filter((one) => one.expires > at && groupOf(one) === group)
    same.sort((a, b) => a.created - b.created)
    const surplus = same.slice(0, Math.max(0, same.length + 1 - maxPerUser))
    return [...all.filter(({ expires }) => expires <= at), ...surplus]
  }

  async function begin(owner: StoredOwner): Promise<string> {
    // The token is random and has no other use, so a stolen cookie does not reveal the key.
    const token = randomBytes(24).toString('base64url')
    const created = now()
    const session = { id: digestOf(token), ...owner, created, expires: created + sessionSeconds * 1000 }
    const gone = sessionsToEnd(owner, created)
    for (const { id } of gone) sessions.delete(id)
    sessions.set(session.id, session)
    await commit([...gone.map(({ id }) => remove(sessionCollection, id)), insert(sessionCollection, session)])
    return token
  }

  // On a full disk people must still be able to sign in to remove mail. The session then lasts until the process ends.
  async function commit(operations: Change[]): Promise<void> {
    await store.commit(operations).catch((error: unknown) => {
      if (!(error instanceof LocalpostError)) throw error
    })
  }

  return {
    open(owner) {
      if ('key' in owner) return begin({ user: null, proof: digestOf(owner.key) })
      if ('user' in owner) return begin({ user: owner.user.name, proof: digestOf(owner.user.hash) })
      const { user, subject } = owner.provided
      return begin({ user: null, provided: user, subject: digestOf(subject), proof: policy ?? '' })
    },
    async close(token) {
      const id = digestOf(token)
      if (sessions.delete(id)) await commit([remove(sessionCollection, id)])
    },
    ownerOf(token) {
      const session = sessions.get(digestOf(token))
      if (!session || now() >= session.expires) return null
      const { user: name, provided, proof } = session
      if (provided) return proof === policy ? { user: provided, isProvided: true } : null
      if (name === null) return keys.ofDigest(proof)
      const user = users?.find(name)
      return user && digestOf(user.hash) === proof ? { user: toUser(user) } : null
    },
  }
}

/** How long a session lasts. */
export const sessionSeconds: number = 24 * 60 * 60
/** How many sessions one key or one user has. */
export const maxPerUser = 50

type StoredOwner = Pick<SessionRecord, 'user' | 'provided' | 'subject' | 'proof'>

const digestOf = (text: string): string => hash('sha256', text)
