import { randomBytes } from 'node:crypto'
import { createAudiences } from '../audiences/audiences.ts'
import { countUnsubscribed } from '../broadcasts/broadcast.ts'
import { createBroadcasts } from '../broadcasts/broadcasts.ts'
import { createBudget } from '../core/byte-budget.ts'
import { systemClock } from '../core/clock.ts'
import { processDkimKey } from '../domains/dkim-keys.ts'
import { createDomains } from '../domains/domains.ts'
import { createEmails } from '../emails/emails.ts'
import { headerBudgetBytes } from '../emails/header-facts.ts'
import { receiveSubmission } from '../emails/receive.ts'
import { createSimulation } from '../emails/simulate.ts'
import { openBulkBoard } from '../inbox/bulk-board.ts'
import { createInbox } from '../inbox/inbox.ts'
import { createOwnRecords } from '../inbox/own-records.ts'
import { composeRequest } from '../outbox/compose-request.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { createSuppressions } from '../sending/suppressions.ts'
import { createSending } from '../sending/sending.ts'
import { createReader } from '../reading/blob-reader.ts'
import type { Store } from '../store/store.ts'
import { createTemplates } from '../templates/templates.ts'
import { createTracking } from '../tracking/tracking.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { AccountMemory } from './account-memory.ts'
import { openColumns } from './data.ts'
import { createLibrarySends } from './library-sends.ts'
import { reportErrors } from './notices.ts'
import { openWebhooks } from './open-webhooks.ts'
import { attachmentSources, openOutbox, openRelay, releaseThrough } from './outbound.ts'
import { resetAccount } from './reset.ts'
import type { AccountParts } from './shared-parts.ts'
import { simulator } from './simulator.ts'
import { startUpkeep } from './upkeep.ts'
import { type OpenAccount, endWork } from './account.ts'

/**
 * Opens an account. It can receive mail then, and delivers none before `deliver` is called.
 *
 * @param store  Holds only the records of this account.
 * @param undo  Receives how to close what was opened, to be called from the last to the first if the start fails.
 */
