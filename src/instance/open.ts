import { join } from 'node:path'
import { readSendingKnowledge } from '../checks/knowledge.ts'
import { assertCheckOptions, serviceMembers } from '../checks/options.ts'
import { createBudget } from '../core/byte-budget.ts'
import { createCounts } from '../core/counts.ts'
import { systemClock } from '../core/clock.ts'
import { invalidOption } from '../core/errors.ts'
import type { Tracer } from '../core/tracer.ts'
import { createRandomSources } from '../core/random.ts'
import { runAll, runTogether } from '../core/run-all.ts'
import { createDnsLookup } from '../domains/dns-lookup.ts'
import { headRoomBytes } from '../emails/receive.ts'
import { createFailedLogins } from '../keys/failed-logins.ts'
import { createKeys } from '../keys/keys.ts'
import { createOutgoing } from '../net/outgoing.ts'
import { resolveOptions, type Config, type LocalpostOptions } from '../options/options.ts'
import { createDownloads } from '../outbox/downloads.ts'
import { createReadingTurns, type ReadingTurns } from '../reading/turns.ts'
import { createFollowing } from '../store/follow.ts'
import { openTelemetry } from '../telemetry/open-telemetry.ts'
import { openOtlp } from '../telemetry/otlp.ts'
import type { Store } from '../store/store.ts'
import { openUsers } from '../users/users.ts'
import type { SharedParts } from './shared-parts.ts'
import type { ClientRefusal } from '../capture/options.ts'
import type { Activity } from './activity.ts'
import { createAccountMemory } from './account-memory.ts'
import { createRunningAccounts } from './accounts.ts'
import { openStore } from './data.ts'
import { assertDestinations } from './destinations.ts'
import { createHttp } from './http.ts'
import { createInstanceFacts } from './metric-facts.ts'
import { openCapture, sideOfAccount, smtpPlaces } from './inbound.ts'
import type { Localpost } from './instance.ts'
import { reportErrors } from './notices.ts'
import { openCertificate } from './own-certificate.ts'
import { openProvider } from './provider.ts'
import { publicInstance } from './public-instance.ts'
import { createSettle } from './settle.ts'
import { createSnapshots } from './snapshots.ts'
import { createInstanceThread, type InstanceThread } from './jobs.ts'
import { openTime } from './time.ts'
import { createUpToDate } from './up-to-date.ts'
import { openAccount } from './open-account.ts'
import { beginWork } from './begin-work.ts'

/**
 * Starts an instance, for `createLocalpost` and for the command. The command always listens. With `deliversFrom: 'listen'`
 * nothing is delivered before the HTTP listener is open, so that tracking links in pending mail contain its URL.
 */
