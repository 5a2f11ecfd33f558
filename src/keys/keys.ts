import { hash, timingSafeEqual } from 'node:crypto'
import type { RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Ids } from '../core/ids.ts'
import { notFound } from '../store/repository.ts'
import type { Following } from '../store/follow.ts'
import { type Store, insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { type ApiKeyRecord, apiKeyCollection } from './key.ts'
import type { ApiKey, ApiKeyInput, Scope } from './types.ts'
import { apiKeyInputSchema } from './schema.ts'

/** API keys: who may use the APIs. */
export interface Keys {
  /** The key to show and to use: the first given one, else the oldest stored one of scope `full`. */
  primary(): Pick<ApiKey, 'id' | 'value'>
  /** The scope of a Bearer value; null if it is no key. Takes the same time for every wrong one. */
  scopeOf(bearer: string): Scope | null
  /** The same by the SHA-256 of a key, in hexadecimal. */
  scopeOfDigest(digest: string): Scope | null
  /** Whether there is a key with this digest; a key that only `acceptAny` accepts is none. */
  hasDigest(digest: string): boolean
  /**
   * Given ones first, then stored ones, oldest first.
   *
   * @param options.reveal  Decides which keys are shown unmasked: only over loopback.
   */
  list(options?: { reveal?: (key: ApiKey) => boolean }): ApiKey[]
  /** Creates and stores a key; only the result contains its whole value. @throws validation_error */
  create(input?: ApiKeyInput): Promise<ApiKey>
  /**
   * Removes a stored key; it is refused from then on.
   *
   * @throws not_found
   * @throws state_conflict for the last stored key of scope `full` (make another first) and for keys from the options.
   */
  remove(id: string): Promise<void>
}

/**
 * The keys of an instance. If none is stored, one is created and stored.
 *
 * @param deps.given  Keys from the options, beside the stored ones; never stored.
 * @param deps.acceptAny  Accepts any value that is not empty.
 * @param deps.following  Follows the keys that other instances make and remove.
 */
export async function createKeys(deps: {
  store: Store
  clock: Clock
  ids: Ids
  given: readonly string[]
  acceptAny: boolean
  random: RandomSource
  following: Following
}): Promise<Keys> {
  const { store, clock, ids, given, acceptAny, random, following } = deps
  // A key is in `stored` and `known` from `keep` to `drop`; while its removal is being committed, it is only in `known`.
  /** The oldest first. */
  const stored: ApiKeyRecord[] = []
  const begun = clock.now()
  /** What is accepted: the given keys for ever, and the stored ones. */
  const known = new Map<string, Known>(
    given.map((value, i) => [optionId(i), { digest: digestBytes(value), scope: 'full' }]),
  )
  /**
   * Keys that clients have used before: only values of known keys, so it is emptied when one is dropped. A lookup takes
   * the same time for every wrong value: a map compares the hash of the whole text, never its beginning.
   */
  const presented = new Map<string, Scope>()
  await following.open(store, apiKeyCollection, {
    ids: () => stored.map(({ id }) => id),
    put: keep,
    remove: drop,
  })
  if (!stored.some(isFull)) await add({ name: null, scope: 'full' })

  function keep(key: ApiKeyRecord): void {
    if (known.has(key.id)) return
    known.set(key.id, { digest: digestBytes(key.value), scope: key.scope })
    const after = stored.findLastIndex(({ id }) => id < key.id)
    stored.splice(after + 1, 0, key)
  }

  /** Refuses a key from now on. */
  function drop(id: string): void {
    const at = stored.findIndex((key) => key.id === id)
    if (at >= 0) stored.splice(at, 1)
    if (known.delete(id)) presented.clear()
  }

  async function add({ name, scope }: Pick<ApiKeyRecord, 'name' | 'scope'>): Promise<ApiKeyRecord> {
    const value = `lp_${random.bytes(30).toString('base64url')}`
    const key: ApiKeyRecord = { id: ids.next('key'), version: 1, name, scope, value, created: clock.now() }
    await store.commit([insert(apiKeyCollection, key)])
    keep(key)
    return key
  }

  function find(asked: Buffer): Scope | null {
    let found: Scope | null = null
    for (const key of known.values()) if (timingSafeEqual(key.digest, asked)) found ??= key.scope
    return found
  }

  return {
    primary() {
      const [value] = given
      if (value !== undefined) return { id: optionId(0), value }
      const { id = '', value: oldest = '' } = stored.find(isFull) ?? {}
      return { id, value: oldest }
    },
    scopeOf(bearer) {
      const before = presented.get(bearer)
      if (before !== undefined) return before
      const found = find(digestBytes(bearer))
      if (found !== null) presented.set(bearer, found)
      return found ?? (acceptAny && bearer !== '' ? 'full' : null)
    },
    hasDigest: (hex) => find(Buffer.from(hex, 'hex')) !== null,
    scopeOfDigest: (hex) => find(Buffer.from(hex, 'hex')) ?? (acceptAny ? 'full' : null),
    list({ reveal = () => false } = {}) {
      const ofOptions = { name: null, scope: 'full' as const, created: begun }
      const all = [
        ...given.map((value, i) => toApiKey({ ...ofOptions, id: optionId(i), value }, 'option')),
        ...stored.map((key) => toApiKey(key, 'stored')),
      ]
      return all.map((key) => (reveal(key) ? key : { ...key, value: maskKey(key.value) }))
    },
    async create(input = {}) {
      const { name = null, scope = 'full' } = parseInput(apiKeyInputSchema, input)
      return toApiKey(await add({ name, scope }), 'stored')
    },
    async remove(id) {
      if (given.some((_, i) => optionId(i) === id))
        throw conflict(`The key ${quote(id)} comes from the options; start without it.`)
      const at = stored.findIndex((key) => key.id === id)
      if (at < 0) throw notFound('API key', id)
      if (!stored.some((key, index) => index !== at && isFull(key)))
        throw conflict(`${quote(id)} is the last stored key of scope "full". Make another one first.`)
      // Removed before the commit, so that two concurrent removals cannot remove the last two keys.
      const [key] = stored.splice(at, 1)
      try {
        await store.commit([remove(apiKeyCollection, id)])
        drop(id)
      } catch (error) {
        // Otherwise `keep` would take it for one that is still listed.
        known.delete(id)
        if (key) keep(key)
        throw error
      }
    },
  }
}

/** A key as it may be shown and logged: `lp_abcd…wxyz`; of a short one, even less. */
export function maskKey(key: string): string {
  if (key.length < 32) return `${key.slice(0, Math.floor(key.length / 4))}…`
  return `${key.slice(0, 7)}…${key.slice(-4)}`
}

/** A key as it is compared. */
interface Known {
  digest: Buffer
  scope: Scope
}

const conflict = (message: string): LocalpostError => new LocalpostError('state_conflict', message)

const isFull = (key: ApiKeyRecord): boolean => key.scope === 'full'

const optionId = (index: number): string => `option_${index + 1}`

// Digests have the same length, so comparing them reveals nothing about a key, not even its length.
const digestBytes = (value: string): Buffer => hash('sha256', value, 'buffer')

function toApiKey(
  { id, name, scope, created, value }: Omit<ApiKeyRecord, 'version'>,
  source: ApiKey['source'],
): Complete<ApiKey> {
  return { id, name, scope, created, value, source }
}
