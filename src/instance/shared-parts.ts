import type { SendingKnowledge } from '../checks/knowledge.ts'
import type { Counts } from '../core/counts.ts'
import type { RandomSource } from '../core/random.ts'
import type { Tracer } from '../core/tracer.ts'
import type { DnsLookup } from '../domains/dns-lookup.ts'
import type { MissingSources } from '../inbox/missing.ts'
import type { Outgoing } from '../net/outgoing.ts'
import type { Config } from '../options/options.ts'
import type { Downloads } from '../outbox/downloads.ts'
import type { ReadingTurns } from '../reading/turns.ts'
import type { Following } from '../store/follow.ts'
import type { Activity } from './activity.ts'
import type { InstanceThread } from './jobs.ts'
import type { UpToDate } from './up-to-date.ts'

/**
 * What an account is made of, besides its own store: the parts that the accounts of an instance share, and then those of the
 * account `default`, which `account-opener.ts` replaces for each further account.
 */
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
  /** null without other instances. */
  upToDate: UpToDate | null
  /** Called with each mail that is stored, except imported ones, and each refusal. Default: not called. */
  onActivity?: ((activity: Activity) => void) | undefined
  /** Called with true when work in the background has gone on for some time, and with false when that ends. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
  /** The SMTP server that the outbox delivers to; known before the first delivery. */
  deliveries(): { readonly host: string; readonly port: number }

  // Different for each account.
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
