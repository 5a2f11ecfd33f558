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
import { bulkChangeCollection } from '../inbox/bulk-board.ts'
import { tagColorCollection } from '../inbox/tags.ts'
import { scheduledCollection } from '../sending/scheduled.ts'
import { suppressionCollection } from '../sending/suppression.ts'
import { apiKeyCollection } from '../keys/key.ts'
import type { Collection, StoredRecord } from '../store/store.ts'
import { configurationSetCollection } from '../providers/ses/configuration-sets.ts'
import { windowCollection } from '../faults/shared-windows.ts'
import { transcriptCollection } from '../capture/transcripts.ts'
import { smtpSessionCollection } from '../capture/sessions-in-store.ts'
import { requestCollection } from '../server/request-log.ts'
import { templateCollection } from '../templates/template.ts'
import { templateVersionCollection } from '../templates/versions.ts'
import { trackingSecretCollection } from '../tracking/secret.ts'
import { sessionCollection } from '../users/user.ts'
import { webhookCollection, webhookDeliveryCollection } from '../webhooks/webhook.ts'

/** What each scope of a reset empties, in this order. A snapshot contains all of these, and no other collection. */
export const scopeCollections: Readonly<Record<ResetScope, readonly Collection<StoredRecord>[]>> = {
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

/** Collections of every store; a folder has only these. */
export const collections: readonly Collection<StoredRecord>[] = [
  ...Object.values(scopeCollections).flat(),
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
