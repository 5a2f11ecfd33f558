import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { collections } from '../../src/instance/collections.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../../src/emails/email.ts'
import type { EmailEvent } from '../../src/emails/types.ts'
import { sentTo, withEvents } from '../../src/emails/events.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'
import { createIds, type Ids } from '../../src/core/ids.ts'
import { insert, type Store } from '../../src/store/store.ts'
import type { WebhookDelivery } from '../../src/webhooks/types.ts'
import type { RunningWebhooks } from '../../src/webhooks/service.ts'
import { createWebhooks, type WebhooksDeps } from '../../src/webhooks/webhooks.ts'
import { openStore } from '../support/adapters.ts'

/** The resource over a store, with functions that cause events. */
export interface Noun {
  webhooks: RunningWebhooks
  store: Store
  ids: Ids
  faults: unknown[]
  warnings: string[]
  /** Stores an email with `sent` for each recipient. */
  email(...recipients: string[]): Promise<string>
  /** Adds events to a recipient of an email, in one commit. */
  happen(id: string, recipient: string, ...events: EmailEvent[]): Promise<void>
  /** The log, read to its end, oldest first. */
  log(): Promise<WebhookDelivery[]>
}

/** Opens the noun over an empty store, or over the given one; the end of the test closes it. */
export async function openNoun(over: Partial<WebhooksDeps> = {}): Promise<Noun> {
  const clock = over.clock ?? systemClock
  const ids = createIds(clock)
  const store = over.store ?? (await openStore(collections))
  const faults: unknown[] = []
  const warnings: string[] = []
  const webhooks = await createWebhooks({
    clock,
    ids,
    pageSize: 50,
    given: [],
    retryDelaysMs: [20, 20],
    problemOf: createOutgoing([]).problemOf,
    onWarning: (message) => warnings.push(message),
    onError: (error) => faults.push(error),
    ...over,
    store,
  })
  webhooks.wake()
  onTestFinished(async () => {
    await webhooks.close()
    if (!over.store) await store.close()
  })
  return {
    webhooks,
    store,
    ids,
    faults,
    warnings,
    async email(...recipients) {
      const id = ids.next('em')
      await store.commit([insert(emailCollection, anEmail(id, recipients, clock.now()))])
      return id
    },
    async happen(id, recipient, ...events) {
      await modifyEmail(store, id, (email) => withEvents(email, new Map([[recipient, events]])))
    },
    async log() {
      const found: WebhookDelivery[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<RunningWebhooks['deliveries']>> = await webhooks.deliveries({
          cursor,
          limit: 500,
        })
        found.push(...page.items)
        cursor = page.cursor
      } while (cursor !== null)
      return found.reverse()
    },
  }
}

/** An email as it is stored at its acceptance. */
export function anEmail(id: string, recipients: string[], created: number): Omit<EmailRecord, 'version'> {
  return {
    id,
    type: 'transactional',
    source: 'api',
    from: 'hi@acme.test',
    to: recipients,
    cc: [],
    bcc: [],
    reply_to: null,
    subject: 'Hello',
    template_id: null,
    domain_id: 'dom_1',
    created,
    envelope: { mail_from: 'hi@acme.test', rcpt_to: recipients },
    recipients: recipients.map((recipient) => sentTo(recipient, created)),
    outbox: null,
    outbox_due: null,
    message: null,
    unread: true,
    tags: [],
    snippet: null,
    attachment_count: null,
  }
}

/** A delivery, with made-up measurements. */
export function delivered(timestamp: number): EmailEvent {
  return {
    status: 'delivered',
    timestamp,
    processing_time_millis: 3,
    reporting_mta: 'localhost',
    smtp_response: '250 OK',
  }
}
