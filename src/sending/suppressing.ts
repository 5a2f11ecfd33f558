import type { Clock } from '../core/clock.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import type { CommitHook, Store } from '../store/store.ts'
import { toChange } from './suppression.ts'
import type { Suppression } from './types.ts'

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

// The other subtypes say that the address was on a suppression list already.
const hard: ReadonlySet<string> = new Set(['General', 'NoEmail'])
