import { emailCollection } from '../emails/email.ts'
import { LocalpostError, validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { FlagChange, Store } from '../store/store.ts'
import { notAmong, parseMailQuery } from '../search/query.ts'
import type { Search } from '../search/search.ts'
import { createTagLimit, editOf, type Edit, type TagLimit } from './bulk-edit.ts'
import type { BulkRuns } from './bulk-runs.ts'
import { checkChanges, checkIsChange } from './check-changes.ts'
import type { BulkChanges } from './types.ts'

/** Several mails: the matches of a query, those of a list of ids, or all for null. */
export type Selection = string | { ids: readonly string[] } | null

/** How a change of many mails runs. */
export interface BulkOptions {
  /** Stops the change: mails that are not changed yet stay as they are. */
  signal?: AbortSignal
  /** Called after each step with the number of mails that are done, and the number of all selected mails. */
  onProgress?(done: number, total: number): void
}

/** Changes many mails in small steps, so that other work runs between them. */
export interface Bulk {
  /** Removes what is selected. @throws invalid_query, service_unavailable. */
  remove(selection: Selection, options?: BulkOptions): Promise<BulkOutcome>
  /**
   * Marks and tags what is selected. If one of the mails would have too many tags, none is changed.
   *
   * @throws invalid_query, validation_error, service_unavailable.
   */
  change(selection: Selection, changes: BulkChanges, options?: BulkOptions): Promise<BulkOutcome>
}

/** The outcome of a change of many mails. */
export interface BulkOutcome {
  /** How many mails were removed; for a change, how many have the requested state now, whether or not that was a change. */
  count: number
  /** Whether it was cancelled before all selected mails were done. */
  isCancelled: boolean
}

export interface BulkDeps {
  store: Store
  search: Pick<Search, 'ids'>
  runs: BulkRuns
  now(): number
  /** The mails that lists do not have; a selection of all mail does not have them either. */
  hidden(): ReadonlySet<string>
}

export function createBulk({ store, search, runs, now, hidden }: BulkDeps): Bulk {
  /** The ids of the selected mails that exist. Only ids, because a selection may be the whole inbox. */
  async function idsOf(selection: Selection): Promise<readonly string[]> {
    if (selection === null) {
      const left = hidden()
      const where = left.size > 0 ? { where: notAmong(left) } : {}
      return store.ids(emailCollection, { direction: 'desc', ...where })
    }
    if (typeof selection === 'string') {
      const filter = parseMailQuery(selection, now())
      if (!filter.isOpen) return search.ids(filter, { complete: true })
      const message = `The query ${quote(selection)} has no condition, so it would select every mail. To select all mail, pass null (over HTTP ?all=true).`
      throw new LocalpostError('invalid_query', message)
    }
    if (typeof selection !== 'object') throw noSelection(selection)
    assertKnownOptions(selection, ['ids'], 'a selection')
    if (!Array.isArray(selection.ids)) throw noSelection(selection)
    const ids = [...new Set(selection.ids)]
    const found = new Set<string>()
    for (let at = 0; at < ids.length; at += askedAtOnce) {
      const also = ids.slice(at, at + askedAtOnce)
      // No condition holds, so only the ids of `also` are found.
      for (const id of await store.ids(emailCollection, { where: { any: [] }, also })) found.add(id)
    }
    return ids.filter((id) => found.has(id))
  }

  async function run(
    selection: Selection,
    change: Edit | FlagChange | 'remove',
    options: BulkOptions = {},
    limit?: TagLimit,
  ): Promise<BulkOutcome> {
    assertKnownOptions(options, ['signal', 'onProgress'], 'a change of many mails')
    return runs.run(
      change === 'remove' ? 'delete' : 'update',
      options,
      async ({ signal, begin, progress }) => {
        const ids = await idsOf(selection)
        begin(ids.length)
        // A change that would exceed the limit somewhere is refused before it begins.
        if (limit) {
          await store.bulk(emailCollection, ids, limit.check, { signal })
          limit.assertNone(ids.length, 'None of them was changed.')
        }
        let done = 0
        const changed = await store.bulk(emailCollection, ids, change, {
          signal,
          onProgress(count) {
            done = count
            progress(count)
          },
        })
        limit?.assertNone(ids.length, 'The others were changed: these got more tags meanwhile.')
        return { count: change === 'remove' ? changed : done, isCancelled: done < ids.length }
      },
    )
  }

  return {
    remove: async (selection, options) => run(selection, 'remove', options),
    async change(selection, changes, options) {
      checkChanges(changes, ['unread', 'tags', 'add_tags', 'remove_tags'])
      const { unread, tags, add_tags, remove_tags } = changes
      checkIsChange({ unread, tags, add_tags, remove_tags })
      if (unread !== undefined && !tags && !add_tags && !remove_tags)
        return run(selection, { flag: 'unread', is: unread }, options)
      const edit = editOf(changes)
      if (!add_tags?.length) return run(selection, edit, options)
      const limit = createTagLimit(edit)
      return run(selection, limit.edit, options, limit)
    },
  }
}

function noSelection(given: unknown): LocalpostError {
  const message = `must be a query, { ids } or null for all mail, not ${quote(given)}`
  return validationError([{ field: 'selection', message }])
}

/** How many ids a database is asked for with one statement. */
const askedAtOnce = 500
