import { hash, randomBytes } from 'node:crypto'
import { LocalpostError } from '../core/errors.ts'
import { dateNow } from '../core/machine.ts'
import type { Scope } from '../keys/types.ts'
import { createFollowing, type Following } from '../store/follow.ts'
import { insert, remove, type Change, type Store } from '../store/store.ts'
import { sessionCollection, type SessionRecord, type User } from './user.ts'
import { toUser, type Users } from './users.ts'

/** The owner of a session: a user, or the holder of an API key. */
export type SessionOwner =
  | { readonly user: User; /** Whether an OpenID provider signed it in. */ readonly isProvided?: true }
  /** `account` is the id of the account that the key is of; null for `default`. */
  | { readonly scope: Scope; readonly account: string | null }

/** Sessions of the page, after a sign-in with an API key, a password or an OpenID provider. They survive a restart. */
export interface StoredSessions {
  /** Begins a session of a key that was checked before. @returns Its token. */
  openForKey(key: string): Promise<string>
  /** Begins a session of a user whose password was checked before. @returns Its token. */
  openForUser(user: { name: string; hash: string }): Promise<string>
  /** Begins a session of a user whom an OpenID provider authenticated. @returns Its token. */
  openForProvided(user: User): Promise<string>
  /** Ends a session. Has no effect if there is none. */
  close(token: string): Promise<void>
  /**
   * The owner of a session. Null if there is no such session, it has expired, its key or user was removed, or the
   * password or the options for the OpenID provider were changed.
   */
  ownerOf(token: string): SessionOwner | null
}

/**
 * @param deps.keys  Finds keys by their digests.
 * @param deps.users  null if nobody can sign in with a password.
 * @param deps.policy  A digest of the options for the OpenID provider. Default: there is none.
 * @param deps.now  Default: the machine's time, which browsers use for cookies.
 * @param deps.following  Follows the sessions that begin and end at other instances. Default: a new one.
 */
export async function createStoredSessions(deps: {
  store: Store
  keys: { ofDigest(digest: string): { scope: Scope; account: string | null } | null }
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

  async function open(owner: Pick<SessionRecord, 'user' | 'provided'>, proof: string): Promise<string> {
    // The token is random and has no other use, so a stolen cookie does not reveal the key.
    const token = randomBytes(24).toString('base64url')
    const created = now()
    const session = {
      id: digestOf(token),
      ...owner,
      proof,
      created,
      expires: created + sessionSeconds * 1000,
    }
    const gone = [...sessions.values()].filter(({ expires }) => expires <= created)
    const left = [...sessions.values()].filter(({ expires }) => expires > created)
    gone.push(
      ...left.sort((a, b) => a.created - b.created).slice(0, Math.max(0, left.length + 1 - maxSessions)),
    )
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
    openForKey: (key) => open({ user: null }, digestOf(key)),
    openForUser: ({ name, hash: passwordHash }) => open({ user: name }, digestOf(passwordHash)),
    openForProvided: (provided) => open({ user: null, provided }, policy ?? ''),
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
const maxSessions = 1000

const digestOf = (text: string): string => hash('sha256', text)
