import { join } from 'node:path'
import { readSendingKnowledge } from '../checks/knowledge.ts'
import { assertCheckOptions, serviceMembers } from '../checks/options.ts'
import { createBudget } from '../core/byte-budget.ts'
import { invalidOption, isErrorOf } from '../core/errors.ts'
import { runAll, runTogether } from '../core/run-all.ts'
import { headerBudgetBytes } from '../emails/header-facts.ts'
import { createFailedLogins } from '../keys/failed-logins.ts'
import { createKeys } from '../keys/keys.ts'
import { resolveOptions, type Config, type LocalpostOptions } from '../options/options.ts'
import type { PartitionedStore } from '../store/partitioned-store.ts'
import type { Store } from '../store/store.ts'
import { openUsers } from '../users/users.ts'
import type { OpenAccount } from './account.ts'
import { createAccountMemory } from './account-memory.ts'
import { createRunningAccounts, type RunningAccounts } from './accounts.ts'
import { openStore } from './data.ts'
import { assertDestinations } from './destinations.ts'
import { createHttp } from './http.ts'
import { createInstanceFacts } from './metric-facts.ts'
import { openCapture, sideOfAccount, smtpPlaces } from './inbound.ts'
import type { Localpost } from './instance.ts'
import { reportErrors } from './notices.ts'
import { openCertificate } from './own-certificate.ts'
import { openSignIn } from './oidc-sign-in.ts'
import { publicInstance } from './public-instance.ts'
import { createSettle } from './settle.ts'
import { type AccountParts, createSharedParts, type SharedWays } from './shared-parts.ts'
import { createSnapshots } from './snapshots.ts'
import { openTime } from './time.ts'
import { openAccount } from './open-account.ts'

/** How the library and the command start an instance, besides its options. */
interface OpenWays extends SharedWays {
  /**
   * When deliveries begin. With `listen` nothing is delivered before the HTTP listener is open, so that tracking links
   * in pending mail contain its URL; the command always listens.
   */
  deliversFrom: 'start' | 'listen'
  /** The default of the option `keepAlive`. Default: true. */
  keepAlive?: boolean
  /** Called with the store once it is open, to find out whether it refuses to store anything. */
  onStore?: (store: Pick<Store, 'refusal'>) => void
  /** Called with a function that replaces the certificate of the option `tls`. */
  onCertificate?: (use: (certificate: { key: string; cert: string }) => void) => void
  /** How many unused accounts other than `default` may be open. Default: 100. */
  mostOpenAccounts?: number
  /** Called with the id of each account other than `default` that was closed. */
  onAccountClosed?: (id: string) => void
}

