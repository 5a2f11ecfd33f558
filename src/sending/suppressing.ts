import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { pagesOf } from '../store/repository.ts'
import {
  put,
  type Change,
  type Collection,
  type CommitHook,
  type Store,
  type StoreChange,
  type StoredRecord,
} from '../store/store.ts'
import type { Suppression } from './types.ts'

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

/** The id of the entry of an address. Of a fixed length, because an address may have 320 characters and any of them. */
export function suppressionId(address: string): string {
  return `sup_${createHash('sha256').update(addressKey(address)).digest('hex').slice(0, 32)}`
}

/** The change that adds an entry, or replaces that of its address. */
export function toChange(entry: Suppression): Change {
  const { address } = entry
  const record = { ...entry, id: suppressionId(address), address_key: addressKey(address) }
  return put(suppressionCollection, record)
}

/**
 * The ids of the suppression list in memory, because each recipient is looked up. They follow the changes of the store, also of
 * other instances: each one at once. Where the store does not say what changed, all are read again, one reading after the other,
 * and what changes during a reading is applied to its result too.
 */
export class KnownSuppressions {
  readonly #store: Store
  readonly #onError: (error: unknown) => void
  readonly #stopListening: () => void
  #ids = new Set<string>()
  /** The last reading; those before it have ended when it begins. */
  #reading: Promise<void>
  /** What changed since the current reading began: ids, and whether their entries are there. Null while nothing is read. */
  #changed: Map<string, boolean> | null = null

  private constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
    // Before the first reading begins, so that nothing is missed between the two.
    this.#stopListening = store.changes((change) => this.#follow(change), { of: suppressionCollection })
    this.#reading = this.#readAll()
  }

  /** @param onError  Called with errors of later readings. @throws the errors of the store, if it cannot be read. */
  static async open(store: Store, onError: (error: unknown) => void): Promise<KnownSuppressions> {
    const known = new KnownSuppressions(store, onError)
    await known.#reading
    return known
  }

  /** Whether an address gets no mail. */
  readonly has = (address: string): boolean => this.#ids.size > 0 && this.#ids.has(suppressionId(address))

  readonly isEmpty = (): boolean => this.#ids.size === 0

  /** Resolves when nothing is read. */
  readonly idle = (): Promise<void> => this.#reading

  async close(): Promise<void> {
    this.#stopListening()
    await this.#reading
  }

  #follow(change: StoreChange): void {
    if (change.op !== 'gap' && change.op !== 'bulk') return this.#note(change.id, change.op !== 'remove')
    this.#reading = this.#reading
      .then(() => this.#readAll())
      .catch((error: unknown) => {
        if (!isErrorOf(error, 'closed')) this.#onError(error)
      })
  }

  async #readAll(): Promise<void> {
    const changed = (this.#changed = new Map<string, boolean>())
    const found = new Set<string>()
    for await (const records of pagesOf(this.#store, suppressionCollection, { limit: 500 }))
      for (const { id } of records) found.add(id)
    this.#ids = found
    this.#changed = null
    for (const [id, isThere] of changed) this.#note(id, isThere)
  }

  #note(id: string, isThere: boolean): void {
    this.#changed?.set(id, isThere)
    if (isThere) this.#ids.add(id)
    else this.#ids.delete(id)
  }
}

/** Which events add their recipient to the suppression list: none, permanent bounces, or also complaints. */
export type SuppressPolicy = 'off' | 'bounces' | 'all'

/** What {@link suppressing} needs. */
export interface SuppressingDeps {
  store: Store
  clock: Clock
  /** Which events of emails add their recipient. */
  suppress: SuppressPolicy
  /** Whether an address belongs to the simulator: no event adds it. */
  isSimulator(address: string): boolean
  /** Called with errors; what happened is stored without an entry then. */
  onError(error: unknown): void
}

/**
 * A hook of the store that adds recipients to the suppression list in the commit of the event that is the reason. New
 * events are found by comparison with the version that the record replaces, which is read only if an email has a bounce
 * or complaint at all.
 *
 * Addresses of the simulator are never added, as with Amazon SES: the next test would see another event.
 *
 * @param has  Whether an address is on the list already.
 */
export function suppressing(
  { store, clock, suppress, isSimulator, onError }: SuppressingDeps,
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
