import type { BulkChanges } from './types.ts'
import { modifyEmail } from '../emails/modify.ts'
import { emailCollection } from '../emails/email.ts'
import { LocalpostError, quote, validationError } from '../core/errors.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import { remove, type Store } from '../store/store.ts'
import { createPacer } from '../core/yield.ts'
import { parseMailQuery } from '../search/query.ts'
import type { Search } from '../search/search.ts'
import { checkChanges, checkIsChange, maxTags } from './tags.ts'

/** Several mails: the matches of a query, those of a list of ids, or all for null. */
export type Selection = string | { ids: readonly string[] } | null

export interface BulkDeps {
  store: Store
  search: Pick<Search, 'matches'>
  now(): number
}

/** Removes what is selected. @returns How many were there. @throws invalid_query. */
export async function removeMatching(deps: BulkDeps, selection: Selection): Promise<number> {
  const ids = await idsOf(deps, selection)
  for (let at = 0; at < ids.length; at += removalSlice) {
    const slice = ids.slice(at, at + removalSlice)
    await deps.store.commit(slice.map((id) => remove(emailCollection, id)))
  }
  return ids.length
}

/** Marks and tags what is selected. @returns How many were there. @throws invalid_query, validation_error. */
export async function changeMatching(
  deps: BulkDeps,
  selection: Selection,
  changes: BulkChanges,
): Promise<number> {
  checkChanges(changes, ['unread', 'tags', 'add_tags', 'remove_tags'])
  const { unread, tags, add_tags = [], remove_tags = [] } = changes
  checkIsChange({ unread, tags, add_tags: changes.add_tags, remove_tags: changes.remove_tags })
  const isGone = new Set(remove_tags)
  let changed = 0
  for (const id of await idsOf(deps, selection)) {
    const email = await modifyEmail(deps.store, id, (stored) => ({
      ...stored,
      unread: unread ?? stored.unread,
      tags: [...new Set([...(tags ?? stored.tags), ...add_tags])]
        .filter((tag) => !isGone.has(tag))
        .slice(0, maxTags),
    }))
    if (email) changed++
  }
  return changed
}

/** Those that are there. Only ids are held: a selection may be all there is. */
async function idsOf({ store, search, now }: BulkDeps, selection: Selection): Promise<string[]> {
  const ids: string[] = []
  if (selection !== null && typeof selection === 'object') {
    assertKnownOptions(selection, ['ids'], 'a selection')
    if (!Array.isArray(selection.ids)) throw noSelection(selection)
    for (const id of new Set(selection.ids)) if (await store.get(emailCollection, id)) ids.push(id)
    return ids
  }
  if (selection !== null && typeof selection !== 'string') throw noSelection(selection)
  const filter = parseMailQuery(selection ?? undefined, now())
  if (selection !== null && filter.isOpen) {
    const message = `The query ${quote(selection)} asks for nothing, so it would take every mail. Ask for all where all are meant.`
    throw new LocalpostError('invalid_query', message)
  }
  const pacer = createPacer()
  for await (const { id } of search.matches(filter, { complete: true })) {
    ids.push(id)
    if (pacer.due()) await pacer.turn()
  }
  return ids
}

// A commit is put in force in one piece: this many hold the event loop for a few milliseconds.
const removalSlice = 500

function noSelection(given: unknown): LocalpostError {
  const message = `must be a query, { ids } or null for all mail, not ${quote(given)}`
  return validationError([{ field: 'selection', message }])
}
