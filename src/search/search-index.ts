import type { Store } from '../store/store.ts'
import type { Texts } from '../store/texts.ts'
import { createHeads, type HeadsDeps } from './heads.ts'
import { type Indexer, type IndexerDeps, startIndexer } from './indexer.ts'
import { createColumnRows, type MatchingRows } from './matching-rows.ts'
import { startStoreIndexer } from './store-indexer.ts'
import { createStoreRows } from './store-rows.ts'
import type { TextColumn } from './text-column.ts'

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
  deps: Pick<IndexerDeps, 'clock' | 'digests' | 'onLongWork'> & { store: Store },
  columns: Columns | null,
): SearchIndex {
  if (columns) return openColumnIndex(deps, columns)
  const { texts } = deps.store
  if (!texts) throw new Error('A store that keeps no texts needs columns for them.')
  return openStoreIndex({ ...deps, texts })
}

type Deps = Parameters<typeof openSearchIndex>[0]

function openColumnIndex(deps: Deps, columns: Columns): SearchIndex {
  const { store } = deps
  const { text: column, heads: given } = columns
  const heads = createHeads({ store, open: given.open, isKept: given.isKept })
  const indexer = startIndexer({ ...deps, column, heads })
  return {
    indexer,
    rows: createColumnRows({ store, column, heads }),
    async close() {
      const isWhole = await indexer.close()
      await heads.close()
      await column.close(isWhole)
    },
  }
}

function openStoreIndex(deps: Deps & { texts: Texts }): SearchIndex {
  const indexer = startStoreIndexer(deps)
  return {
    indexer,
    rows: createStoreRows({ ...deps, indexer }),
    async close() {
      await indexer.close()
    },
  }
}
