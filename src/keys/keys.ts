import { hash, timingSafeEqual } from 'node:crypto'
import { createRandomSources, type RandomSource } from '../core/random.ts'
import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import { notFound } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import type { ApiKeyRecord } from './key.ts'
import type { ApiKey, ApiKeyInput } from './types.ts'
import { apiKeyCollection } from './key.ts'
import { apiKeyInputSchema } from './schema.ts'

/** API keys: who may come in. */
export interface Keys {
  /** The key to show and to use: the first given one, else the oldest stored one. */
  primary(): string
  /** Whether a Bearer value is a key. Takes the same time for every wrong one. */
  accepts(bearer: string): boolean
  /**
   * Given ones first, then stored ones, oldest first.
   *
   * @param options.reveal  Gives the values whole instead of masked: for loopback only.
   */
  list(options?: { reveal?: boolean }): ApiKey[]
  /** Makes and stores a key; the answer alone has its whole value. @throws validation_error */
  create(input?: ApiKeyInput): Promise<ApiKey>
  /**
   * Removes a stored key; it is refused from then on.
   *
   * @throws not_found
   * @throws state_conflict for the last stored key (make another first) and for keys from the options.
   */
  remove(id: string): Promise<void>
}

/**
 * The keys of an instance. Where none is stored, one is made and stored.
 *
 * @param deps.given  Keys from the options, beside the stored ones; never stored.
 * @param deps.acceptAny  Accepts any value that is not empty.
 * @param deps.chance  Where new keys come from. Default: the system's.
 */
export async function createKeys(deps: {
  store: Store
  clock: Clock
  ids: Ids
  given: readonly string[]
  acceptAny: boolean
  random?: RandomSource
}): Promise<Keys> {
  const { store, clock, ids, given, acceptAny, random = createRandomSources(null)('keys') } = deps
  const stored = await readAll(store)
  const begun = clock.now()
  const digests = new Map(given.map((value, i) => [optionId(i), digest(value)]))
  for (const { id, value } of stored) digests.set(id, digest(value))
  /**
   * Keys that were presented before. A lookup takes the same time for every wrong value: a set compares the hash of
   * the whole text, never its beginning.
   */
  const presented = new Set<string>()
  if (stored.length === 0) await add(null)

  async function add(name: string | null): Promise<ApiKeyRecord> {
    const value = `lp_${random.bytes(30).toString('base64url')}`
    const key: Complete<ApiKeyRecord> = { id: ids.next('key'), version: 1, name, value, created: clock.now() }
    await store.commit([insert(apiKeyCollection, key)])
    stored.push(key)
    digests.set(key.id, digest(value))
    return key
  }

  return {
    primary: () => given[0] ?? stored[0]?.value ?? '',
    accepts(bearer) {
      if (acceptAny) return bearer !== ''
      if (presented.has(bearer)) return true
      const asked = digest(bearer)
      let found = false
      for (const known of digests.values()) found = timingSafeEqual(known, asked) || found
      if (found) presented.add(bearer)
      return found
    },
    list({ reveal = false } = {}) {
      const fromOptions = given.map((value, i) => ({ id: optionId(i), name: null, value, created: begun }))
      const all = [
        ...fromOptions.map((key) => toApiKey(key, 'option')),
        ...stored.map((key) => toApiKey(key, 'stored')),
      ]
      return reveal ? all : all.map((key) => ({ ...key, value: maskKey(key.value) }))
    },
    async create(input = {}) {
      const { name = null } = parseInput(apiKeyInputSchema, input)
      return toApiKey(await add(name), 'stored')
    },
    async remove(id) {
      if (given.some((_, i) => optionId(i) === id)) {
        throw new LocalpostError(
          'state_conflict',
          `The key ${quote(id)} comes from the options; start without it.`,
        )
      }
      const at = stored.findIndex((key) => key.id === id)
      if (at < 0) throw notFound('API key', id)
      if (stored.length === 1) {
        throw new LocalpostError(
          'state_conflict',
          `${quote(id)} is the last stored key. Make another one first.`,
        )
      }
      // Out before the commit: two removals at once must not take the last two.
      const [key] = stored.splice(at, 1)
      try {
        await store.commit([remove(apiKeyCollection, id)])
        digests.delete(id)
        presented.clear()
      } catch (error) {
        if (key) stored.splice(at, 0, key)
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

async function readAll(store: Store): Promise<ApiKeyRecord[]> {
  const keys: ApiKeyRecord[] = []
  for (;;) {
    const last = keys.at(-1)
    const page = await store.page(apiKeyCollection, { after: last && [last.id], limit: 500 })
    keys.push(...page.records)
    if (!page.more) return keys
  }
}

const optionId = (index: number): string => `option_${index + 1}`

// Digests are equally long, so that comparing them tells nothing about a key, not even its length.
const digest = (value: string): Buffer => hash('sha256', value, 'buffer')

function toApiKey(
  { id, name, created, value }: Omit<ApiKeyRecord, 'version'>,
  source: ApiKey['source'],
): Complete<ApiKey> {
  return { id, name, created, value, source }
}
