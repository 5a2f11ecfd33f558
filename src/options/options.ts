import type { z } from 'zod'
import type { RuleInput } from '../rules/types.ts'
import { rulesInputSchema } from '../rules/schema.ts'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../core/clock.ts'
import type { Account } from '../domains/types.ts'
import { LocalpostError } from '../core/errors.ts'
import { wholeClock } from '../core/manual-clock.ts'
import { resolveLimits, type Limits } from './limits.ts'
import { checkOptions } from './option-checks.ts'
import { checkInput } from '../core/validate.ts'
import { defaultWaitTimeoutMs } from './wait-timeout.ts'
import { webhookOptionSchema } from '../webhooks/schema.ts'
import type { WebhookInput } from '../webhooks/types.ts'

/** Options of {@link createLocalpost}; every one may be left out. */
export interface LocalpostOptions {
  /** Data folder, made where it is missing. Default: none, everything stays in memory. */
  dir?: string
  /**
   * What an acknowledgement promises: `process`, a killed process loses nothing; `disk`, also waits for fdatasync.
   * Default: `process`. Without `dir` it has no effect.
   */
  durability?: 'process' | 'disk'
  /** Address that SMTP (and `listen`, unless told otherwise) binds. Default: `127.0.0.1`. */
  host?: string
  /** SMTP port; 0 takes a free one. Default: 0. */
  smtpPort?: number
  /** `required` refuses mail without AUTH PLAIN or LOGIN with an API key as password. Default: `optional`. */
  smtpAuth?: 'optional' | 'required'
  /** STARTTLS with a self-signed certificate made at the start, or with an own one in PEM. Default: off. */
  smtpTls?: boolean | { key: string; cert: string }
  /** API keys. Default: one is made at the first start and kept with the data. */
  apiKeys?: string[]
  /** Accepts any non-empty Bearer key. Default: false. */
  acceptAnyKey?: boolean
  /** Asks for an API key at `/dev` on loopback and in process too, as it does elsewhere. Default: false. */
  requireKey?: boolean
  /** Refuses what is otherwise warned of. Default: false. */
  strict?: boolean
  /**
   * Host names that the listener serves beside loopback names and its own address; who comes by one needs a key for
   * `/dev`. Default: none.
   */
  allowHosts?: string[]
  /**
   * Base of the tracking links, for other devices: `http://192.168.1.20:8025`. Its host is served as one of
   * `allowHosts`. Default: the listener's URL.
   */
  publicUrl?: string
  /** `smtp://` or `smtps://` URL of a real mail server, for release. Default: none. */
  relay?: string
  /**
   * Sends the relay's user and password without TLS too. Default: false, without TLS they go to loopback alone.
   */
  relayInsecureAuth?: boolean
  /** Forwards API sends through `relay` too. Default: false. */
  relayAll?: boolean
  /**
   * Where attachments, webhooks and the relay may lead although that is refused otherwise: `10.0.0.0/8`,
   * `10.1.2.3:8080`, `hooks.internal:9000`. An instance that other machines reach needs this for loopback and private
   * networks, every instance for ranges set aside for tests and documentation. Default: none.
   */
  allowOutgoing?: string[]
  /** Items per page of every list. Default: 50. */
  pageSize?: number
  /**
   * How long waits of the inbox, matchers and assertions wait for what should come, in milliseconds, unless they say it
   * themselves. Default: 3,000.
   */
  waitTimeoutMs?: number
  /** Escapes `& < > "` of variables in `html`. Default: false, as the service. */
  escapeHtml?: boolean
  /** Who `created_by` names. Default: `dev@localpost.test` without a name. */
  account?: Partial<Account>
  attachments?: {
    /** Folder whose files may be attached by path. Default: none may. */
    root?: string
    /**
     * Allows attachment URLs in private networks, where only this machine reaches the instance. Default: false.
     */
    allowPrivate?: boolean
    /** Limit of one attachment fetch, in milliseconds. Default: 10,000. */
    timeoutMs?: number
  }
  /**
   * Keeps this many emails: the oldest go a moment after more came, with their files, unless the outbox still works on
   * them. Default: all.
   */
  maxEmails?: number
  /** Keeps emails for this long, in milliseconds, likewise. Default: for good. */
  maxAgeMs?: number
  /** How much of a flood is held in memory at once. */
  limits?: Partial<Limits>
  /** Waits before a delivery that failed for now is tried again, in milliseconds. Default: `[1000, 2000, 4000]`. */
  retryDelaysMs?: number[]
  /**
   * Who is told of what happens to emails and domains, beside the webhooks that are stored. A secret that is not given
   * is made anew at each start. Default: nobody.
   */
  webhooks?: WebhookInput[]
  /**
   * Waits before an event that a webhook did not take is posted again, in milliseconds; after the last one it is given
   * up. Default: `[1000, 5000, 30_000, 120_000, 600_000]`.
   */
  webhookRetryDelaysMs?: number[]
  /**
   * What recipients' servers say; see {@link Rules}. They take the place of the stored rules at every start. Default:
   * the stored ones.
   */
  rules?: RuleInput[]
  /** Submissions hear what rules and simulator say, instead of events alone. Default: false. */
  rejectSubmissions?: boolean
  /** Refuses `/v1` requests over this many in a period with 429. Default: no limit. */
  rateLimit?: { requests: number; perMs: number }
  /** Values of the DNS records that a new domain receives, and where they are looked up. */
  dns?: {
    /** DNS servers for the verification of domains: `127.0.0.1:5300`. Default: those of the machine. */
    servers?: string[]
    /** Region in the MAIL FROM host. Default: `us-east-1`. */
    region?: string
    /** MX value. Default: `feedback-smtp.<region>.amazonses.com`. */
    feedbackHost?: string
    /** SPF include. Default: `amazonses.com`. */
    spfInclude?: string
    /** First label of the DKIM name. Default: `localpost`. */
    selector?: string
  }
  /**
   * Looks the domains whose verification was begun up in DNS at this interval, in milliseconds; what DNS says overrules
   * a state declared by hand. Default: never.
   */
  verifyIntervalMs?: number
  /** Name by which both SMTP sides introduce themselves. Default: `localhost`. */
  hostname?: string
  /**
   * Called with operational warnings and errors, such as a damaged log that was repaired or a fault behind a 500, and
   * with the warnings of the library's sends, each text once. Default: none.
   */
  onNotice?: (notice: Notice) => void
  /**
   * Whether the open ports keep the process alive, as servers do. With false a process may end although the instance
   * was not closed; only what is awaited holds it. Default: true; in the process of a test (vitest, Jest, node:test, or
   * one that imported `localpost/testing`) false.
   */
  keepAlive?: boolean
  /**
   * Time, for tests: `fixedClock('2026-01-01T00:00:00Z')` stands still until `post.clock.advance('72h')`. Waits for
   * mail and for servers go by the machine's clock all the same. Default: the machine's.
   */
  clock?: Clock
  /**
   * Makes chance repeatable, for tests: the same seed, a clock that stands and the same calls give the same ids, keys,
   * secrets and dice. Whoever knows the seed knows the secrets. DKIM keys stay different. Default: none.
   */
  seed?: string | number
}

