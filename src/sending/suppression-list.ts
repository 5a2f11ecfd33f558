import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import { pagesOf } from '../store/repository.ts'
import type { CommitHook, Store } from '../store/store.ts'
import { suppressionCollection, suppressionId, toChange } from './suppression.ts'
import type { Suppression } from './types.ts'

/** Which events add their recipient to the suppression list: none, permanent bounces, or also complaints. */
export type SuppressPolicy = 'off' | 'bounces' | 'all'

/** What {@link openSuppressionList} needs. */
export interface SuppressionListDeps {
  store: Store
  clock: Clock
  /** Which events of emails add their recipient. */
  suppress: SuppressPolicy
  /** Whether an address belongs to the simulator: no event adds it. */
  isSimulator(address: string): boolean
  /** Called when a later reading fails, which is tried again, and when an event is stored without its entry. */
  onError(error: unknown): void
}

/** The suppression list of an account in memory. */
export interface SuppressionList {
  /** Whether an address gets no mail, as far as this instance knows. */
  has(address: string): boolean
  /** Whether every address gets mail. */
  isEmpty(): boolean
  /** Resolves when nothing is read. */
  idle(): Promise<void>
  close(): Promise<void>
}

/**
 * Reads the list, and begins to add to it by the policy. The ids are in memory, because each recipient is looked up. They
 * follow the changes of the store, also of other instances: each one at once. Where the store does not say what changed, all
 * are read again, one reading after the other, and what changes during a reading is applied to its result too. If a reading
 * fails, it is tried again later.
 *
 * @throws the errors of the store, if it cannot be read.
 */
export async function openSuppressionList(deps: SuppressionListDeps): Promise<SuppressionList> {
  const { store, clock, onError } = deps
  let ids = new Set<string>()
  /** What changed since the current reading began: ids, and whether their entries are there. Null while nothing is read. */
  let changed: Map<string, boolean> | null = null
  let cancelRetry = (): void => {}
  let isClosed = false

  function note(id: string, isThere: boolean): void {
    changed?.set(id, isThere)
    if (isThere) ids.add(id)
    else ids.delete(id)
  }

  async function readAll(): Promise<void> {
    cancelRetry()
    const duringReading = (changed = new Map<string, boolean>())
    const found = new Set<string>()
    try {
      for await (const records of pagesOf(store, suppressionCollection, { limit: 500 }))
        for (const { id } of records) found.add(id)
      ids = found
    } finally {
      changed = null
    }
    for (const [id, isThere] of duringReading) note(id, isThere)
  }

  function readAgain(): void {
    reading = reading.then(readAll).catch((error: unknown) => {
      if (isClosed || isErrorOf(error, 'closed')) return
      onError(error)
      cancelRetry = clock.after(retryMs, readAgain)
    })
  }

  /** The last reading; those before it have ended when it begins. */
  let reading = Promise.resolve()
  // Before the first reading begins, so that nothing is missed between the two.
  const stopListening = store.changes(
    (change) => {
      if (change.op === 'gap' || change.op === 'bulk') readAgain()
      else note(change.id, change.op !== 'remove')
    },
    { of: suppressionCollection },
  )
  function stop(): void {
    isClosed = true
    stopListening()
    cancelRetry()
  }

  reading = readAll()
  await reading.catch((error: unknown) => {
    stop()
    throw error
  })
  const has = (address: string): boolean => ids.size > 0 && ids.has(suppressionId(address))
  store.beforeCommit(addingRecipients(deps, has))
  return {
    has,
    isEmpty: () => ids.size === 0,
    idle: () => reading,
    async close() {
      stop()
      await reading
    },
  }
}

const retryMs = 10 * 1000

/**
 * A hook of the store that adds recipients to the suppression list in the commit of the event that is the reason. New
 * events are found by comparison with the version that the record replaces, which is read only if an email has a bounce
 * or complaint at all.
 *
 * Addresses of the simulator are never added, as with Amazon SES: the next test would see another event.
 *
 * @param has  Whether an address is on the list already.
 */
function addingRecipients(
  { store, clock, suppress, isSimulator, onError }: SuppressionListDeps,
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

// The other subtypes say that the address was on a suppression list already.
const hard: ReadonlySet<string> = new Set(['General', 'NoEmail'])
