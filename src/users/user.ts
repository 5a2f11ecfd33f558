import type { Collection, StoredRecord } from '../store/store.ts'

/** The role of a user: an `admin` may do everything, a `member` everything except managing access and the whole instance. */
export type Role = 'admin' | 'member'

/** A user who may sign in. */
export interface User {
  readonly name: string
  readonly role: Role
  /** Names of the accounts that a member may see. */
  readonly accounts: readonly string[]
}

/** A user whom an OpenID provider authenticated. */
export interface ProvidedUser {
  readonly user: User
  /** The claim `sub`: unlike the name, no user of the provider can have that of another. */
  readonly subject: string
}

/** A session of the page as stored. */
export interface SessionRecord extends StoredRecord {
  /** The name of the user in the file of users; null for sessions of an API key and for users of a provider. */
  user: string | null
  /** The user as an OpenID provider described it at the sign-in; absent for other sessions. */
  provided?: User
  /** A digest of what identifies that user at the provider; absent for other sessions. */
  subject?: string
  /** A digest of the key, the password's hash, or the provider's options: if that is no longer valid, the session ends. */
  proof: string
  /** When it began: Unix time in milliseconds. */
  created: number
  /** When it ends: Unix time in milliseconds. */
  expires: number
}

/** The ids are digests of the tokens in the cookies, so that a stolen data folder contains no valid token. */
export const sessionCollection: Collection<SessionRecord> = { name: 'sessions', indexes: {} }
