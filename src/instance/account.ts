import type { RandomSource } from '../core/random.ts'
import type { Tracer } from '../core/tracer.ts'
import { runAll, runTogether } from '../core/run-all.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { createInbox } from '../inbox/inbox.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Transport } from '../outbox/transport.ts'
import type { Schedule } from '../sending/schedule.ts'
import type { InnerSuppressions } from '../sending/suppressions.ts'
import type { ConfigurationSets } from '../providers/ses/configuration-sets.ts'
import type { Reader } from '../reading/reader.ts'
import type { AccountDeps } from '../server/deps.ts'
import type { TemplatesForSending } from '../templates/templates.ts'
import type { Tracking } from '../tracking/tracking.ts'
import type { RunningWebhooks } from '../webhooks/service.ts'
import type { AccountMemory } from './account-memory.ts'
import type { createLibrarySends } from './library-sends.ts'
import type { InstanceThread } from './jobs.ts'

/**
 * The data of one account, and everything that reads and changes it: what the HTTP server needs, and the parts that only the
 * instance uses. Other accounts cannot reach any of it.
 */
export interface OpenAccount
  extends Omit<AccountDeps, 'keys' | 'accounts' | keyof AccountMemory>, Omit<AccountMemory, 'randomSources'> {
  templates: TemplatesForSending
  suppressions: InnerSuppressions
  schedule: Schedule
  /** How the library sends: logged, and with warnings. */
  library: ReturnType<typeof createLibrarySends>
  inbox: ReturnType<typeof createInbox>
  tracking: Tracking
  webhooks: RunningWebhooks
  configurationSets: ConfigurationSets
  relay: Transport | null
  outbox: Outbox
  /** Tasks in the background, which a close ends after the outbox. */
  maintenance: readonly { idle(): Promise<void>; close(): Promise<void> }[]
  thread: InstanceThread
  tracer: Tracer | null
  /** Called with each email that an app sent; undefined where that is of no interest. */
  onStored: ((email: EmailRecord, durationMs?: number) => void) | undefined
  accountName: string | null
  /** The password of the outbox at the SMTP server of its own instance. */
  secret: string
  reader: Pick<Reader, 'bodies' | 'content'>
  /** Where the ids of the APIs of providers come from. */
  providerRandom: RandomSource
  /** Begins to deliver. Has no effect if it has begun. */
  deliver(): void
  /** Has the outbox look for due emails, if it delivers. */
  wakeOutbox(): void
}

/** Ends an account: first all waits, then running work. The outbox ends while the SMTP server still accepts its deliveries. */
export function closeAccount(account: OpenAccount): Promise<void> {
  const { inbox, webhooks } = account
  return runAll([() => runTogether([() => inbox.close(), () => webhooks.close()]), () => endWork(account)])
}

/** Ends what runs in the background; also used if the start fails. */
export function endWork({
  outbox,
  relay,
  maintenance,
}: Pick<OpenAccount, 'outbox' | 'relay' | 'maintenance'>): Promise<void> {
  return runAll([
    () => outbox.close(),
    () => relay?.close(),
    ...maintenance.map((task) => () => task.close()),
  ])
}
