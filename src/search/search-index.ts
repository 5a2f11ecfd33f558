import type { Indexer } from './indexer.ts'
import { createHeads, type HeadsDeps } from './heads.ts'
import { type IndexerDeps, startIndexer } from './column-indexer.ts'
import type { MatchingRows } from './matching-rows.ts'
import { StoreIndexer } from './store-indexer.ts'
import { createStoreRows } from './store-rows.ts'
import type { TextColumn } from './text-column.ts'
import { createColumnRows } from './column-rows.ts'

/** The text of mail for searches: the indexer that stores it, and the rows that find mail by it. */
export interface SearchIndex {
  readonly indexer: Indexer
  readonly rows: MatchingRows
  close(): Promise<void>
}

/** The columns of this process; closed with the index. */
export interface Columns {
  text: TextColumn
  /** The column of subjects and addresses. */
  heads: Pick<HeadsDeps, 'open' | 'isKept'>
}

/** @param columns  Used where the store does not keep the texts itself. */
export function openSearchIndex(
  deps: Pick<IndexerDeps, 'store' | 'clock' | 'digests' | 'onLongWork'>,
  columns: Columns | null,
): SearchIndex {
  const { store } = deps
  if (columns) {
    const { text: column } = columns
    const heads = createHeads({ store, ...columns.heads })
    const indexer = startIndexer({ ...deps, column, heads })
    return {
      indexer,
      rows: createColumnRows({ store, column, heads, indexer }),
      async close() {
        const isWhole = await indexer.close()
        await heads.close()
        await column.close(isWhole)
      },
    }
  }
  const { texts } = store
  if (!texts) throw new Error('A store that keeps no texts needs columns for them.')
  const indexer = new StoreIndexer({ ...deps, texts })
  return {
    indexer,
    rows: createStoreRows({ store, texts, indexer }),
    close: async () => void (await indexer.close()),
  }
}