export async function openLocalpost(
  options: LocalpostOptions | undefined,
  { deliversFrom, keepAlive = true, ...how }: OpenWays,
): Promise<Localpost> {
  const config = resolveOptions(options, { keepAlive })
  assertCheckOptions(config.checks, 'option "checks"', 'invalid_option', serviceMembers)
  assertDestinations(config, { host: config.host, port: config.smtpPort })
  if (config.smtpPort !== 0 && config.smtpPort === config.smtpsPort)
    throw invalidOption(
      `smtpPort and smtpsPort are both ${config.smtpPort}. Give each a port of its own; 0 takes a free one.`,
    )
  const sending = await readSendingKnowledge(config.checks)
  const { clock } = config

  const { opened, restorable } = await openStore(config)
  how.onStore?.(opened)
  const undo: (() => unknown)[] = [() => opened.close()]
  try {
    const randomSources = createRandomSources(config.seed)
    const outgoing = createOutgoing(config.allowOutgoing, [config.hostname, ...config.allowHosts])
    const lookup = createDnsLookup(config.dns.servers ? { servers: config.dns.servers } : {})
    const thread = how.thread ?? createInstanceThread()
    undo.push(() => thread.close())
    const following = createFollowing()
    const counts = createCounts()
    const upToDate = createUpToDate(opened, following)
    const { onActivity } = how
    const tellRefusal =
      onActivity && ((refusal: ClientRefusal): void => onActivity({ kind: 'refusal', ...refusal }))
    const tracer = openTracer(config, how.spans)
    undo.push(() => tracer?.close?.())
    const shared: SharedParts = {
      config,
      tracer,
      onActivity,
      accountName: null,
      randomSources,
      outgoing,
      sending,
      lookup,
      thread,
      turns: how.turns ?? createReadingTurns(systemClock),
      downloads: createDownloads(systemClock),
      counts,
      following,
      upToDate,
      onLongWork: how.onLongWork,
      textFolder: config.dir && join(config.dir, 'derived'),
      foreignMail: (isWanted, since) => accounts.findMail(isWanted, since),
      baseUrl: () => config.publicUrl ?? http.url ?? 'http://localpost',
      deliveries: () => capture.deliveries,
    }

    // The account `default`, and who may use it.
    const memory = await createAccountMemory(config, randomSources, opened, following)
    const main = await openAccount(shared, memory, opened, undo)
    const { store, ids, outbox, tracking, webhooks, maintenance } = main
    const keys = await createKeys({
      store,
      clock,
      ids,
      given: config.apiKeys,
      acceptAny: config.acceptAnyKey,
      random: randomSources('keys'),
      following,
    })
    const failedLogins = createFailedLogins(clock)
    const users = config.users === null ? null : openUsers(config.users, reportErrors(config, staleUsers))
    const oidc = await openProvider(shared, store)

    // The other accounts.
    const headRoom = createBudget(headRoomBytes)
    const accounts = await createRunningAccounts({
      shared,
      stored: opened,
      main,
      headRoom,
      smtp: () => smtp,
      makeApp: (parts) => http.appOf(parts),
      mostOpen: how.mostOpenAccounts,
      onClosed: how.onAccountClosed,
    })
    undo.push(() => accounts.close())

    // SMTP, and HTTP, which listens later.
    const certificate = await openCertificate(config)
    let httpUrl = (): string | null => null
    const capture = await openCapture(
      config,
      sideOfAccount(main, config, headRoom, upToDate),
      {
        scopeOf: keys.scopeOf,
        deliverySecret: main.secret,
        judgeAccount: accounts.judge,
        failedLogins,
      },
      { ownCertificate: certificate, httpUrl: () => httpUrl(), onRefused: tellRefusal, counts: counts.smtp },
    )
    undo.push(() => capture.close())
    for (const port of [capture, capture.deliveries]) outgoing.opened(port)
    const { smtp, smtps } = smtpPlaces(capture, config, certificate)
    if (smtps !== null) outgoing.opened({ host: capture.host, port: smtps.port })
    const facts = createInstanceFacts({ counts, capture, stored: opened })
    undo.push(() => facts.close())
    const http = createHttp(
      { ...main, keys, accounts: accounts.resource },
      {
        clock,
        config,
        capture,
        smtp,
        smtps,
        certificate,
        database: () => opened.database(),
        outgoing,
        otherAccounts: accounts.http,
        failedLogins,
        users,
        oidc,
        following,
        upToDate,
        onRefused: tellRefusal,
        requests: counts.requests,
        instanceFacts: facts.read,
        tracer,
      },
    )
    httpUrl = () => http.url
    how.onCertificate?.((certificate) => {
      http.useCertificate(certificate)
      if (typeof config.smtpTls !== 'object') capture.useCertificate(certificate)
    })

    // Work in the background.
    if (deliversFrom === 'start') main.deliver()
    beginWork(main, accounts, opened, config)

    const settle = createSettle({
      store,
      outbox,
      first: [main.schedule],
      others: [tracking, webhooks, ...maintenance, accounts],
    })
    const snapshots = createSnapshots({
      store: restorable,
      faults: main.faults,
      now: clock.now,
      settle,
      prepare: main.inbox.removals.undoAll,
      async reload() {
        await main.rules.reload()
        await webhooks.reload()
        main.wakeOutbox()
      },
    })
    const time = openTime(clock, settle)
    return publicInstance({
      main,
      accounts,
      apiKey: keys.primary().value,
      smtp,
      smtps,
      http,
      snapshots,
      clock: time.clock,
      waitTimeoutMs: config.waitTimeoutMs,
      // First all waits end, then nothing new is accepted, then running work ends. The store is closed last, also if a
      // step before it failed, so that its lock is removed.
      close: () =>
        runAll([
          () =>
            runTogether([
              () => time.close(),
              () => facts.close(),
              () => main.inbox.close(),
              () => http.close(),
              () => accounts.close(),
              () => webhooks.close(),
              // Otherwise the rechecks would wait for a DNS server that does not answer.
              () => lookup.close?.(),
            ]),
          () => thread.close(),
          // Once the outbox closes, an interrupted delivery has no outcome.
          () => runTogether([() => outbox.close(), () => capture.endDelays()]),
          () => main.relay?.close(),
          () => capture.close(),
          () => tracer?.close?.(),
          ...maintenance.map((task) => () => task.close()),
          () => store.close(),
        ]),
    })
  } catch (error) {
    // Errors while closing are ignored, because the first error is the reason.
    await runAll(undo.reverse()).catch(() => undefined)
    throw error
  }
}

function openTracer(
  { otlpEndpoint, onNotice }: Pick<Config, 'otlpEndpoint' | 'onNotice'>,
  spans: OpenWays['spans'],
): Tracer | null {
  if (otlpEndpoint !== null)
    return openOtlp(otlpEndpoint, { onWarning: (message) => onNotice({ level: 'warning', message }) })
  return spans === 'none' ? null : openTelemetry()
}

const staleUsers = 'The file of users stays as it was read before.'

interface OpenWays {
  deliversFrom: 'start' | 'listen'
  /** The default of the option `keepAlive`. Default: true. */
  keepAlive?: boolean
  /** Called with the store once it is open, to find out whether it refuses to store anything. */
  onStore?: (store: Pick<Store, 'refusal'>) => void
  /** Called with a function that replaces the certificate of the option `tls`. */
  onCertificate?: (use: (certificate: { key: string; cert: string }) => void) => void
  /** Called with each mail that is stored, except imported ones, and with each refusal to a client. */
  onActivity?: (activity: Activity) => void
  /** Called with true when work in the background has gone on for some time, and with false when that ends. */
  onLongWork?: (isRunning: boolean) => void
  /** How many unused accounts other than `default` may be open. Default: 100. */
  mostOpenAccounts?: number
  /** Called with the id of each account other than `default` that was closed. */
  onAccountClosed?: (id: string) => void
  /** Which spans are recorded without `otlpEndpoint`. Default: those that the tracer provider of the app takes, if it has one. */
  spans?: 'none'
  /** For long work; closed with the instance. Default: a new one. */
  thread?: InstanceThread
  /** The queues of reads. Default: new ones. */
  turns?: ReadingTurns
}
