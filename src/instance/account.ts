import { randomBytes } from 'node:crypto'
import { createAudiences } from '../audiences/audiences.ts'
import { countUnsubscribed } from '../broadcasts/broadcast.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { SendingKnowledge } from '../checks/knowledge.ts'
import { createBudget } from '../core/byte-budget.ts'
import { systemClock } from '../core/clock.ts'
import type { JobQueue } from '../core/job-queue.ts'
import type { RandomSource } from '../core/random.ts'
import { runAll, runTogether } from '../core/run-all.ts'
import { processDkimKey } from '../domains/dkim-keys.ts'
import type { DnsLookup } from '../domains/dns-lookup.ts'
import { createDomains, type InnerDomains } from '../domains/domains.ts'
import type { EmailService } from '../emails/emails.ts'
import { headRoomBytes, receiveSubmission } from '../emails/receive.ts'
import type { Simulation } from '../emails/simulate.ts'
import { openBulkBoard } from '../inbox/bulk-board.ts'
import { createInbox } from '../inbox/inbox.ts'
import { createOwnRecords } from '../inbox/own-records.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import type { Downloads } from '../outbox/downloads.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Transport } from '../outbox/transport.ts'
import { createReader, type Reader, type ReadingTurns } from '../reading/reader.ts'
import type { Following } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import { createTemplates, type InnerTemplates } from '../templates/templates.ts'
import { createTracking, type Tracking } from '../tracking/tracking.ts'
import type { RunningWebhooks } from '../webhooks/webhooks.ts'
import type { AccountMemory } from './account-memory.ts'
import { emptyStore } from './collections.ts'
import type { UpToDate } from './up-to-date.ts'
import { openColumns } from './data.ts'
import type { createLibrarySends } from './library-sends.ts'
import {
  attachmentSources,
  openKeyExpiry,
  openOutbox,
  openRechecks,
  openRelay,
  openRetention,
  openWebhooks,
  releaseThrough,
} from './outbound.ts'
import { openSending } from './sending.ts'
import type { InstanceThread } from './thread.ts'

/** The parts that the accounts of an instance share. */
export interface SharedParts {
  config: Config
  randomSources: (purpose: string) => RandomSource
  outgoing: Outgoing
  sending: SendingKnowledge
  lookup: DnsLookup
  /** For long work of all accounts. */
  thread: InstanceThread
  /** The readers of all accounts share it, so that only one large mail is in memory. */
  turns: ReadingTurns
  /** The outboxes of all accounts share it. */
  downloads: Downloads
  /** For everything in memory that other instances may change too. */
  following: Following
  /** null without other instances. */
  upToDate: UpToDate | null
  /** Called with true when work in the background has gone on for some time, and with false when that ends. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
  /** Where the searchable text is kept between starts; null: in memory. */
  textFolder: string | null
  /** The base of the tracking addresses, without a slash at its end. */
  baseUrl(): string
}

/** The data of one account, and everything that reads and changes it. Other accounts cannot reach any of it. */
export interface OpenResources extends Omit<AccountMemory, 'randomSources'> {
  store: Store
  domains: InnerDomains
  audiences: ReturnType<typeof createAudiences>
  templates: InnerTemplates
  inbox: ReturnType<typeof createInbox>
  reader: Reader
  thread: InstanceThread
  webhooks: RunningWebhooks
  relay: Transport | null
  /** The password of the outbox at the SMTP server of its own instance. */
  secret: string
  /** Has the outbox look for due emails. Does nothing before it delivers. */
  wakeOutbox(): void
  /** Sets what `wakeOutbox` calls. */
  onWake(wake: () => void): void
}

/** The resources, sending, and the background work. */
export interface OpenAccount extends OpenResources {
  emails: EmailService & Simulation
  broadcasts: Broadcasts
  library: ReturnType<typeof createLibrarySends>
  tracking: Tracking
  outbox: Outbox
  /** Background work. */
  maintenance: readonly { idle(): Promise<void>; close(): Promise<void> }[]
  /** The queue for requests with long bodies. */
  large: JobQueue
  /** The thread in which long bodies are parsed. */
  thread: InstanceThread
  /** Begins to deliver. Has no effect if it has begun. */
  deliver(): void
  /** Empties what `keep` does not name. */
  reset(keep: readonly ResetScope[]): Promise<void>
}

/**
 * Opens what is stored for one account. Mail can be received then.
 *
 * @param memory  The state that this account keeps in memory, also from an earlier opening.
 * @param store  Holds only the records of this account.
 * @param undo  Receives how to close what was opened, to be called from the last to the first if the start fails.
 */