/** Something an operator should know; no request waits for it. */
export interface Notice {
  level: 'warning' | 'error'
  message: string
  /** The fault behind it, where there is one. */
  error?: unknown
}

/** The options with every default filled in. */
export interface Config {
  dir: string | null
  durability: 'process' | 'disk'
  host: string
  smtpPort: number
  smtpAuth: 'optional' | 'required'
  smtpTls: boolean | { key: string; cert: string }
  apiKeys: string[]
  acceptAnyKey: boolean
  requireKey: boolean
  strict: boolean
  allowHosts: string[]
  publicUrl: string | null
  relay: string | null
  relayInsecureAuth: boolean
  relayAll: boolean
  allowOutgoing: string[]
  pageSize: number
  waitTimeoutMs: number
  escapeHtml: boolean
  account: Account
  attachments: { root: string | null; allowPrivate: boolean; timeoutMs: number }
  maxEmails: number | null
  maxAgeMs: number | null
  limits: Limits
  retryDelaysMs: number[]
  webhooks: WebhookInput[]
  webhookRetryDelaysMs: number[]
  rules: RuleInput[] | null
  rejectSubmissions: boolean
  rateLimit: { requests: number; perMs: number } | null
  dns: { servers: string[] | null; feedbackHost: string; spfInclude: string; selector: string }
  verifyIntervalMs: number | null
  hostname: string
  onNotice: (notice: Notice) => void
  keepAlive: boolean
  clock: Clock
  seed: string | number | null
}

