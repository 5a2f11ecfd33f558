import { createHash } from 'node:crypto'
import { LocalpostError, validationError } from '../core/errors.ts'
import type { PlainError } from '../core/job-worker.ts'
import { quote } from '../core/quote.ts'
import { isDeeperThan, maxDepth } from '../core/json-depth.ts'
import {
  update,
  insert,
  type Change,
  type Collection,
  type Store,
  type StoredRecord,
} from '../store/store.ts'

/** The stored answer for repeated requests. */
interface IdempotencyRecord extends StoredRecord {
  body_hash: string
  /** The id that the answer gave; the first one of several; `""` if none was stored. */
  email_id: string
  /** The answer for each request, if there is more to it than the id. */
  answers?: readonly RememberedAnswer[]
  created: number
}

/** What the answer said about one request. */
export type RememberedAnswer = { id: string; message_id?: string | undefined } | { error: PlainError }

export const idempotencyCollection: Collection<IdempotencyRecord> = {
  name: 'idempotency',
  large: true,
  indexes: { created: { on: ['created'] } },
}

/** How long an Idempotency-Key is remembered, in milliseconds. */
export const idempotencyPeriodMs: number = 24 * 60 * 60 * 1000
/** How many characters an Idempotency-Key may have. */
export const maxKeyChars = 256

/** A request that may be repeated. */
export interface Repeatable {
  id: string
  body_hash: string
}

/**
 * The id under which a key is remembered.
 *
 * @param surface  Each has its own keys; `""` is that of the interface.
 * @throws validation_error for a key that is empty or longer than 256 characters.
 */
export function keyHash(key: string, surface: string): string {
  if (key === '' || key.length > maxKeyChars) {
    const message = `must have 1 to ${maxKeyChars} characters, not ${key.length}`
    throw validationError([{ field: 'Idempotency-Key', message }])
  }
  return (
    createHash('sha256')
      // A key with a line end could otherwise be that of another surface.
      .update(surface === '' && !key.includes('\n') ? key : `${surface}\n${key}`)
      .digest('hex')
  )
}

/** The hash of several bodies together, in their order. */
export function joinHashes(hashes: readonly string[]): string {
  const [only = ''] = hashes
  return hashes.length === 1 ? only : createHash('sha256').update(hashes.join()).digest('hex')
}

/**
 * The hash of a body; the order of the members of its objects does not matter.
 *
 * @throws validation_error for a body nested deeper than 100 levels.
 */
export function bodyHash(body: unknown): string {
  if (isDeeperThan(maxDepth, body)) {
    throw validationError([{ field: 'body', message: `is nested deeper than ${maxDepth} levels` }])
  }
  return createHash('sha256')
    .update(JSON.stringify(canonical(body)) ?? '')
    .digest('hex')
}

/**
 * Looks up a key.
 *
 * @returns `answers`: those of an earlier request of the last 24 hours, null without one. `remember`: makes the change that
 *   stores the answers, for the commit of the emails. If the same request runs twice at once, one of the commits fails.
 * @throws idempotency_conflict if the earlier request had another body.
 */
export async function lookUpKey(
  store: Store,
  request: Repeatable,
  now: number,
): Promise<{
  answers: readonly RememberedAnswer[] | null
  remember(answers: readonly RememberedAnswer[]): Change
}> {
  const existing = await store.get(idempotencyCollection, request.id)
  const earlier = existing && now - existing.created < idempotencyPeriodMs ? existing : null
  if (earlier && earlier.body_hash !== request.body_hash) {
    const message = `The Idempotency-Key was used for ${quote(earlier.email_id)} with another body; use a new key for a new request.`
    throw new LocalpostError('idempotency_conflict', message)
  }
  return {
    answers: earlier && (earlier.answers ?? [{ id: earlier.email_id }]),
    remember(answers) {
      const [first] = answers
      const email_id = first && 'id' in first ? first.id : ''
      const isPlain = answers.length === 1 && first && 'id' in first && first.message_id === undefined
      const record = { ...request, email_id, ...(isPlain ? {} : { answers }), created: now }
      return existing
        ? update(idempotencyCollection, { ...record, version: existing.version })
        : insert(idempotencyCollection, record)
    },
  }
}

/** The same value with the members of its objects in order. */
function canonical(value: unknown): unknown {
  // Not a JSON value; the check of the request refuses it afterwards with a better message.
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return canonical(JSON.parse(JSON.stringify(value) ?? 'null'))
  if (Array.isArray(value)) return value.map(canonical)
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, canonical(member)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}
