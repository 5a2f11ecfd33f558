import type { Zone, ZoneRecords } from '../domains/zone.ts'
import type { CheckDestination } from '../net/outgoing.ts'
import type { DkimResult } from '../mime/types.ts'
import type { HtmlFacts } from './html-facts.ts'
import type { RawFacts } from './raw-facts.ts'
import type { Severity } from './types.ts'

/** The members of a mail that checks read. */
export interface CheckedMail {
  type: string
  source: 'api' | 'smtp'
  /** 0 for a message that is not written yet. */
  size_bytes: number
  /** Unix time in milliseconds; null if it is not known. */
  received: number | null
  envelope: { mail_from: string }
  subject: string
  html: string
  text: string
  headers: readonly (readonly [name: string, value: string])[]
  links: readonly { href: string; text: string }[]
  attachments: readonly { content_type: string; content_id: string | null }[]
  dkim: DkimResult | null
  list_unsubscribe: { urls: readonly string[]; one_click: boolean } | null
  problem: string | null
}

/** The input of a check. */
export interface CheckInput {
  mail: CheckedMail
  /** The facts from the HTML, read once for all checks. */
  html: HtmlFacts
  /** The keys of the mail clients that matter; null for all, and then none matters more. */
  clients: readonly string[] | null
  /** The DNS records that are known here, and the hosts that send the mail. */
  dns: { zone: Zone; sendingHosts: readonly string[] }
  /** The facts from the bytes of the message; null if they are not known. */
  raw: RawFacts | null
}

/** The knowledge that checks have beside the mail; it can be copied to a thread. */
export interface MailKnowledge extends ZoneRecords {
  /** IP addresses of the hosts that send the mail. */
  sendingHosts: readonly string[]
  raw: RawFacts | null
}

/**
 * Where a check found something: a header field, or an offset into the HTML or the text. Without an offset into the text
 * it is the first place that has the snippet.
 */
export type FoundPlace =
  | { header: string; snippet?: string }
  | { html: number; snippet?: string }
  | { text: number | null; snippet: string }

/** A problem that a check found. */
export interface Found {
  /** Default: the severity of the check's row. */
  severity?: Severity
  message: string
  place?: FoundPlace
  /** Default: that of the check's row. */
  fix?: string
  /** Default: that of the check's row. */
  link?: string
  clients?: { unsupported: string[]; partial: string[] }
}

/** The services that checks use. */
export interface CheckServices {
  /** Host and port of SpamAssassin's daemon; null without one. */
  spamd: string | null
  /** URL of rspamd; null without one. */
  rspamd: string | null
  /** Decides where services that the operator named may be. */
  serviceProblemOf: CheckDestination
  /** Decides which links may be requested. */
  liveProblemOf: CheckDestination
  /** The beginning of tracked links of this instance. */
  trackingUrl(): string
}

/** The input of a check that makes requests. */
export interface AskInput {
  mail: CheckedMail
  services: CheckServices
  /** Whether links are requested. */
  live: boolean
  /** The DNS records that are known here. */
  zone: Zone
  /** The facts from the HTML. */
  facts(): Promise<HtmlFacts>
  /** The message; null if it is not written yet, or has more than 1 MB. */
  raw(): Promise<Uint8Array | null>
  /** Ends the check: the caller has gone, or the time is up. */
  signal: AbortSignal
}

/** The result of a check: its findings, why it was skipped, or null if it does not apply to the mail. */
export type CheckResult = readonly Found[] | Measured | { skipped: string } | null

/** The findings of a check, with its measurements. */
export interface Measured {
  found: readonly Found[]
  /** In a sentence; shown also if it found nothing. */
  message: string
}

/** The description of a check in the table. */
interface CheckFacts {
  readonly id: string
  /** What a mail that passes has, as a sentence without its full stop. */
  readonly title: string
  /** What is wrong with a mail in which it finds something, in a few words. */
  readonly headline: string
  /** The worst severity of its findings. */
  readonly severity: Severity
  /** What it looks for and why that matters: one or two sentences, for docs/checks.md. */
  readonly about: string
  /** What to do about a finding. */
  readonly fix: string
  /** A page that explains it: a specification or a guide. */
  readonly link: string
}

/** A check that reads only the mail. */
export interface StaticCheck extends CheckFacts {
  run(subject: CheckInput): CheckResult
}

/** A check that makes requests; it runs only if it is configured or requested. */
export interface AskingCheck extends CheckFacts {
  /** @throws Error with the reason, as the end of a sentence, if there is no answer. */
  ask(asked: AskInput): Promise<CheckResult>
}

/** One check; see the table. */
export type CheckRow = StaticCheck | AskingCheck

/** A check of the table, with the heading under which reports show it. */
export type RegisteredCheck = CheckRow & {
  readonly group: 'Message' | 'Links and images' | 'Accessibility' | 'Deliverability' | 'Mail clients'
}
