import type { Clock } from '../core/clock.ts'
import { changeRecord } from '../store/repository.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import { accountCollection, noAccount, type AccountRecord } from './account.ts'

/** The records of all accounts but `default`, in memory as they are stored. */
export interface AccountDirectory {
  /** The number of accounts, including those that are being created. */
  readonly size: number
  all(): AccountRecord[]
  /** The stored record, even if the account is disabled, expired or being removed. */
  record(id: string): AccountRecord | undefined
  /** Whether an account has this name, or is being created with it. */
  isName(name: string): boolean
  /** Reserves a name for an account that is being created, so that two concurrent calls cannot both use it. */
  reserve(name: string, id: string): void
  /** Stores the record in memory, and reserves its name. */
  keep(record: AccountRecord): void
  /** Drops the record and its name, or a reserved name only. A name that another account has by now stays. */
  forget(id: string, name: string): void
  /** The record of a name, even if the account is disabled. @throws not_found, also for an expired or removed account. */
  named(name: string): AccountRecord
  /** The account of a name that can be used; null if there is none. */
  find(name: string): AccountRecord | null
  /** The account of an id that can be used; null if there is none. */
  byId(id: string): AccountRecord | null
  isExpired(record: AccountRecord): boolean
  /** Changes the stored record. @throws not_found. */
  change(id: string, next: (record: AccountRecord) => AccountRecord): Promise<AccountRecord>
}

/**
 * Reads the records.
 *
 * @param deps.onStored  Called after a record was read from the store into memory: at the start for each record, later
 *   for the changes of other instances. `before` is the record that was in memory, or null.
 * @param deps.onGone  Called with the record of an account that another instance has removed.
 */
export async function openAccountDirectory({
  store,
  clock,
  following,
  onStored,
  onGone,
}: {
  store: Store
  clock: Pick<Clock, 'now'>
  following: Following
  onStored(record: AccountRecord, before: AccountRecord | null): void | Promise<void>
  onGone(record: AccountRecord): void
}): Promise<AccountDirectory> {
  const known = new Map<string, AccountRecord>()
  /** The name of each known account, and those that are reserved: of an account that is not known yet. */
  const idByName = new Map<string, string>()
  await following.open(store, accountCollection, {
    ids: () => known.keys(),
    async put(record) {
      const before = known.get(record.id) ?? null
      // A read may have begun before a change of this instance.
      if (before && before.version >= record.version) return
      keep(record)
      await onStored(record, before)
    },
    remove(id) {
      const before = known.get(id)
      if (!before) return
      forget(id, before.name)
      onGone(before)
    },
  })

  function keep(record: AccountRecord): void {
    known.set(record.id, record)
    idByName.set(record.name, record.id)
  }

  function forget(id: string, name: string): void {
    if (idByName.get(name) === id) idByName.delete(name)
    known.delete(id)
  }

  const isExpired = ({ expires }: AccountRecord): boolean => expires !== null && expires <= clock.now()
  const ofName = (name: string): AccountRecord | undefined => known.get(idByName.get(name) ?? '')

  function usable(record: AccountRecord | undefined): AccountRecord | null {
    if (!record || record.is_disabled || record.is_removed || isExpired(record)) return null
    return record
  }

  return {
    get size() {
      return idByName.size
    },
    all: () => [...known.values()],
    record: (id) => known.get(id),
    isName: (name) => idByName.has(name),
    reserve: (name, id) => void idByName.set(name, id),
    keep,
    forget,
    named(name) {
      const record = ofName(name)
      if (!record || record.is_removed || isExpired(record)) throw noAccount(name)
      return record
    },
    find: (name) => usable(ofName(name)),
    byId: (id) => usable(known.get(id)),
    isExpired,
    async change(id, next) {
      const record = await changeRecord(store, accountCollection, id, 'account', next)
      // Its removal may have ended meanwhile.
      if (known.has(id)) keep(record)
      return record
    },
  }
}