export async function openResources(
  {
    config,
    randomSources,
    outgoing,
    sending,
    lookup,
    thread,
    turns,
    following,
    onLongWork,
    textFolder,
    baseUrl,
  }: SharedParts,
  { ids, rules, verdictOf, faults, transcripts, smtpSessions, log }: AccountMemory,
  store: Store,
  undo: (() => unknown)[],
): Promise<OpenResources> {
  const { clock, pageSize, account, dns, strict } = config
  const webhooks = await openWebhooks(store, ids, config, randomSources('webhooks'), outgoing, following)
  undo.push(() => webhooks.close())
  const makeSharedKey = config.dir === null && config.store === null ? processDkimKey : undefined
  const domains = createDomains({ store, clock, ids, account, dns, pageSize, strict, lookup, makeSharedKey })
  const relay = openRelay(config, outgoing)
  const importing = {
    store,
    clock,
    ids,
    hostname: config.hostname,
    ensureDomain: domains.ensureDomain,
    // An imported message was delivered long ago, so rules and the outbox do not apply.
    needsDelivery: () => false,
    thread,
    headRoom: createBudget(headRoomBytes),
    wakeOutbox: () => {},
  }
  // Waits and the reading of messages use the machine's clock, not the instance's.
  const reader = createReader({ store, clock: systemClock, thread, turns })
  const inbox = createInbox({
    store,
    reader,
    thread,
    clock: systemClock,
    ids,
    now: clock.now,
    columns: store.texts ? null : await openColumns(config, textFolder),
    pageSize,
    waitTimeoutMs: config.waitTimeoutMs,
    checks: config.checks,
    sending,
    recordsOf: createOwnRecords(store, dns),
    services: {
      ...config.checks,
      serviceProblemOf: outgoing.relayProblemOf,
      liveProblemOf: outgoing.liveProblemOf,
      trackingUrl: () => `${baseUrl()}/t/`,
    },
    submit: (envelope, onStored) => receiveSubmission(envelope, importing, onStored),
    release: relay && releaseThrough(relay),
    transcriptOf: transcripts.of,
    bulkBoard: await openBulkBoard({ store, following }),
    onLongWork,
  })
  undo.push(() => inbox.close())
  // Mail may arrive before the outbox exists. The outbox searches for due emails when it starts.
  let wake = (): void => {}
  return {
    store,
    ids,
    domains,
    audiences: createAudiences({ store, clock, ids, thread, account, pageSize }),
    templates: createTemplates({ store, clock, ids, pageSize }),
    inbox,
    reader,
    thread,
    rules,
    verdictOf,
    faults,
    transcripts,
    smtpSessions,
    log,
    webhooks,
    relay,
    secret: randomBytes(32).toString('base64url'),
    wakeOutbox: () => wake(),
    onWake(call) {
      wake = call
    },
  }
}

/**
 * Opens the sending of the API and the outbox.
 *
 * @param deliveries  The SMTP server that the outbox delivers to.
 */
export async function openSends(
  { config, randomSources, outgoing, downloads, thread, baseUrl }: SharedParts,
  resources: OpenResources,
  deliveries: { readonly host: string; readonly port: number },
): Promise<OpenAccount> {
  const { store, ids, reader, rules, domains, templates, audiences, relay, faults, secret } = resources
  const { wakeOutbox, log } = resources
  const { clock } = config
  const tracking = await createTracking({
    store,
    clock,
    random: randomSources('tracking'),
    baseUrl,
    onUnsubscribe: (audienceId, contactId, broadcastId) =>
      audiences.contacts.unsubscribe(audienceId, contactId, () => countUnsubscribed(store, broadcastId)),
    onError: (error) =>
      config.onNotice({ level: 'error', message: 'Opens or clicks could not be stored.', error }),
  })
  const sources = attachmentSources(config, outgoing)
  const outbox = openOutbox({
    store,
    config,
    domains,
    tracking,
    reader,
    relay,
    sources,
    thread,
    // Large requests, deliveries and reads take turns, so that only one large mail is in memory.
    large: reader.beside,
    downloads,
    findRule: rules.find,
    capture: { ...deliveries, secret },
  })
  const sends = openSending({
    store,
    ids,
    config,
    sources,
    reader,
    thread,
    templates,
    domains,
    tracking,
    log,
    wakeOutbox,
  })
  return {
    ...resources,
    ...sends,
    tracking,
    outbox,
    maintenance: [
      tracking,
      openRetention(store, config),
      openKeyExpiry(store, config),
      openRechecks(store, config, domains),
    ],
    large: reader.large,
    thread,
    deliver() {
      resources.onWake(outbox.wake)
      outbox.wake()
    },
    async reset(keep) {
      await emptyStore(store, keep)
      if (!keep.includes('rules')) await rules.restore()
      await faults.clear()
      if (!keep.includes('emails')) await resources.transcripts.clear()
      await log.clear()
      await resources.smtpSessions.clear()
    },
  }
}

/** Ends an account: first all waits, then running work. The outbox ends while the SMTP server still accepts its deliveries. */
export function closeAccount({ inbox, webhooks, outbox, relay, maintenance }: OpenAccount): Promise<void> {
  return runAll([
    () => runTogether([() => inbox.close(), () => webhooks.close()]),
    () => outbox.close(),
    () => relay?.close(),
    ...maintenance.map((task) => () => task.close()),
  ])
}