/**
 * Fills in the defaults and refuses what cannot be meant.
 *
 * @param defaults  What depends on who asks.
 * @throws invalid_option for an unknown name (with the nearest real one) or a value of the wrong kind.
 */
export function resolveOptions(
  options: LocalpostOptions = {},
  defaults: { keepAlive: boolean } = { keepAlive: true },
): Config {
  checkOptions(options)
  const { attachments = {}, dns = {}, account = {} } = options
  return {
    dir: options.dir ?? null,
    durability: options.durability ?? 'process',
    host: options.host ?? '127.0.0.1',
    smtpPort: options.smtpPort ?? 0,
    smtpAuth: options.smtpAuth ?? 'optional',
    smtpTls: options.smtpTls ?? false,
    apiKeys: options.apiKeys ?? [],
    acceptAnyKey: options.acceptAnyKey ?? false,
    requireKey: options.requireKey ?? false,
    strict: options.strict ?? false,
    allowHosts: options.allowHosts ?? [],
    publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? null,
    relay: options.relay ?? null,
    relayInsecureAuth: options.relayInsecureAuth ?? false,
    relayAll: options.relayAll ?? false,
    allowOutgoing: options.allowOutgoing ?? [],
    pageSize: options.pageSize ?? 50,
    waitTimeoutMs: options.waitTimeoutMs ?? defaultWaitTimeoutMs,
    escapeHtml: options.escapeHtml ?? false,
    account: {
      email: account.email ?? 'dev@localpost.test',
      first_name: account.first_name ?? null,
      last_name: account.last_name ?? null,
      profile_picture: account.profile_picture ?? defaultPicture,
    },
    attachments: {
      root: attachments.root ?? null,
      allowPrivate: attachments.allowPrivate ?? false,
      timeoutMs: attachments.timeoutMs ?? 10_000,
    },
    maxEmails: options.maxEmails ?? null,
    maxAgeMs: options.maxAgeMs ?? null,
    limits: resolveLimits(options.limits),
    retryDelaysMs: options.retryDelaysMs ?? [1000, 2000, 4000],
    webhooks: readOption('webhooks', webhookOptionSchema, options.webhooks ?? []),
    webhookRetryDelaysMs: options.webhookRetryDelaysMs ?? [1000, 5000, 30_000, 120_000, 600_000],
    rules: options.rules === undefined ? null : readOption('rules', rulesInputSchema, options.rules),
    rejectSubmissions: options.rejectSubmissions ?? false,
    rateLimit: options.rateLimit ?? null,
    dns: {
      servers: dns.servers ?? null,
      feedbackHost: dns.feedbackHost ?? `feedback-smtp.${dns.region ?? 'us-east-1'}.amazonses.com`,
      spfInclude: dns.spfInclude ?? 'amazonses.com',
      selector: dns.selector ?? 'localpost',
    },
    verifyIntervalMs: options.verifyIntervalMs ?? null,
    hostname: options.hostname ?? 'localhost',
    onNotice: options.onNotice ?? (() => {}),
    keepAlive: options.keepAlive ?? defaults.keepAlive,
    clock: options.clock ? wholeClock(options.clock) : systemClock,
    seed: options.seed ?? null,
  }
}

function readOption<T>(name: string, schema: z.ZodType<T>, given: unknown): T {
  const read = checkInput(schema, given, [name])
  if ('value' in read) return read.value
  const [error] = read.errors
  throw new LocalpostError('invalid_option', `Option "${error?.field}" ${error?.message}.`)
}

// A grey disc: a picture URL that needs no network.
const defaultPicture =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 8 8%22%3E%3Ccircle cx=%224%22 cy=%224%22 r=%224%22 fill=%22%23889%22/%3E%3C/svg%3E'
