import { hash } from 'node:crypto'
import { apiKeyCollection } from '../keys/key.ts'
import type { Keys } from '../keys/keys.ts'
import type { Scope } from '../keys/types.ts'
import type { KeyOwner } from '../server/pass-to-account.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'

/** The account and the scope of each API key; also for accounts that are not open. */
export class KeyOwners {
  readonly #following: Following
  readonly #owners = new Map<string, KeyOwner>()
  /** The digests of the keys of each account, by the ids of the keys. */
  readonly #accounts = new Map<string, { digests: Map<string, string>; store: Store }>()
  readonly #former = new Set<string>()

  constructor(following: Following) {
    this.#following = following
  }

  /** Null for keys of `default`, and for values that are no key. */
  ofKey(key: string): KeyOwner | null {
    return this.ofDigest(digestOf(key))
  }

  /** The same by the SHA-256 of the key in hex. */
  ofDigest(digest: string): KeyOwner | null {
    return this.#owners.get(digest) ?? null
  }

  /**
   * Reads the stored keys of an account, and follows those that other instances make and remove.
   *
   * @param store  Closed when the account is forgotten.
   */
  async follow(id: string, store: Store): Promise<void> {
    if (this.#accounts.has(id)) return
    const digests = new Map<string, string>()
    this.#accounts.set(id, { digests, store })
    try {
      await this.#following.open(store, apiKeyCollection, {
        ids: () => digests.keys(),
        // The account may have been removed while the key was read.
        put: (key) => {
          if (this.#accounts.has(id)) this.#add(id, key)
        },
        remove: (keyId) => this.#remove(id, keyId),
      })
    } catch (error) {
      // The next call reads them again.
      this.#accounts.delete(id)
      throw error
    }
  }

  /** The same keys, but changes of them are noted here. Call it after `follow`, which starts the list of the account's keys. */
  watch(id: string, keys: Keys): Keys {
    for (const key of keys.list({ reveal: () => true })) this.#add(id, key)
    return {
      ...keys,
      create: async (input) => {
        const key = await keys.create(input)
        this.#add(id, key)
        return key
      },
      remove: async (keyId) => {
        await keys.remove(keyId)
        this.#remove(id, keyId)
      },
    }
  }

  /**
   * Forgets an account that is removed.
   *
   * @param passwordDigest  The SHA-256 of its SMTP password in base64url, if it is known.
   */
  forget(id: string, passwordDigest: string | null): void {
    if (passwordDigest !== null) this.endPassword(passwordDigest)
    const account = this.#accounts.get(id)
    if (!account) return
    this.#accounts.delete(id)
    void account.store.close()
    for (const digest of account.digests.values()) {
      this.#owners.delete(digest)
      this.#addFormer(digest)
    }
  }

  /** Notes that an SMTP password was replaced. @param passwordDigest  As for {@link KeyOwners.forget}. */
  endPassword(passwordDigest: string): void {
    this.#addFormer(Buffer.from(passwordDigest, 'base64url').toString('hex'))
  }

  /**
   * Whether this was, since the start, a key or SMTP password of an account that was removed, or a password that was
   * replaced. An app that still uses it must not reach the account `default`, which accepts mail with any credentials.
   */
  isFormer(password: string): boolean {
    return this.#former.size > 0 && this.#former.has(digestOf(password))
  }

  #add(account: string, key: { id: string; value: string; scope?: Scope }): void {
    const digest = digestOf(key.value)
    this.#accounts.get(account)?.digests.set(key.id, digest)
    this.#owners.set(digest, { id: account, scope: key.scope ?? 'full' })
  }

  #remove(account: string, keyId: string): void {
    const digests = this.#accounts.get(account)?.digests
    this.#owners.delete(digests?.get(keyId) ?? '')
    digests?.delete(keyId)
  }

  #addFormer(digest: string): void {
    const [oldest] = this.#former
    if (this.#former.size >= maxFormer && oldest !== undefined) this.#former.delete(oldest)
    this.#former.add(digest)
  }
}

const maxFormer = 20_000

// Keys are long and random, so neither a digest nor the time of a look-up reveals anything about them.
const digestOf = (key: string): string => hash('sha256', key)
