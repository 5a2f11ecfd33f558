import { join } from 'node:path'
import type { Config } from '../options/options.ts'
import { openTextColumn, type TextColumn } from '../search/text-column.ts'
import { openLogStore, openMemoryStore } from '../store/open.ts'
import type { RestorableStore } from '../store/restore.ts'
import type { Store } from '../store/store.ts'
import { collections } from './collections.ts'

/** Opens the store of the data folder, or one in memory, which can also take and restore snapshots. */
export async function openStore(
  config: Config,
): Promise<{ opened: Store; restorable: RestorableStore | null }> {
  const { dir, clock, durability, onNotice } = config
  const { pendingBytes, smtpBytes: heldBytes } = config.limits
  if (dir === null) {
    const restorable = await openMemoryStore({ collections, pendingBytes })
    return { opened: restorable, restorable }
  }
  const opened = await openLogStore({
    dir,
    collections,
    clock,
    durability,
    pendingBytes,
    heldBytes,
    onNotice: (message) => onNotice({ level: 'warning', message }),
  })
  return { opened, restorable: null }
}

/** Opens a column of the search index: in the data folder, or in memory. */
export function openColumn(
  { dir, onNotice }: Config,
  fileName: 'mail-text.2' | 'mail-heads.3',
): Promise<TextColumn> {
  return openTextColumn(dir && join(dir, 'derived'), {
    fileName,
    onNotice: (message) => onNotice({ level: 'warning', message }),
  })
}
