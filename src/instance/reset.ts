import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { type Collection, type Store, type StoredRecord, remove } from '../store/store.ts'
import type { AccountMemory } from './account-memory.ts'
import { scopeCollections } from './collections.ts'

/**
 * Empties an account and its memory. Its rules are again those of the options.
 *
 * @param keep  What is left as it is: of the records as for {@link emptyStore}; also the rules and the SMTP transcripts
 *   of emails.
 * @throws As {@link emptyStore}.
 */
export async function resetAccount(
  { store, rules, faults, transcripts, log, smtpSessions }: AccountMemory & { store: Store },
  keep: readonly ResetScope[],
): Promise<void> {
  await emptyStore(store, keep)
  if (!keep.includes('rules')) await rules.reset()
  await faults.clear()
  if (!keep.includes('emails')) await transcripts.clear()
  await log.clear()
  await smtpSessions.clear()
}

/**
 * Removes the records of an account. Keys, secrets, sign-ins to the page and other accounts stay.
 *
 * @param keep  What stays too.
 * @throws invalid_option for an unknown name; over HTTP the body was checked before.
 */
export async function emptyStore(store: Store, keep: readonly ResetScope[]): Promise<void> {
  const known = Object.keys(scopeCollections)
  if (!Array.isArray(keep)) {
    const message = `Option "keep" is ${quote(keep)}; it takes an array of ${known.join(', ')}.`
    throw invalidOption(message)
  }
  for (const name of keep) {
    if (Object.hasOwn(scopeCollections, name)) continue
    const near = suggest(String(name), known)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${known.join(', ')}.`
    throw invalidOption(`Option "keep" has ${quote(name)}. ${hint}`)
  }
  for (const [name, emptied] of Object.entries(scopeCollections)) {
    if (keep.some((kept) => kept === name)) continue
    for (const collection of emptied) await emptyCollection(store, collection)
  }
}

async function emptyCollection(store: Store, collection: Collection<StoredRecord>): Promise<void> {
  if (collection.large) {
    await store.bulk(collection, await store.ids(collection, { direction: 'desc' }), 'remove')
    return
  }
  for (;;) {
    const { records, more } = await store.page(collection, { limit: removalSlice })
    if (records.length > 0) await store.commit(records.map(({ id }) => remove(collection, id)))
    if (!more) return
  }
}

// A commit is applied without a pause: this many changes block the event loop for a few milliseconds.
const removalSlice = 500
