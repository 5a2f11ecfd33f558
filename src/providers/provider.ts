import type { Clock } from '../core/clock.ts'
import type { JobThread } from '../core/job-thread.ts'
import type { InnerDomains } from '../domains/domains.ts'
import type { Faults } from '../faults/faults.ts'
import type { Inbox, InboxPages } from '../inbox/methods.ts'
import type { Config } from '../options/options.ts'
import type { ServerState } from '../server/deps.ts'
import type { Face } from '../server/face.ts'
import type { Route } from '../server/route.ts'
import type { SendingService } from '../sending/sending.ts'
import type { Templates } from '../templates/templates.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { SentEmails } from './sent-emails.ts'
import type { translationJobs } from './translate.ts'

/** What the API of a provider is a translation of: the parts of one account. */
export interface ProviderParts {
  readonly sending: SendingService
  readonly sent: SentEmails
  readonly domains: InnerDomains
  readonly templates: Templates
  readonly webhooks: Webhooks
  readonly inbox: Inbox & InboxPages
  readonly faults: Faults
  readonly config: Pick<Config, 'relay' | 'checks'>
  readonly clock: Clock
  readonly thread: JobThread<typeof translationJobs>
  /** Where the data of the instance is, and whether it accepts mail. */
  state(): Promise<ServerState>
  /** Makes a random UUID. */
  newUuid(): string
}

/** The API of one provider: everything about it follows from this table. */
export interface Provider {
  /** Also the first segment of its paths if they are not its own, and the shape of its webhooks: `resend`. */
  readonly name: string
  readonly face: Face
  /** Its operations. They are the routes of the server, the OpenAPI document, and the tables of its page in `docs`. */
  routes(parts: ProviderParts): Route[]
  /** How an app is pointed here. */
  readonly connect: ProviderConnection
}

/** How an app that uses the SDK of a provider is pointed to Localpost; for the page and `docs/providers`. */
export interface ProviderConnection {
  /** Variables that the SDKs read: name to value, where `{url}` and `{key}` are those of the instance. */
  readonly variables: Readonly<Record<string, string>>
  /** A program in JavaScript that sends with the SDK, with the same placeholders. */
  readonly code: string
}
