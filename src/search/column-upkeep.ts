import { emailCollection } from '../emails/email.ts'
import type { Store } from '../store/store.ts'
import type { TextColumn } from './text-column.ts'

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

/** Takes removed mails out of the column's list of mails that have more text than their row. @returns How many are left. */
export async function forgetRemovedCuts(store: Store, { cut }: Pick<TextColumn, 'cut'>): Promise<number> {
  const listed = [...cut]
  // Unlike records, ids are in memory.
  const query = { where: { any: [] }, also: listed, limit: listed.length }
  const existing = new Set(listed.length > 0 ? await store.ids(emailCollection, query) : [])
  for (const id of listed) if (!existing.has(id)) cut.delete(id)
  return cut.size
}
