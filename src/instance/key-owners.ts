import { hash } from 'node:crypto'
import { apiKeyCollection } from '../keys/key.ts'
import type { Keys } from '../keys/keys.ts'
import type { Scope } from '../keys/types.ts'
import type { KeyOwner } from '../server/other-accounts.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'

/** The account and the scope of each API key; also for accounts that are not open. */
export interface KeyOwners {
  /** Null for keys of `default`, and for values that are no key. */
  ofKey(key: string): KeyOwner | null
  /** The same by the SHA-256 of the key in hex. */
  ofDigest(digest: string): KeyOwner | null
  /**
   * Reads the stored keys of an account, and follows those that other instances make and remove.
   *
   * @param store  Closed when the account is forgotten.
   */
  follow(id: string, store: Store): Promise<void>
  /** The same keys, but changes of them are noted here. Call it after `follow`, which starts the list of the account's keys. */
  watch(id: string, keys: Keys): Keys
  /**
   * Forgets an account that is removed.
   *
   * @param passwordDigest  The SHA-256 of its SMTP password in base64url, if it is known.
   */
  forget(id: string, passwordDigest: string | null): void
  /** Notes that an SMTP password was replaced. @param passwordDigest  As for {@link KeyOwners.forget}. */
  endPassword(passwordDigest: string): void
  /**
   * Whether this was, since the start, a key or SMTP password of an account that was removed, or a password that was
   * replaced. An app that still uses it must not reach the account `default`, which accepts mail with any credentials.
   */
  isFormer(password: string): boolean
}

export function createKeyOwners(following: Following): KeyOwners {
  const owners = new Map<string, KeyOwner>()
  /** The digests of the keys of each account, by the ids of the keys. */
  const accounts = new Map<string, { digests: Map<string, string>; store: Store }>()
  const former = new Set<string>()

  function addFormer(digest: string): void {
    const [oldest] = former
    if (former.size >= mostFormer && oldest !== undefined) former.delete(oldest)
    former.add(digest)
  }

  const endPassword = (passwordDigest: string): void =>
    addFormer(Buffer.from(passwordDigest, 'base64url').toString('hex'))

  function add(account: string, key: { id: string; value: string; scope?: Scope }): void {
    const digest = digestOf(key.value)
    accounts.get(account)?.digests.set(key.id, digest)
    owners.set(digest, { id: account, scope: key.scope ?? 'full' })
  }

  function remove(account: string, keyId: string): void {
    const digests = accounts.get(account)?.digests
    owners.delete(digests?.get(keyId) ?? '')
    digests?.delete(keyId)
  }

  return {
    ofKey: (key) => owners.get(digestOf(key)) ?? null,
    ofDigest: (digest) => owners.get(digest) ?? null,
    async follow(id, store) {
      if (accounts.has(id)) return
      const digests = new Map<string, string>()
      accounts.set(id, { digests, store })
      await following.open(store, apiKeyCollection, {
        ids: () => digests.keys(),
        // The account may have been removed while the key was read.
        put: (key) => void (accounts.has(id) && add(id, key)),
        remove: (keyId) => remove(id, keyId),
      })
    },
    watch(id, keys) {
      for (const key of keys.list({ reveal: () => true })) add(id, key)
      return {
        ...keys,
        async create(input) {
          const key = await keys.create(input)
          add(id, key)
          return key
        },
        async remove(keyId) {
          await keys.remove(keyId)
          remove(id, keyId)
        },
      }
    },
    forget(id, passwordDigest) {
      if (passwordDigest !== null) endPassword(passwordDigest)
      const account = accounts.get(id)
      if (!account) return
      accounts.delete(id)
      void account.store.close()
      for (const digest of account.digests.values()) {
        owners.delete(digest)
        addFormer(digest)
      }
    },
    endPassword,
    isFormer: (password) => former.size > 0 && former.has(digestOf(password)),
  }
}

const mostFormer = 20_000

// Keys are long and random, so neither a digest nor the time of a look-up reveals anything about them.
const digestOf = (key: string): string => hash('sha256', key)
