import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import { isErrorOf, LocalpostError, quote, validationError } from '../core/errors.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { parseInput } from '../core/validate.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import { addressKey, normalizeAddress } from '../mime/headers/addresses.ts'
import { listRecords, pagesOf } from '../store/repository.ts'
import {
  put,
  remove,
  type Change,
  type Collection,
  type Store,
  type StoredRecord,
  type CommitHook,
} from '../store/store.ts'
import { suppressionInputSchema } from './schema.ts'
import type { Suppression, SuppressionInput } from './types.ts'

/** An address that gets no mail. */
export interface SuppressionRecord extends StoredRecord, Suppression {
  /** The key of the address, by which all its spellings are compared. */
  address_key: string
}

/** The id is made of the key of the address, so that an address is listed once. */
export const suppressionCollection: Collection<SuppressionRecord> = {
  name: 'suppressions',
  indexes: { address: { on: ['address_key'] } },
}

/** The addresses of an account that get no mail. */
export interface Suppressions {
  /** By address. @throws invalid_cursor. */
  list(query?: ListQuery): Promise<ListPage<Suppression>>
  /** @param address  In any case. @throws not_found. */
  get(address: string): Promise<Suppression>
  /** Adds an address, or replaces its entry. @throws validation_error. */
  add(input: SuppressionInput): Promise<Suppression>
  /** @param address  In any case. @throws not_found. */
  remove(address: string): Promise<void>
}

/** The same for other parts of the instance. */
export interface InnerSuppressions extends Suppressions {
  /** Whether an address gets no mail, as far as this instance knows. */
  has(address: string): boolean
  /** Whether every address gets mail. */
  isEmpty(): boolean
  idle(): Promise<void>
  close(): Promise<void>
}

/** Which events add their recipient to the suppression list: none, permanent bounces, or also complaints. */
export type SuppressPolicy = 'off' | 'bounces' | 'all'

export interface SuppressionDeps {
  store: Store
  clock: Clock
  pageSize: number
  /** Which events of emails add their recipient. */
  suppress: SuppressPolicy
  /** Whether an address belongs to the simulator: no event adds it. */
  isSimulator(address: string): boolean
  /** Called with errors; what happened is stored without an entry then. */
  onError(error: unknown): void
}

/** Reads the list, and begins to add to it by the policy. */
export async function createSuppressions(deps: SuppressionDeps): Promise<InnerSuppressions> {
  const { store, clock, pageSize } = deps
  const known = new Set<string>()
  let reading: Promise<void> = Promise.resolve()

  /** What changes while the list is read: the entries by id, and whether they are there. */
  let changed: Map<string, boolean> | null = null

  async function readAll(): Promise<void> {
    const meanwhile = (changed = new Map<string, boolean>())
    const found = new Set<string>()
    for await (const records of pagesOf(store, suppressionCollection, { limit: 500 }))
      for (const { id } of records) found.add(id)
    known.clear()
    for (const id of found) known.add(id)
    for (const [id, isThere] of meanwhile) note(id, isThere)
    changed = null
  }

  function note(id: string, isThere: boolean): void {
    changed?.set(id, isThere)
    if (isThere) known.add(id)
    else known.delete(id)
  }

  // Before the first read, so that nothing is missed between the two.
  const stopListening = store.changes(
    (change) => {
      if (change.op === 'gap' || change.op === 'bulk')
        reading = reading.then(readAll).catch((error: unknown) => {
          if (!isErrorOf(error, 'closed')) deps.onError(error)
        })
      else note(change.id, change.op !== 'remove')
    },
    { of: suppressionCollection },
  )
  const has = (address: string): boolean => known.size > 0 && known.has(idOf(addressKey(address)))
  await readAll()
  store.beforeCommit(suppressing(deps, has))

  async function read(address: string): Promise<SuppressionRecord> {
    const record = await store.get(suppressionCollection, idOf(addressKey(address)))
    if (record) return record
    const message = `The address ${quote(address)} is not on the suppression list. Check its spelling.`
    throw new LocalpostError('not_found', message)
  }

  return {
    has,
    isEmpty: () => known.size === 0,
    async list(query) {
      const page = await listRecords(store, suppressionCollection, query, {
        pageSize,
        index: 'address',
        cursorIs: 'an address',
        isCursor: (text) => text.includes('@'),
        cursorOf: (record) => record.address_key,
      })
      return { ...page, items: page.items.map(toSuppression) }
    },
    get: async (address) => toSuppression(await read(address)),
    async add(input) {
      const { address: given, reason = 'manual' } = parseInput(suppressionInputSchema, input)
      const result = normalizeAddress(given)
      if ('problem' in result)
        throw validationError([{ field: 'address', message: `${quote(given)} ${result.problem}` }])
      const entry = { address: result.address, reason, created: clock.now() }
      await store.commit([toChange(entry)])
      return entry
    },
    async remove(address) {
      const { id } = await read(address)
      await store.commit([remove(suppressionCollection, id)])
    },
    idle: () => reading,
    async close() {
      stopListening()
      await reading
    },
  }
}

