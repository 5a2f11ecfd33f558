import { accountCollection } from '../accounts/account.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import { audienceCollection, contactCollection } from '../audiences/audience.ts'
import { broadcastCollection } from '../broadcasts/broadcast.ts'
import { rulesCollection } from '../rules/rule.ts'
import { attemptCollection } from '../rules/attempts.ts'
import { faultsCollection } from '../faults/shared-faults.ts'
import { dkimKeyCollection } from '../domains/dkim-keys.ts'
import { domainCollection } from '../domains/domain.ts'
import { emailCollection } from '../emails/email.ts'
import { idempotencyCollection } from '../sending/idempotency.ts'
import { invalidOption } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { suggest } from '../core/suggest.ts'
import type { Ids } from '../core/ids.ts'
import { bulkChangeCollection } from '../inbox/bulk-board.ts'
import { tagColorCollection } from '../inbox/tags.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import { suppressionCollection } from '../sending/suppression.ts'
import { apiKeyCollection } from '../keys/key.ts'
import { type Collection, type Store, type StoredRecord, remove } from '../store/store.ts'
import { configurationSetCollection } from '../providers/ses/configuration-sets.ts'
import { windowCollection } from '../faults/shared-windows.ts'
import { transcriptCollection } from '../capture/transcripts.ts'
import { smtpSessionCollection } from '../capture/shared-session-log.ts'
import { requestCollection } from '../server/request-log.ts'
import { templateCollection } from '../templates/template.ts'
import { templateVersionCollection } from '../templates/versions.ts'
import { trackingSecretCollection } from '../tracking/secret.ts'
import { sessionCollection } from '../users/user.ts'
import { webhookCollection, webhookDeliveryCollection } from '../webhooks/webhook.ts'

/** What each scope of a reset empties, in this order. */
const scopes: Readonly<Record<ResetScope, readonly Collection<StoredRecord>[]>> = {
  emails: [
    // First: what falls due meanwhile becomes an email.
    scheduledCollection,
    emailCollection,
    suppressionCollection,
    broadcastCollection,
    idempotencyCollection,
    tagColorCollection,
  ],
  domains: [domainCollection],
  audiences: [contactCollection, audienceCollection],
  templates: [templateCollection, templateVersionCollection],
  rules: [rulesCollection],
  webhooks: [webhookCollection, webhookDeliveryCollection, configurationSetCollection],
}

/** What a folder holds. */
export const collections: readonly Collection<StoredRecord>[] = [
  ...Object.values(scopes).flat(),
  dkimKeyCollection,
  apiKeyCollection,
  accountCollection,
  trackingSecretCollection,
  sessionCollection,
]

/** Collections of state that instances share only through the store, not in memory. */
const sharedCollections: readonly Collection<StoredRecord>[] = [
  faultsCollection,
  attemptCollection,
  requestCollection,
  smtpSessionCollection,
  windowCollection,
  transcriptCollection,
  bulkChangeCollection,
]

/** What a database holds, which several instances may share. */
export const allCollections: readonly Collection<StoredRecord>[] = [...collections, ...sharedCollections]

/**
 * Empties everything but the keys, and what `keep` names.
 *
 * @throws invalid_option for an unknown name; over HTTP the body was checked before.
 */
export async function emptyStore(store: Store, keep: readonly ResetScope[]): Promise<void> {
  const known = Object.keys(scopes)
  if (!Array.isArray(keep)) {
    const message = `Option "keep" is ${quote(keep)}; it takes an array of ${known.join(', ')}.`
    throw invalidOption(message)
  }
  for (const name of keep) {
    if (Object.hasOwn(scopes, name)) continue
    const near = suggest(String(name), known)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${known.join(', ')}.`
    throw invalidOption(`Option "keep" has ${quote(name)}. ${hint}`)
  }
  for (const [name, emptied] of Object.entries(scopes)) {
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

/** Makes every new id greater than all that are stored. */
export async function raiseIds(store: Store, ids: Ids): Promise<void> {
  for (const collection of collections) {
    const { records } = await store.page(collection, { direction: 'desc', limit: 1 })
    for (const { id } of records) ids.raiseTo(id)
  }
}

/** Makes every new id greater than the known ids of other instances, whose clocks may differ. */
export function followIds(store: Store, ids: Ids): void {
  store.changes((change) => {
    if (change.op === 'insert') ids.raiseTo(change.id)
  })
}
