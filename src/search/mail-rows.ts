import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Page } from '../store/queries.ts'
import type { Store, StoreChange } from '../store/store.ts'
import type { TextColumn } from './text-column.ts'

/** The next mails without a row, in order of arrival. All mail that has no row comes after the last row of a column. */
export function mailsWithoutRow(
  store: Store,
  { cursor }: Pick<TextColumn, 'cursor'>,
  limit: number,
): Promise<Page<EmailRecord>> {
  return store.page(emailCollection, { ...(cursor === '' ? {} : { after: [cursor] }), limit })
}

/** The emails of these ids that exist, in the order of the ids. */
export async function mailsOf(store: Store, ids: readonly string[]): Promise<EmailRecord[]> {
  const { records } = await store.page(emailCollection, {
    where: { any: [] },
    also: ids,
    limit: ids.length,
  })
  return records
}

/** The mails read ahead that are still the next ones after a change of emails. */
export function stillNext(ahead: EmailRecord[], change: StoreChange): EmailRecord[] {
  if (change.op === 'gap') return []
  if (change.op === 'bulk') return change.removed > 0 ? [] : ahead
  if (change.op === 'remove') return ahead.filter(({ id }) => id !== change.id)
  // A restored mail may belong between them.
  return change.op === 'insert' && change.id < (ahead.at(-1)?.id ?? '') ? [] : ahead
}

/** Some of the mails at a time, limited by the bytes of their messages. */
export function* groupsOf(emails: readonly EmailRecord[]): Generator<EmailRecord[]> {
  let group: EmailRecord[] = []
  let bytes = 0
  for (const email of emails) {
    const size = email.message?.size_bytes ?? 0
    if (group.length === mostTogether || (group.length > 0 && bytes + size > mostBytes)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(email)
    bytes += size
  }
  if (group.length > 0) yield group
}

/** Frees the space of the oldest rows, once enough of their mails are removed. */
export async function dropRemoved(
  store: Store,
  column: Pick<TextColumn, 'cursor' | 'dropBefore'>,
): Promise<void> {
  const [oldest] = await store.ids(emailCollection, { limit: 1 })
  await column.dropBefore(oldest ?? column.cursor)
}

/** Whether most rows belong to removed mails: they cost space and time, and rebuilding the few others is cheap. */
export async function isMostlyWaste(store: Store, { rows }: Pick<TextColumn, 'rows'>): Promise<boolean> {
  if (rows === 0) return false
  const live = await store.count(emailCollection)
  return live === 0 || rows > maxWasteFactor * live + fewRows
}

const maxWasteFactor = 5
const fewRows = 2000
/** How many mails are read and stored together, and the limit of the bytes of their messages. */
const mostTogether = 64
const mostBytes = 1024 * 1024