function toChange(entry: Suppression): Change {
  const address_key = addressKey(entry.address)
  return put(suppressionCollection, { ...entry, id: idOf(address_key), address_key })
}

// Of a fixed length, because an address may have 320 characters and any of them.
function idOf(key: string): string {
  return `sup_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
}

function toSuppression({ address, reason, created, email_id }: SuppressionRecord): Complete<Suppression> {
  return { address, reason, created, email_id }
}

/**
 * A hook of the store that adds recipients to the suppression list in the commit of the event that is the reason. New
 * events are found by comparison with the version that the record replaces, which is read only if an email has a bounce
 * or complaint at all.
 *
 * Addresses of the simulator are never added, as with Amazon SES: the next test would see another event.
 */
function suppressing(
  { store, clock, suppress, isSimulator, onError }: SuppressionDeps,
  has: (address: string) => boolean,
): CommitHook {
  /** The reason for which an event adds its recipient; null if it does not. */
  function reasonOf(event: EmailEvent): Suppression['reason'] | null {
    if (event.status === 'complained') return suppress === 'all' ? 'complaint' : null
    return event.status === 'bounced' && event.type === 'Permanent' && hard.has(event.subtype)
      ? 'bounce'
      : null
  }

  /** The entries for events after the first `seen` ones of each recipient. */
  function entriesOf(email: EmailRecord, before: EmailRecord | null): Suppression[] {
    return email.recipients.flatMap(({ recipient, events }, i): Suppression[] => {
      const seen = before?.recipients[i]?.events.length ?? 0
      const [reason] = events.slice(seen).flatMap((event) => reasonOf(event) ?? [])
      if (!reason || isSimulator(recipient) || has(recipient)) return []
      return [{ address: recipient, reason, created: clock.now(), email_id: email.id }]
    })
  }

  return (changes) => {
    if (suppress === 'off') return null
    const emails = changes.flatMap((change) =>
      change.op !== 'remove' && change.collection.name === emailCollection.name
        ? // The name of the collection decides the type of the record, which the port of the store does not express.
          (change.record as EmailRecord)
        : [],
    )
    const suspects = emails.filter((email) => entriesOf(email, null).length > 0)
    if (suspects.length === 0) return null
    let before: readonly (EmailRecord | null)[] | null = null
    return {
      async prepare() {
        try {
          before = await Promise.all(suspects.map(({ id }) => store.get(emailCollection, id)))
        } catch (error) {
          onError(error)
        }
      },
      add() {
        const replaced = before
        return replaced
          ? suspects.flatMap((email, i) => entriesOf(email, replaced[i] ?? null).map(toChange))
          : []
      },
      committed() {},
    }
  }
}

// The others come from the list itself.
const hard: ReadonlySet<string> = new Set(['General', 'NoEmail'])