/** Starts an instance, for `createLocalpost` and for the command. */
export async function openLocalpost(
  options: LocalpostOptions | undefined,
  { deliversFrom, keepAlive = true, ...ways }: OpenWays,
): Promise<Localpost> {
  const config = resolveOptions(options, { keepAlive })
  assertUsable(config)
  const sending = await readSendingKnowledge(config.checks)

  const { opened: stored, restorable } = await openStore(config)
  ways.onStore?.(stored)
  /** What closes the parts that are open, if the start fails. Each part must also be closed by `close` below. */
  const undo: (() => unknown)[] = [() => stored.close()]
  try {
    // What all accounts share. `accounts`, `capture`, `smtp` and `http` are named in functions that run only after they
    // exist. Only `httpUrl` has a default, because SMTP sessions may call it before `http` exists.
    let httpUrl = (): string | null => null
    const shared = createSharedParts(config, sending, stored, ways, () => capture.deliveries, undo)
    const { randomSources, following, outgoing, counts, thread, tracer, onRefused } = shared

    // The account `default`, and who may use it.
    const parts: AccountParts = {
      ...shared,
      config,
      accountName: null,
      textFolder: config.dir && join(config.dir, 'derived'),
      foreignMail: (isWanted, since) => accounts.findMail(isWanted, since),
      baseUrl: () => config.publicUrl ?? httpUrl() ?? 'http://localpost',
    }
    const memory = await createAccountMemory(config, randomSources, stored, following)
    const main = await openAccount(parts, memory, stored, undo)
    const { store, ids, outbox, tracking, webhooks, maintenance } = main
    const keys = await createKeys({
      store,
      clock: config.clock,
      ids,
      given: config.apiKeys,
      acceptAny: config.acceptAnyKey,
      random: randomSources('keys'),
      following,
    })
    const failedLogins = createFailedLogins(config.clock)
    const users = config.users === null ? null : openUsers(config.users, reportErrors(config, staleUsers))
    const oidc = await openSignIn(parts, store)

    // The other accounts.
    const headerBudget = createBudget(headerBudgetBytes)
    const accounts = await createRunningAccounts({
      parts,
      stored,
      main,
      headerBudget,
      smtp: () => smtp,
      makeApp: (account) => http.appOf(account),
      mostOpen: ways.mostOpenAccounts,
      onClosed: ways.onAccountClosed,
    })
    undo.push(() => accounts.close())

    // SMTP.
    const certificate = await openCertificate(config)
    const capture = await openCapture(
      config,
      sideOfAccount(main, config, headerBudget, shared.upToDate),
      { scopeOf: keys.scopeOf, deliverySecret: main.secret, judgeAccount: accounts.judge, failedLogins },
      { ownCertificate: certificate, httpUrl: () => httpUrl(), onRefused, counts: counts.smtp },
    )
    undo.push(() => capture.close())
    const { smtp, smtps } = smtpPlaces(capture, config, certificate)
    for (const port of [capture, capture.deliveries]) outgoing.opened(port)
    if (smtps !== null) outgoing.opened({ host: capture.host, port: smtps.port })

    // HTTP, which listens later.
    const facts = createInstanceFacts(counts, capture, stored)
    undo.push(() => facts.close())
    const http = createHttp(
      { ...main, keys, accounts: accounts.resource },
      {
        ...parts,
        capture,
        smtp,
        smtps,
        certificate,
        database: () => stored.database(),
        instance: { otherAccounts: accounts.http, facts: facts.read },
        failedLogins,
        users,
        oidc,
      },
    )
    httpUrl = () => http.url
    ways.onCertificate?.((next) => {
      http.useCertificate(next)
      if (typeof config.smtpTls !== 'object') capture.useCertificate(next)
    })

    // Work in the background, and how to wait for it.
    if (deliversFrom === 'start') main.deliver()
    beginWork(main, accounts, stored, config)
    const settle = createSettle({
      store,
      outbox,
      first: [main.schedule],
      others: [tracking, webhooks, ...maintenance, accounts],
    })
    const snapshots = createSnapshots({
      store: restorable,
      faults: main.faults,
      now: config.clock.now,
      settle,
      prepare: main.inbox.removals.undoAll,
      async reload() {
        await main.rules.reload()
        await webhooks.reload()
        main.wakeOutbox()
      },
    })
    const time = openTime(config.clock, settle)

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
              () => shared.lookup.close?.(),
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

const staleUsers = 'The file of users stays as it was read before.'

/** @throws invalid_option for what an instance cannot be started with, although each option has a valid form. */
function assertUsable(config: Config): void {
  const { checks, host, smtpPort, smtpsPort } = config
  assertCheckOptions(checks, 'option "checks"', 'invalid_option', serviceMembers)
  assertDestinations(config, { host, port: smtpPort })
  if (smtpPort !== 0 && smtpPort === smtpsPort)
    throw invalidOption(
      `smtpPort and smtpsPort are both ${smtpPort}. Give each a port of its own; 0 takes a free one.`,
    )
}

/** Begins what is due in all accounts, now and whenever this instance becomes the leader or another one stores something. */
function beginWork(
  main: OpenAccount,
  accounts: RunningAccounts,
  stored: PartitionedStore,
  config: Config,
): void {
  const report = reportErrors(config, 'Not all accounts could be opened; they are opened when they are used.')
  const wakeMain = (): void => {
    main.wakeOutbox()
    main.webhooks.wake()
  }
  const begin = (): void => {
    wakeMain()
    accounts.start().catch((error: unknown) => {
      if (!isErrorOf(error, 'closed')) report(error)
    })
  }
  begin()
  stored.leadership.onMine(begin)
  stored.onForeignChange((partition) => {
    if (!stored.leadership.isMine()) return
    if (partition === '') wakeMain()
    else accounts.wake(partition)
  })
}
