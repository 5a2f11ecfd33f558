import { nextTurn } from '../core/machine.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { EmailType } from '../emails/types.ts'
import type { Store } from '../store/store.ts'

/**
 * Whether an email is due later than the longest delay explains: the clock was ahead when the time was stored, and was
 * set back since.
 */
export function waitsTooLong(email: EmailRecord, now: number, retryDelaysMs: readonly number[]): boolean {
  const { due = now, attempts = 0 } = email.outbox ?? {}
  const longest = attempts === 0 ? 0 : (retryDelaysMs[attempts - 1] ?? 0)
  return due - now > longest + toleranceMs
}

/** Makes emails due now that would wait too long. Examines every email that is due later. */
export async function bringForward(
  store: Store,
  type: EmailType,
  now: number,
  retryDelaysMs: readonly number[],
): Promise<void> {
  for (let after: [string, number, string] | [string, number] | null = [type, now]; after !== null;) {
    const { records, more }: { records: EmailRecord[]; more: boolean } = await store.page(emailCollection, {
      index: 'outbox',
      prefix: [type],
      after,
      limit: pageSize,
    })
    const last = records.at(-1)
    for (const { id } of records.filter((email) => waitsTooLong(email, now, retryDelaysMs)))
      await modifyEmail(store, id, (stored) =>
        stored.outbox && waitsTooLong(stored, now, retryDelaysMs)
          ? { ...stored, outbox: { ...stored.outbox, due: now }, outbox_due: now }
          : null,
      )
    after = more && last?.outbox_due != null ? [type, last.outbox_due, last.id] : null
    await nextTurn()
  }
}

/** The clock of a machine is often corrected by less than this. */
const toleranceMs = 1000
const pageSize = 100
