import type { Accounts } from '../accounts/accounts.ts'
import type { Audiences } from '../audiences/audiences.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { Faults } from '../faults/faults.ts'
import type { Rules } from '../rules/rules.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import type { SmtpSession, SmtpSessionSummary } from '../inbox/smtp-session-types.ts'
import type { SmtpSessionQuery } from '../capture/session-log.ts'
import type { LoggedRequest } from '../server/types.ts'
import type { ResetScope } from '../options/reset-scopes.ts'
import type { ProviderName } from '../providers/names.ts'
import type { Domains } from '../domains/domains.ts'
import type { Emails } from '../emails/emails.ts'
import type { Simulation } from '../emails/simulate.ts'
import type { Inbox } from '../inbox/methods.ts'
import type { ListenOptions } from '../server/listener.ts'
import type { Snapshot } from './snapshots.ts'
import type { Templates } from '../templates/templates.ts'
import type { Suppressions } from '../sending/suppressions.ts'
import type { Sends } from './library-sends.ts'
import type { InstanceClock } from './time.ts'
import type { Webhooks } from '../webhooks/service.ts'

/** The last 1,000 requests to `/v1` and sends of the library, with the warnings of each. */
export interface Requests {
  /** Newest first. @throws invalid_cursor. */
  list(query?: ListQuery): Promise<ListPage<LoggedRequest>>
  clear(): Promise<void>
}

/**
 * The SMTP sessions of apps, refused ones too, with what went wrong and what to do: open ones, the last 500 without a
 * problem, the last 500 with one, and the last 50 in which the client sent nothing.
 */
export interface SmtpSessions {
  /** Newest first. @throws invalid_cursor. */
  list(query?: SmtpSessionQuery): Promise<ListPage<SmtpSessionSummary>>
  /** With its transcript. @throws not_found. */
  get(id: string): Promise<SmtpSession>
  clear(): Promise<void>
}

/** The API of one account: the same as for `default`, and isolated from other accounts. */
export interface AccountResources {
  readonly emails: Pick<Emails, 'send' | 'list' | 'get'> & Simulation
  /** Sends with every member that the core knows, several at once, and emails that are sent later. */
  readonly sending: Sends
  /** The addresses that get no mail. */
  readonly suppressions: Suppressions
  readonly domains: Domains
  readonly audiences: Audiences
  readonly broadcasts: Broadcasts
  readonly templates: Templates
  readonly inbox: Inbox
  /** Rules for the replies of recipients' servers. */
  readonly rules: Rules
  /** Injected failures between apps and this instance. */
  readonly faults: Faults
  readonly webhooks: Webhooks
  readonly requests: Requests
  readonly smtpSessions: SmtpSessions
}

/** A running Localpost; see `createLocalpost`. Its members are for the account `default`; see {@link Localpost.account}. */
export interface Localpost extends AccountResources {
  /** The isolated accounts of this instance. */
  readonly accounts: Accounts
  /**
   * The same members for another account. Methods reject with not_found if there is no such account.
   *
   * @example
   * const { name } = await post.accounts.create()
   * const mine = post.account(name)
   * await mine.inbox.waitFor({ to: 'ada@example.com' })
   */
  account(name: string): AccountResources
  /** The default timeout of waits, matchers and assertions in milliseconds: the option of that name. */
  readonly waitTimeoutMs: number
  /** The first API key: given, or made at the first start. */
  readonly apiKey: string
  /**
   * Where mail is submitted; fits `nodemailer.createTransport(post.smtp)`. With `smtpTls: true`, `tls.ca` is the CA to
   * trust, in PEM.
   */
  readonly smtp: { readonly host: string; readonly port: number; readonly tls?: { readonly ca: string } }
  /** The same with TLS from the first byte; null without the option `smtpsPort`. */
  readonly smtps: {
    readonly host: string
    readonly port: number
    readonly secure: true
    readonly tls?: { readonly ca: string }
  } | null
  /** Base URL of the listener; null before `listen`. */
  readonly url: string | null
  /** The APIs of providers: the URL that their SDKs take as base, null before `listen`. The key is {@link Localpost.apiKey}. */
  readonly providers: { readonly [Name in ProviderName]: { readonly url: string | null } }
  /** The HTTP interface in process, without a listener. Rejects only if an injected fault breaks the connection. */
  fetch(request: Request): Promise<Response>
  /**
   * Serves the same over a socket.
   *
   * @throws already_listening, port_in_use, listen_failed, closed.
   */
  listen(options?: ListenOptions): Promise<{ url: string; port: number }>
  /**
   * Removes everything of the account `default` except the keys and what `keep` names; also the request log. Faults are
   * removed, and the rules are again those of the options.
   */
  reset(options?: { keep?: ResetScope[] }): Promise<void>
  /** Its clock; `advance` works only if it was created with a fixed one. */
  readonly clock: InstanceClock
  /**
   * Takes a snapshot: every record with its bytes, rules and faults. Running deliveries are finished first. The
   * snapshot shares the data, so it costs little. API keys, the signing key, tracking addresses, sign-ins to the page, the
   * logs of requests and SMTP sessions, and other accounts are not part of it.
   *
   * @throws snapshot_not_possible if the data is in a `dir`; closed.
   * @example
   * const prepared = await post.snapshot()      // once, after the set-up that all tests share
   * afterEach(() => post.restore(prepared))     // each test begins with it
   */
  snapshot(): Promise<Snapshot>
  /**
   * Restores a snapshot, any number of times: later records are removed, and their ids are not used again. Running
   * deliveries are finished first; pending ones continue. Waits for mail continue.
   *
   * @throws snapshot_not_possible for what is no snapshot of this instance; closed.
   */
  restore(snapshot: Snapshot): Promise<void>
  /** Finishes acknowledged work, and closes the listeners and the store. A second call returns the promise of the first. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
