import type { Search } from '../../src/search/search.ts'
import { noFields } from '../inbox/_email.ts'
import { createColumnRows, type ColumnRowsDeps } from '../../src/search/column-rows.ts'
import { createSearch, type SearchDeps } from '../../src/search/mail-search.ts'

/** A search over a text column. */
export function columnSearch(
  deps: ColumnRowsDeps & Pick<SearchDeps, 'digests' | 'indexer'> & { pageSize?: number },
): Search {
  return createSearch({ pageSize: 50, ...deps, rows: createColumnRows(deps), fieldsOf: noFields })
}
