import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Page } from '../store/queries.ts'
import type { Store } from '../store/store.ts'
import type { TextColumn } from './text-column.ts'

/** The next mails without a row, in order of arrival. All mail that has no row comes after the last row of a column. */
export function mailsWithoutRow(
  store: Store,
  { cursor }: Pick<TextColumn, 'cursor'>,
  limit: number,
): Promise<Page<EmailRecord>> {
  return store.page(emailCollection, { ...(cursor === '' ? {} : { after: [cursor] }), limit })
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
