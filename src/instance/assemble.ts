import type { Audiences } from '../audiences/audiences.ts'
import type { Capture } from '../capture/capture.ts'
import type { Faults } from '../faults/faults.ts'
import type { Rules } from '../rules/rules.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { DnsLookup } from '../domains/dns-lookup.ts'
import type { Domains } from '../domains/domains.ts'
import type { Emails } from '../emails/emails.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Transport } from '../outbox/transport.ts'
import type { Simulation } from '../emails/simulate.ts'
import { framesOfCaller, withFramesOf } from '../core/caller.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertArguments, assertKnownOptions, assertPort } from '../core/known-options.ts'
import type { InstanceHttp } from './http.ts'
import type { createInbox } from '../inbox/inbox.ts'
import type { Keys } from '../keys/keys.ts'
import { runAll, runTogether } from '../core/run-all.ts'
import { accountMembers, fromCall, publicMembers } from './public-members.ts'
import type { ListenOptions } from '../server/listener.ts'
import type { Snapshot, Snapshots } from './snapshots.ts'
import type { Store } from '../store/store.ts'
import type { InstanceThread } from './thread.ts'
import type { RunningTime } from './time.ts'
import type { Templates } from '../templates/templates.ts'
import type { RunningWebhooks } from '../webhooks/webhooks.ts'
import type { Account } from './account.ts'
import type { RunningAccounts } from './accounts.ts'
import type { AccountNouns, Localpost, Requests, SmtpSessions } from './instance.ts'
import { assertRealTicks } from './test-process.ts'

/** The parts of a running instance. */
export interface Running {
  emails: Emails & Simulation
  domains: Domains
  audiences: Audiences
  broadcasts: Broadcasts
  templates: Templates
  inbox: ReturnType<typeof createInbox>
  keys: Keys
  accounts: RunningAccounts
  webhooks: RunningWebhooks
  rules: Rules
  faults: Faults
  requests: Requests
  smtpSessions: SmtpSessions
  store: Store
  reset(keep: readonly ResetScope[]): Promise<void>
  lookup: DnsLookup
  thread: InstanceThread
  /** Background work. */
  maintenance: readonly { close(): Promise<void> }[]
  outbox: Outbox
  /** Begins to deliver, if that waited for the listener; harmless afterwards. */
  deliver(): void
  capture: Capture
  smtp: { host: string; port: number }
  smtps: Localpost['smtps']
  relay: Transport | null
  http: InstanceHttp
  snapshots: Snapshots
  time: RunningTime
  waitTimeoutMs: number
}

/** Combines the parts into the instance that the library returns. */
export function assemble(parts: Running): Localpost {
  const { keys, smtp, http } = parts
  let closing: Promise<void> | null = null
  const assertOpen = (): void => {
    if (closing) throw new LocalpostError('closed', 'This instance is closed; create a new one.')
  }
  const { snapshots, time } = parts
  const called = <Given extends unknown[], T>(
    name: string,
    most: number,
    run: (...given: Given) => Promise<T>,
  ): ((...given: Given) => Promise<T>) => fromCall({ name, path: `${name}()`, most }, run, assertOpen)
  // A framework that mounts it, such as Hono, may pass more arguments.
  async function fetch(request: Request): Promise<Response> {
    try {
      assertOpen()
      assertRealTicks()
      assertRequest(request)
    } catch (error) {
      throw withFramesOf(error, framesOfCaller(fetch))
    }
    return http.fetch(request)
  }
  const close = (): Promise<void> => (closing ??= keepAlive(() => closeAll(parts)))
  return {
    ...publicMembers({ ...parts, accounts: parts.accounts.noun, clock: time.clock }, assertOpen),
    account: function account(...given: unknown[]) {
      try {
        assertOpen()
        assertArguments(given, 1, 'account()')
        assertAccountName(given[0])
      } catch (error) {
        throw withFramesOf(error, framesOfCaller(account))
      }
      const [name] = given
      return accountMembers(
        (work) => parts.accounts.use(String(name), async (found) => work(nounsOf(found))),
        assertOpen,
      )
    },
    apiKey: keys.primary().value,
    waitTimeoutMs: parts.waitTimeoutMs,
    smtp,
    smtps: parts.smtps,
    get url() {
      return http.url
    },
    fetch,
    listen: called('listen', 1, async (options: ListenOptions = {}) => {
      assertKnownOptions(options, ['port', 'host', 'listener'], 'listen()')
      assertPort('port', options.port)
      const bound = await http.listen(options)
      parts.deliver()
      return bound
    }),
    reset: called('reset', 1, async (options: { keep?: ResetScope[] } = {}) => {
      assertKnownOptions(options, ['keep'], 'reset()')
      await parts.reset(options.keep ?? [])
    }),
    snapshot: called('snapshot', 0, () => snapshots.snapshot()),
    restore: called('restore', 1, (snapshot: Snapshot) => snapshots.restore(snapshot)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function assertAccountName(name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  const message = `account() takes the name of an account, not ${quote(name)}: post.account('team-a').`
  throw new LocalpostError('invalid_option', message)
}

// Checked by its members: a Request may come from another realm, such as that of a test environment.
function assertRequest(request: unknown): void {
  const isRequest =
    typeof request === 'object' && request !== null && 'url' in request && 'headers' in request
  if (isRequest) return
  const message = `fetch() takes a Request, not ${quote(request)}: fetch(new Request(url, init)).`
  throw new LocalpostError('invalid_option', message)
}

/** The resources of an account. Sends of the library are logged, and give warnings. */
export function nounsOf<Given extends Account>(
  account: Given,
): Omit<Given, 'emails' | 'broadcasts' | 'smtpSessions'> & AccountNouns {
  const { library, log, smtpSessions } = account
  return {
    ...account,
    emails: { ...account.emails, send: library.send },
    broadcasts: { ...account.broadcasts, send: library.broadcast },
    requests: { list: async (query) => log.list(query), clear: async () => log.clear() },
    smtpSessions: {
      list: async (query) => smtpSessions.list(query),
      get: async (id) => smtpSessions.get(id),
      clear: async () => smtpSessions.clear(),
    },
  }
}

// First all waits end, then nothing new is accepted, then running work ends. The store is closed last, also if a step
// before it failed, so that its lock is removed.
function closeAll({
  accounts,
  inbox,
  lookup,
  maintenance,
  webhooks,
  http,
  outbox,
  capture,
  relay,
  store,
  time,
  thread,
}: Running): Promise<void> {
  return runAll([
    () =>
      runTogether([
        () => time.close(),
        () => inbox.close(),
        () => http.close(),
        () => accounts.close(),
        () => webhooks.close(),
        // Otherwise the rechecks would wait for a DNS server that does not answer.
        () => lookup.close?.(),
      ]),
    () => thread.close(),
    // Once the outbox closes, an interrupted delivery has no outcome.
    () => runTogether([() => outbox.close(), () => capture.endDelays()]),
    () => relay?.close(),
    () => capture.close(),
    ...maintenance.map((task) => () => task.close()),
    () => store.close(),
  ])
}
