import { readSending } from '../checks/knowledge.ts'
import { assertCheckOptions, serviceMembers } from '../checks/options.ts'
import { randomBytes } from 'node:crypto'
import type { ResetScope } from '../options/reset-scopes.ts'
import { createAudiences } from '../audiences/audiences.ts'
import { createFaults } from '../faults/faults.ts'
import { createReader } from '../reading/reader.ts'
import { createRules } from '../rules/rules.ts'
import { createTranscripts } from '../capture/transcripts.ts'
import { createRandomSources } from '../core/random.ts'
import { systemClock } from '../core/clock.ts'
import { emptyStore, raiseIds } from './collections.ts'
import { createBudget } from '../core/byte-budget.ts'
import { processDkimKey } from '../domains/dkim-keys.ts'
import { createDnsLookup } from '../domains/dns-lookup.ts'
import { createDomains } from '../domains/domains.ts'
import { headRoomBytes, receiveSubmission } from '../emails/receive.ts'
import { createHttpFace } from './http.ts'
import { reachableHost } from '../net/hosts.ts'
import { createIds } from '../core/ids.ts'
import type { Localpost } from './instance.ts'
import { createOwnRecords } from '../inbox/own-records.ts'
import { createInbox } from '../inbox/inbox.ts'
import { createKeys } from '../keys/keys.ts'
import { createOutgoing } from '../net/outgoing.ts'
import { resolveOptions, type LocalpostOptions } from '../options/options.ts'
import { openCapture } from './inbound.ts'
import { assemble } from './assemble.ts'
import { openColumn, openStore } from './data.ts'
import {
  attachmentSources,
  openOutbox,
  openRelay,
  openRechecks,
  openKeyExpiry,
  openRetention,
  openWebhooks,
  releaseThrough,
} from './outbound.ts'
import { assertDestinations } from './destinations.ts'
import { openSending } from './sending.ts'
import { createRequestLog } from '../server/request-log.ts'
import { createSettle } from './settle.ts'
import { createSnapshots } from './snapshots.ts'
import { runAll } from '../core/run-all.ts'
import type { Store } from '../store/store.ts'
import { createTemplates } from '../templates/templates.ts'
import { openTime } from './time.ts'
import { createTracking } from '../tracking/tracking.ts'

/**
 * Starts an instance, for `createLocalpost` and for the command. The command always listens. With `deliversFrom: 'listen'`
 * nothing is delivered before the HTTP listener is open, so that tracking links in pending mail contain its URL.
 *
 * @param how.keepAlive  The default of the option `keepAlive`. Default: true.
 */
