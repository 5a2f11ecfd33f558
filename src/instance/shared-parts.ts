import type { ClientRefusal } from '../capture/options.ts'
import type { SendingKnowledge } from '../checks/knowledge.ts'
import { type Counts, createCounts } from '../core/counts.ts'
import { type RandomSource, createRandomSources } from '../core/random.ts'
import type { Tracer } from '../core/tracer.ts'
import { type DnsLookup, createDnsLookup } from '../domains/dns-lookup.ts'
import type { MissingSources } from '../inbox/missing.ts'
import { type Outgoing, createOutgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import { type Downloads, createDownloads } from '../outbox/downloads.ts'
import { type ReadingTurns, createReadingTurns } from '../reading/turns.ts'
import { type Following, createFollowing } from '../store/follow.ts'
import type { Activity } from './activity.ts'
import { type InstanceThread, createInstanceThread } from './jobs.ts'
import { systemClock } from '../core/clock.ts'
import type { Store } from '../store/store.ts'
import { openTelemetry } from '../telemetry/open-telemetry.ts'
import { openOtlp } from '../telemetry/otlp.ts'

/** What the accounts of an instance share. */
export interface SharedParts {
  randomSources: (purpose: string) => RandomSource
  outgoing: Outgoing
  sending: SendingKnowledge
  lookup: DnsLookup
  thread: InstanceThread
  /** null if no tracer takes spans. */
  tracer: Tracer | null
  /** Shared by all readers, so that only one large mail is in memory. */
  turns: ReadingTurns
  downloads: Downloads
  /** For the metrics of all accounts together. */
  counts: Counts
  /** For everything in memory that other instances may change too. */
  following: Following
  /**
   * Resolves when memory has everything that any instance had acknowledged before the call, so that what one instance has
   * acknowledged is known at all others; null if only this process uses the store.
   *
   * @throws service_unavailable if the store cannot be read.
   */
  upToDate: (() => Promise<void>) | null
  onActivity: SharedWays['onActivity']
  /** Called with each refusal to a client; undefined where that is of no interest. */
  onRefused: ((refusal: ClientRefusal) => void) | undefined
  onLongWork: SharedWays['onLongWork']
  /** The SMTP server that the outbox delivers to; known before the first delivery. */
  deliveries(): { readonly host: string; readonly port: number }
}

/** What is different for each account. */
export interface AccountSettings {
  config: Config
  /** The name of the account; null for `default`. */
  accountName: string | null
  /** Where the searchable text is kept between starts; null: in memory. */
  textFolder: string | null
  /** Finds mail in the other accounts; null for an account that may not see them. */
  foreignMail: MissingSources['foreignMail']
  /** The base of the tracking addresses, without a slash at its end. */
  baseUrl(): string
}

/** What an account is made of, besides its own store. */
export interface AccountParts extends SharedParts, AccountSettings {}

/** How an instance is started, as far as its accounts share that. */
export interface SharedWays {
  /** Called with each mail that is stored, except imported ones, and with each refusal to a client. */
  onActivity?: (activity: Activity) => void
  /** Called with true when work in the background has gone on for some time, and with false when that ends. */
  onLongWork?: (isRunning: boolean) => void
  /** Which spans are recorded without `otlpEndpoint`. Default: those that the tracer provider of the app takes, if it has one. */
  spans?: 'none'
  /** For long work; closed with the instance. Default: a new one. */
  thread?: InstanceThread
  /** The queues of reads. Default: new ones. */
  turns?: ReadingTurns
}

/**
 * @param deliveries  First called after the SMTP server is open.
 * @param undo  Gets what closes the parts, also if a later one cannot be made.
 */
export function createSharedParts(
  config: Config,
  sending: SendingKnowledge,
  stored: Pick<Store, 'isShared' | 'caughtUp'>,
  ways: SharedWays,
  deliveries: SharedParts['deliveries'],
  undo: (() => unknown)[],
): SharedParts {
  const { onActivity, onLongWork, thread = createInstanceThread() } = ways
  undo.push(() => thread.close())
  const tracer = openTracer(config, ways.spans)
  undo.push(() => tracer?.close?.())
  const following = createFollowing()
  return {
    deliveries,
    randomSources: createRandomSources(config.seed),
    outgoing: createOutgoing(config.allowOutgoing, [config.hostname, ...config.allowHosts]),
    sending,
    lookup: createDnsLookup(config.dns.servers ? { servers: config.dns.servers } : {}),
    tracer,
    thread,
    turns: ways.turns ?? createReadingTurns(systemClock),
    downloads: createDownloads(systemClock),
    counts: createCounts(),
    following,
    upToDate: stored.isShared ? () => stored.caughtUp().then(() => following.settled()) : null,
    onActivity,
    onRefused: onActivity && ((refusal) => onActivity({ kind: 'refusal', ...refusal })),
    onLongWork,
  }
}

function openTracer(
  { otlpEndpoint, onNotice }: Pick<Config, 'otlpEndpoint' | 'onNotice'>,
  spans: SharedWays['spans'],
): Tracer | null {
  if (otlpEndpoint !== null)
    return openOtlp(otlpEndpoint, { onWarning: (message) => onNotice({ level: 'warning', message }) })
  return spans === 'none' ? null : openTelemetry()
}
