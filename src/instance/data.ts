import type { Config } from '../options/options.ts'
import type { Columns } from '../search/search-index.ts'
import type { DerivedFile } from '../search/text-blocks.ts'
import { openTextColumn, type TextColumn } from '../search/text-column.ts'
import { openLogStore } from '../store/disk/open.ts'
import { openMemoryStore } from '../store/memory/open.ts'
import type { RestorableStore } from '../store/restore.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import { allCollections, collections } from './collections.ts'
import { forgetPageUrl, withPageUrl } from './page-url.ts'

/** Opens the store of the data folder or the database, or one in memory, which can also take and restore snapshots. */
export async function openStore(
  config: Config,
): Promise<{ opened: PartitionedStore; restorable: RestorableStore | null }> {
  const { dir, store: url, clock, durability } = config
  const { pendingBytes, smtpBytes: heldBytes } = config.limits
  const onNotice = (message: string): void => config.onNotice({ level: 'warning', message })
  if (url !== null) {
    const { openPostgresStore } = await import('../store/postgres/open.ts')
    const options = { url, collections: allCollections, pendingBytes, heldBytes, onNotice }
    return { opened: await openPostgresStore(options), restorable: null }
  }
  if (dir === null) {
    const restorable = await openMemoryStore({ collections, pendingBytes })
    return { opened: restorable, restorable }
  }
  const options = { dir, collections, clock, durability, pendingBytes, heldBytes, onNotice }
  const opened = await openLogStore(options).catch(async (error: unknown) => {
    throw await withPageUrl(error, dir)
  })
  await forgetPageUrl(dir)
  return { opened, restorable: null }
}

/** Opens the columns of the search index: in a folder, or in memory. The column of subjects is opened on first use. */
export async function openColumns(config: Config, folder: string | null): Promise<Columns> {
  const open = (fileName: DerivedFile, isFiltered: boolean): Promise<TextColumn> =>
    openTextColumn(folder, {
      fileName,
      isFiltered,
      onNotice: (message) => config.onNotice({ level: 'warning', message }),
    })
  return {
    // The number is the version of the format: a column of another version is built again.
    text: await open('mail-text.5', true),
    heads: { open: () => open('mail-heads.6', false), isKept: folder !== null },
  }
}