export async function openLocalpost(
  options: LocalpostOptions | undefined,
  { deliversFrom, keepAlive = true, onStore }: OpenWays,
): Promise<Localpost> {
  const config = resolveOptions(options, { keepAlive })
  assertCheckOptions(config.checks, 'option "checks"', 'invalid_option', serviceMembers)
  assertDestinations(config, { host: config.host, port: config.smtpPort })
  const sending = await readSending(config.checks)
  const { clock, pageSize } = config
  const { opened, restorable } = await openStore(config)
  onStore?.(opened)
  const undo: (() => unknown)[] = [() => opened.close()]
  try {
    const randomSources = createRandomSources(config.seed)
    const ids = createIds(clock, (prefix) => randomSources(`ids.${prefix}`).bytes)
    await raiseIds(opened, ids)
    const outgoing = createOutgoing(config.allowOutgoing, [config.hostname, ...config.allowHosts])
    const webhooks = await openWebhooks(opened, ids, config, randomSources('webhooks'), outgoing)
    undo.push(() => webhooks.close())
    // Changes of emails and domains through this store cause webhook events.
    const { store } = webhooks
    const keys = await createKeys({
      store,
      clock,
      ids,
      given: config.apiKeys,
      acceptAny: config.acceptAnyKey,
      random: randomSources('keys'),
    })
    const { account, dns, strict } = config
    const lookup = createDnsLookup(dns.servers ? { servers: dns.servers } : {})
    const makeSharedKey = config.dir === null ? processDkimKey : undefined
    const domains = createDomains({
      store,
      clock,
      ids,
      account,
      dns,
      pageSize,
      strict,
      lookup,
      makeSharedKey,
    })
    const audiences = createAudiences({ store, clock, ids, account, pageSize })
    const templates = createTemplates({ store, clock, pageSize })
    const relay = openRelay(config, outgoing)
    const transcripts = createTranscripts()
    const importing = {
      store,
      clock,
      ids,
      hostname: config.hostname,
      ensureDomain: domains.ensureDomain,
      // An imported message was delivered long ago, so rules and the outbox do not apply.
      needsDelivery: () => false,
      headRoom: createBudget(headRoomBytes),
      wakeOutbox: () => {},
    }
    // Waits and the reading of messages use the machine's clock, not the instance's.
    const reader = createReader({ store, clock: systemClock })
    // Large requests, deliveries and reads take turns, so that only one large mail is in memory.
    const large = reader.beside
    const baseUrl = (): string => config.publicUrl ?? http.url ?? 'http://localpost'
    const inbox = createInbox({
      store,
      reader,
      clock: systemClock,
      ids,
      now: clock.now,
      column: await openColumn(config, 'mail-text.2'),
      heads: { open: () => openColumn(config, 'mail-heads.3'), isKept: config.dir !== null },
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
    })
    undo.push(() => inbox.close())
    const secret = randomBytes(32).toString('base64url')
    const rules = await createRules({ store, given: config.rules })
    const faults = createFaults(randomSources('faults'))
    // Mail may arrive before the outbox exists. The outbox searches for due emails when it starts.
    let wakeOutbox = (): void => {}
    const parts = { store, ids, config, domains, keys, faults, secret, transcripts }
    const capture = await openCapture({ ...parts, findRule: rules.find, wakeOutbox: () => wakeOutbox() })
    undo.push(() => capture.close())
    for (const port of [capture, capture.deliveries]) outgoing.opened(port)
    const smtp = { host: reachableHost(capture.host), port: capture.port }
    const tracking = await createTracking({
      store,
      clock,
      random: randomSources('tracking'),
      baseUrl,
      onUnsubscribe: (audienceId, contactId) =>
        audiences.contacts.update(audienceId, contactId, { is_subscribed: false }),
      onError: (error) =>
        config.onNotice({ level: 'error', message: 'Opens or clicks could not be stored.', error }),
    })
    const deliveries = { ...capture.deliveries, secret }
    const sources = attachmentSources(config, outgoing)
    const outbox = openOutbox({
      store,
      config,
      domains,
      tracking,
      reader,
      relay,
      sources,
      large,
      findRule: rules.find,
      capture: deliveries,
    })
    const log = createRequestLog({ clock, ids })
    const { emails, broadcasts, library } = openSending({
      store,
      ids,
      config,
      sources,
      reader,
      templates,
      domains,
      tracking,
      log,
      wakeOutbox: () => wakeOutbox(),
    })
    const nouns = {
      emails,
      tracking,
      domains,
      audiences,
      broadcasts,
      templates,
      keys,
      inbox,
      webhooks,
      rules,
      faults,
    }
    const reset = async (keep: readonly ResetScope[]): Promise<void> => {
      await emptyStore(store, keep)
      if (!keep.includes('rules')) await rules.restore()
      await faults.clear()
      log.clear()
    }
    const http = createHttpFace({
      ...nouns,
      large,
      log,
      clock,
      ids,
      config,
      store,
      reset,
      capture,
      smtp,
      outgoing,
    })
    const deliver = (): void => {
      wakeOutbox = outbox.wake
      outbox.wake()
    }
    if (deliversFrom === 'start') deliver()
    webhooks.start()
    const maintenance = [
      tracking,
      openRetention(store, config),
      openKeyExpiry(store, config),
      openRechecks(store, config, domains),
    ]
    const settle = createSettle({ store, outbox, others: [tracking, webhooks, ...maintenance] })
    const snapshots = createSnapshots({
      store: restorable,
      faults,
      now: clock.now,
      settle,
      async reload() {
        await rules.reload()
        await webhooks.reload()
        wakeOutbox()
      },
    })
    const time = openTime(clock, settle)
    return assemble({
      ...nouns,
      emails: { ...emails, send: library.send },
      broadcasts: { send: library.broadcast },
      requests: { list: async (query) => log.list(query), clear: async () => log.clear() },
      store,
      lookup,
      reset,
      maintenance,
      outbox,
      deliver,
      capture,
      smtp,
      relay,
      http,
      snapshots,
      time,
      waitTimeoutMs: config.waitTimeoutMs,
    })
  } catch (error) {
    // Errors while closing are ignored: the first error says more.
    await runAll(undo.reverse()).catch(() => undefined)
    throw error
  }
}

/** How an instance is opened. */
interface OpenWays {
  deliversFrom: 'start' | 'listen'
  keepAlive?: boolean
  /** Called with the store once it is open, to find out whether it refuses to store anything. */
  onStore?: (store: Pick<Store, 'refusal'>) => void
}
