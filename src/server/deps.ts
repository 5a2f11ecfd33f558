import type { Accounts } from '../accounts/accounts.ts'
import type { Audiences } from '../audiences/audiences.ts'
import type { InnerContacts } from '../audiences/contacts.ts'
import type { InnerBroadcasts } from '../broadcasts/broadcasts.ts'
import type { Clock } from '../core/clock.ts'
import type { Tally } from '../core/counts.ts'
import type { JobQueue } from '../core/job-queue.ts'
import type { JobThread } from '../core/job-thread.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import type { InnerDomains } from '../domains/domains.ts'
import type { EmailService } from '../emails/emails.ts'
import type { Simulation } from '../emails/simulate.ts'
import type { ArmedFaults } from '../faults/faults.ts'
import type { Inbox, InboxPages } from '../inbox/methods.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import type { Keys } from '../keys/keys.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import type { Config } from '../options/options.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import type { Rules } from '../rules/rules.ts'
import type { SendingService } from '../sending/service.ts'
import type { Suppressions } from '../sending/suppressions.ts'
import type { Store } from '../store/store.ts'
import type { InstanceFacts } from '../telemetry/metrics.ts'
import type { templateJobs } from '../templates/engines.ts'
import type { Templates } from '../templates/templates.ts'
import type { Tracking } from '../tracking/tracking.ts'
import type { StoredSessions } from '../users/sessions.ts'
import type { Users } from '../users/users.ts'
import type { ServedWebhooks } from '../webhooks/service.ts'
import type { LaterFaces } from './faces.ts'
import type { HttpListener } from './listener.ts'
import type { bodyJobs } from './long-bodies.ts'
import type { OtherAccounts } from './pass-to-account.ts'
import type { RequestLimits } from './request-limits.ts'
import type { RequestLog } from './request-log.ts'
import type { Route } from './route.ts'
import type { Health } from './schema.ts'

/** The parts of one account that its HTTP interface needs; `instance` provides them. */
export interface AccountDeps {
  readonly emails: EmailService & Simulation
  readonly sending: SendingService
  readonly suppressions: Suppressions
  readonly domains: InnerDomains
  readonly audiences: Audiences & { readonly contacts: InnerContacts }
  readonly templates: Templates
  readonly broadcasts: InnerBroadcasts
  readonly inbox: Inbox & InboxPages
  readonly rules: Rules
  readonly faults: ArmedFaults
  readonly webhooks: ServedWebhooks
  readonly keys: Keys
  /** The accounts that callers of this one see. */
  readonly accounts: Accounts
  readonly tracking: Pick<Tracking, 'open' | 'click' | 'unsubscribe' | 'consentTo' | 'isConsentTo'>
  readonly store: Store
  readonly log: RequestLog
  readonly smtpSessions: LoggedSessions
  /** The queue of requests with long bodies. */
  readonly large: JobQueue
  /** The thread in which long bodies are parsed, and long templates rendered. */
  readonly thread: JobThread<typeof bodyJobs & typeof templateJobs>
  /** Empties what `keep` does not name. */
  reset(keep: readonly ResetScope[]): Promise<void>
}

/** The dependencies of the HTTP interface of one account. What is not of the account is of its instance. */
export interface ServerDeps extends AccountDeps, SignInDeps, SurfaceDeps {
  readonly clock: Clock
  readonly config: Config
  /** For the interface of `default`, which is that of the whole instance too; null for that of another account. */
  readonly instance: InstanceDeps | null
  /** One object for the interfaces of all accounts. */
  readonly limits: RequestLimits
  /** Waits until the changes of other instances are in memory; null if the store is not shared. */
  readonly upToDate: (() => Promise<void>) | null
  /** The CA of the certificate that Localpost made for SMTP, in PEM; null without one. */
  readonly ca: string | null
  /** Counts the answers, by method, route and status. */
  readonly requests: Tally
  /** Facts for `/dev/health` that the server does not have. */
  state(): Promise<ServerState>
  /** Called with every internal error; the client got a 500 without details. */
  onError(error: unknown): void
}

/** What the interface of `default` does for all accounts. */
export interface InstanceDeps {
  readonly otherAccounts: OtherAccounts
  /**
   * The facts of the metrics about all accounts together.
   *
   * @param isAway  Whether the database does not answer, so that nothing is asked of it.
   */
  facts(isAway: boolean): Promise<InstanceFacts>
}

/** How people sign in to the page. */
interface SignInDeps {
  /** The users with passwords; null if the instance has none. */
  readonly users: Users | null
  /** Sign-in with an OpenID provider; null without one. */
  readonly oidc: OidcSignIn | null
  readonly sessions: StoredSessions
}

/** Where the interface is reached, and what it has besides the own routes. */
interface SurfaceDeps {
  /** The open listener; null in process, and until it is open. */
  listener(): HttpListener | null
  /** Folder of the built page: `index.html`, `favicon.svg`, `assets/`. */
  readonly uiDir: string
  /** The APIs of providers. Default: none. */
  readonly faces?: LaterFaces
  /** Further rows, with this account behind them. Default: none. */
  readonly furtherRoutes?: readonly Route[]
}

/** The SMTP sessions of apps. The methods return promises if instances share a store. */
export interface LoggedSessions {
  /** Calls back with each session that ends. @returns A function that ends this. */
  onEnded(listener: (session: () => SmtpSessionSummary) => void, isWanted: () => boolean): () => void
  list(query?: ListQuery & { failed?: boolean }): Promise<ListPage<SmtpSessionSummary>>
  get(id: string): Promise<SmtpSession>
}

/** State of the instance for `/dev/health`. `ok` only while SMTP accepts connections, and HTTP too if it has a listener. */
export interface ServerState extends Pick<
  Health,
  'status' | 'store' | 'database' | 'smtp' | 'smtps' | 'ca' | 'warnings'
> {
  /** Why new mail is refused, for callers who may not read the warnings; only with the status `refusing`. */
  readonly refusal?: 'disk_full' | 'database_away' | 'store_failed' | undefined
}
