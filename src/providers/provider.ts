import type { Clock } from '../core/clock.ts'
import type { JobThread } from '../core/job-thread.ts'
import type { InnerDomains } from '../domains/domains.ts'
import type { Faults } from '../faults/faults.ts'
import type { Inbox, InboxPages } from '../inbox/methods.ts'
import type { Config } from '../options/options.ts'
import type { ServerState } from '../server/deps.ts'
import type { Face } from '../server/face.ts'
import type { Route } from '../server/route.ts'
import type { SendingService } from '../sending/service.ts'
import type { InnerSuppressions, Suppressions } from '../sending/suppressions.ts'
import type { Store } from '../store/store.ts'
import type { templateJobs } from '../templates/engines.ts'
import type { Templates } from '../templates/templates.ts'
import type { ServedWebhooks } from '../webhooks/service.ts'
import type { SentEmails } from './sent-emails.ts'
import type { ConfigurationSets } from './ses/configuration-sets.ts'
import type { translationJobs } from './translate.ts'

/** The parts of one account that the API of a provider uses. */
export interface ProviderParts {
  readonly sending: SendingService
  readonly sent: SentEmails
  readonly domains: InnerDomains
  readonly templates: Templates
  readonly suppressions: Suppressions & Pick<InnerSuppressions, 'has' | 'isEmpty'>
  readonly webhooks: ServedWebhooks
  /** Of SES alone. */
  readonly configurationSets: ConfigurationSets
  readonly inbox: Inbox & InboxPages
  readonly faults: Faults
  readonly config: Pick<Config, 'relay' | 'relayAll' | 'checks'>
  /** Changes of what is stored. */
  readonly store: Pick<Store, 'changes'>
  readonly clock: Clock
  readonly thread: JobThread<typeof translationJobs & typeof templateJobs>
  /** Where the data of the instance is, and whether it accepts mail. */
  state(): Promise<ServerState>
  /** Makes a random UUID. */
  newUuid(): string
}

/** The API of one provider: everything about it follows from this table and its face. */
export interface Provider {
  readonly face: Face
  /**
   * Loads its operations. They are the routes of the server, the OpenAPI document, and the tables of its page in `docs`.
   * Their schemas are half of all schemas, and few instances are asked for more than one provider.
   */
  load(): Promise<(parts: ProviderParts) => Route[]>
}
