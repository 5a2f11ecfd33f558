import { computed, onScopeDispose, type ComputedRef } from 'vue'
import type { MailSummary } from '../../../src/inbox/types.ts'
import type { SmtpSessionSummary } from '../../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../../src/server/types.ts'
import type { Webhook, WebhookDelivery } from '../../../src/webhooks/types.ts'
import { useInstance } from '../../composables/instance.ts'
import { inBursts } from '../shared/in-bursts.ts'
import type { Paged } from '../shared/paged.ts'
import { useServerList } from '../shared/server-list.ts'
import type { KnownWebhooks } from '../webhooks/receiver.ts'
import { deliveryRow, requestRow, sessionRow, type TrafficKind, type TrafficRow } from './traffic.ts'

/** What the timeline is made of, loaded and kept up to date. */
export interface TrafficLists {
  requests: Paged<LoggedRequest>
  sessions: Paged<SmtpSessionSummary>
  deliveries: Paged<WebhookDelivery>
  /** The mails whose subjects and outcomes are shown: those of about the same time. */
  mails: Paged<MailSummary>
  /** The last sessions that failed: after many good ones they are on no page of `sessions` that is loaded. */
  failed: Paged<SmtpSessionSummary>
  webhooks: Paged<Webhook>
  /** Null until the webhooks are loaded. */
  webhooksById: ComputedRef<KnownWebhooks>
  /** The lists of the timeline, with their entries as its rows. */
  timelines: ComputedRef<Timeline[]>
  /** Loads all of them from the start. */
  load(): void
}

/** A list of the timeline, with its entries as rows. */
export interface Timeline {
  kind: TrafficKind
  list: Paged<unknown>
  rows: TrafficRow[]
}

export function useTrafficLists(): TrafficLists {
  const { live } = useInstance()
  const requests = useServerList<LoggedRequest>('dev/requests?limit=100', 'requests')
  const sessions = useServerList<SmtpSessionSummary>('dev/smtp-sessions?limit=100', 'sessions')
  const deliveries = useServerList<WebhookDelivery>('dev/webhooks/deliveries?limit=100', 'deliveries')
  const mails = useServerList<MailSummary>('dev/inbox?limit=100', 'emails')
  const failed = useServerList<SmtpSessionSummary>('dev/smtp-sessions?limit=100&failed=true', 'sessions')
  const webhooks = useServerList<Webhook>('dev/webhooks', 'webhooks')

  function load(): void {
    for (const list of [requests, sessions, deliveries, mails, failed, webhooks]) void list.load()
  }
  load()
  const renewDeliveries = inBursts(() => void deliveries.refresh(isOlder))
  const renewMails = inBursts(() => void mails.refresh(isOlder))
  // Events have no bodies, so a burst of them leads to one request.
  live.listen({
    onConnected: load,
    onRequest: inBursts(() => void requests.refresh(isOlder)),
    onSmtpSession: inBursts(() => {
      void sessions.refresh(isOlder)
      void failed.load()
    }),
    onChanges() {
      renewMails()
      renewDeliveries()
    },
    onList: (name) => name === 'webhooks' && void webhooks.load(),
  })
  // There is no event for a try.
  const timer = setInterval(() => {
    const waits = deliveries.items.value.some(({ state }) => state === 'pending')
    if (waits && document.visibilityState === 'visible') renewDeliveries()
  }, betweenTriesMs)
  onScopeDispose(() => clearInterval(timer))

  const mailsById = computed(() => new Map(mails.items.value.map((mail) => [mail.id, mail])))
  const webhooksById = computed<KnownWebhooks>(() =>
    webhooks.phase.value === 'ready' ? new Map(webhooks.items.value.map((one) => [one.id, one])) : null,
  )
  const timelines = computed<Timeline[]>(() => [
    {
      kind: 'requests',
      list: requests,
      rows: requests.items.value.map((one) => requestRow(one, mailsById.value)),
    },
    {
      kind: 'sessions',
      list: sessions,
      rows: sessions.items.value.map((one) => sessionRow(one, mailsById.value)),
    },
    {
      kind: 'webhooks',
      list: deliveries,
      rows: deliveries.items.value.map((one) => deliveryRow(one, webhooksById.value)),
    },
  ])
  return { requests, sessions, deliveries, mails, failed, webhooks, webhooksById, timelines, load }
}

const isOlder = (old: { id: string }, newest: { id: string }): boolean => old.id < newest.id
/** How often deliveries that wait are read again. */
const betweenTriesMs = 3000