export async function openAccount(
  parts: AccountParts,
  memory: AccountMemory,
  store: Store,
  undo: (() => unknown)[],
): Promise<OpenAccount> {
  const { config, outgoing, thread, tracer, following, baseUrl, counts } = parts
  const { ids, rules, randomSources } = memory
  const { clock, dns, checks } = config
  /** What most parts need: the options, and the records of this account. */
  const common = { ...config, store, ids, thread, tracer, following }

  // Resources.
  const { webhooks, configurationSets } = await openWebhooks(parts, memory, store)
  undo.push(() => webhooks.close())
  const makeSharedKey = config.dir === null && config.store === null ? processDkimKey : undefined
  const domains = createDomains({ ...common, lookup: parts.lookup, makeSharedKey })
  const audiences = createAudiences(common)
  const templates = createTemplates(common)

  // The inbox: stored mail, and the parts with which it is read, imported, answered and released.
  const relay = openRelay(config, outgoing)
  // Waits and the reading of messages use the machine's clock, not the instance's.
  const reader = createReader({ store, clock: systemClock, thread, turns: parts.turns })
  const importing = {
    ...common,
    ensureDomain: domains.ensureDomain,
    tracer: null,
    // An imported message was delivered long ago, so rules and the outbox do not apply.
    needsDelivery: () => false,
    headerBudget: createBudget(headerBudgetBytes),
    wakeOutbox: () => {},
  }
  // Its functions run later, when what sends exists too.
  const inbox = createInbox({
    ...common,
    reader,
    clock: systemClock,
    now: clock.now,
    columns: store.texts ? null : await openColumns(config, parts.textFolder),
    sending: parts.sending,
    recordsOf: createOwnRecords(store, dns),
    services: {
      ...checks,
      serviceProblemOf: outgoing.relayProblemOf,
      liveProblemOf: outgoing.liveProblemOf,
      trackingUrl: () => `${baseUrl()}/t/`,
    },
    compose: (request) => composeRequest(request, sendingDeps),
    submit: (envelope, stored) => receiveSubmission(envelope, importing, ({ id }) => stored(id)),
    release: relay && releaseThrough(relay),
    transcriptOf: memory.transcripts.of,
    bulkBoard: await openBulkBoard({ store, following }),
    onLongWork: parts.onLongWork,
    onUnremoved: reportErrors(
      config,
      'Mails could not be removed. Until this succeeds they stay in the store, outside of lists.',
    ),
    counts: counts.waits,
    missing: {
      ...common,
      sessions: memory.smtpSessions.list,
      requests: memory.log.list,
      scheduled: (query) => sending.scheduled.list(query),
      suppression: (address) => suppressions.get(address),
      isSuppressed: (address) => suppressions.has(address),
      findRule: rules.find,
      faults: memory.faults.state,
      foreignMail: parts.foreignMail,
    },
  })
  undo.push(() => inbox.close())

  // What sends: suppressions, tracking, the outbox, and the services that accept mail for it.
  const tracking = await createTracking({
    ...common,
    random: randomSources('tracking'),
    baseUrl,
    onUnsubscribe: ({ audience_id, contact_id, broadcast_id }) =>
      audiences.contacts.unsubscribe(audience_id, contact_id, () => countUnsubscribed(store, broadcast_id)),
    onError: reportErrors(config, 'Opens or clicks could not be stored.'),
  })
  const sources = attachmentSources(config, outgoing)
  const secret = randomBytes(32).toString('base64url')
  const suppressions = await createSuppressions({
    ...common,
    isSimulator: simulator.isSimulator,
    onError: reportErrors(config, 'The suppression list could not be read or added to.'),
  })
  undo.push(() => suppressions.close())
  const outbox = openOutbox(parts, {
    store,
    suppressions,
    domains,
    tracking,
    reader,
    relay,
    sources,
    // Large requests, deliveries and reads take turns, so that only one large mail is in memory.
    largeWrites: reader.outsideThread,
    findRule: rules.find,
    secret,
  })
  const delivery = createDelivery(outbox)
  const { onActivity, accountName: account } = parts
  const onStored =
    onActivity &&
    ((email: EmailRecord, durationMs?: number): void =>
      onActivity({ kind: 'mail', email, account, durationMs }))
  const sendingDeps = {
    ...common,
    onStored: onStored && ((email: EmailRecord): void => onStored(email)),
    via: config.relayAll ? ('relay' as const) : ('capture' as const),
    sources,
    findTemplate: templates.find,
    resolveSender: domains.resolveSender,
    wakeOutbox: delivery.wakeOutbox,
  }
  const sending = createSending({
    ...sendingDeps,
    onError: reportErrors(config, 'A scheduled email could not be sent; this will be retried.'),
  })
  const emails = { ...createEmails({ ...common, reader }), accept: sending.acceptEmail }
  const broadcasts = createBroadcasts({ ...sendingDeps, unsubscribeUrl: tracking.unsubscribeUrl })
  const maintenance = [sending.schedule, suppressions, tracking, ...startUpkeep(config, common, domains)]
  undo.push(() => endWork({ outbox, relay, maintenance }))

  return {
    ...memory,
    store,
    domains,
    audiences,
    templates,
    emails: { ...emails, ...createSimulation(common) },
    sending,
    suppressions,
    schedule: sending.schedule,
    broadcasts,
    library: createLibrarySends({
      accept: emails.accept,
      sending,
      broadcast: broadcasts.send,
      log: memory.log,
      onNotice: config.onNotice,
    }),
    inbox,
    tracking,
    webhooks,
    configurationSets,
    relay,
    outbox,
    maintenance,
    thread,
    tracer,
    large: reader.large,
    onStored,
    accountName: account,
    secret,
    reader,
    providerRandom: randomSources('providers'),
    ...delivery,
    reset: (keep) => resetAccount({ ...memory, store }, keep),
  }
}

/** Holds the outbox back until `deliver` is called. */
function createDelivery(outbox: Pick<Outbox, 'wake'>): Pick<OpenAccount, 'deliver' | 'wakeOutbox'> {
  let delivers = false
  return {
    deliver() {
      delivers = true
      outbox.wake()
    },
    wakeOutbox() {
      if (delivers) outbox.wake()
    },
  }
}
