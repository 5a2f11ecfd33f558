import type {
  BulkChanges,
  ListedMail,
  Mail,
  MailChanges,
  MailSummary,
  MimeTree,
  TagChanges,
  TagCount,
} from './types.ts'
import type { MissingMail } from './missing-types.ts'
import type { ReplyRequest } from './reply-types.ts'
import type { Readable } from 'node:stream'
import type { MimePart } from '../mime/part.ts'
import type { PageOptions } from '../reading/page.ts'
import type { ClientSupportOptions } from '../client-support/client-support.ts'
import type { PreviewClient } from '../client-support/preview-clients.ts'
import type { ClientSupport, MailPreview } from '../client-support/types.ts'
import type { MailCheckOptions } from '../checks/options.ts'
import type { CheckReport } from '../checks/types.ts'
import type { CompareOptions } from '../compare/compare.ts'
import type { MailComparison } from '../compare/types.ts'
import type { Bulk, BulkOptions, Selection } from './bulk.ts'
import type { MailRemovals } from './removals.ts'
import type { BulkRuns } from './bulk-runs.ts'
import type { CopyOptions, OpenAttachment, RawOptions, ReadOptions } from './read-options.ts'
import type { Missing, MissingQuery } from './missing.ts'
import type { NestedMails } from './nested.ts'
import type { Overview } from './overview.ts'
import type { OutsideAnswers } from './outside-answers.ts'
import type { MailEntry } from './views.ts'
import type { QuietOptions, WaitOptions } from './wait.ts'
import type { MailQuery } from '../search/query-members.ts'
import type { SearchPage, SearchQuery } from '../search/search-page.ts'

/**
 * Reads and manages all captured and sent mail, for people and tests. Where a method takes the option `signal`,
 * that ends its work, which then throws the signal's reason.
 */
export interface Inbox {
  /**
   * Newest first; `count` is the number of matches, or of items with `fold`.
   *
   * @throws invalid_query, invalid_cursor, validation_error.
   */
  list(query?: SearchQuery & { query?: string } & ReadOptions): Promise<SearchPage<ListedMail>>
  /** @throws not_found. */
  get(id: string): Promise<Mail>
  /** The bytes of the message, as a stream. @throws not_found, message_pending. */
  raw(id: string, options?: RawOptions): Promise<{ stream: Readable; size_bytes: number }>
  /**
   * The HTML, with `cid:` images replaced by `data:` URIs. For tracked mail it is a recipient's copy.
   *
   * @throws not_found.
   */
  html(id: string, options?: CopyOptions): Promise<string>
  /** One attachment's bytes. @throws not_found, message_pending. */
  attachment(
    id: string,
    index: number,
    options?: ReadOptions,
  ): Promise<{ filename: string; content_type: string; content: Buffer }>
  /** The same as a stream, which reads only as much as is consumed. @throws not_found, message_pending. */
  openAttachment(id: string, index: number, options?: ReadOptions): Promise<OpenAttachment>
  /** One leaf of the message's MIME tree, decoded, as a stream. @throws not_found, message_pending. */
  part(id: string, index: number, options?: ReadOptions): Promise<MimePart & { stream: Readable }>
  /**
   * Checks a mail for common problems; docs/checks.md lists the checks. Nothing is fetched.
   *
   * @param mail  A mail or its id.
   * @throws not_found, validation_error for an unknown check or mail client.
   */
  check(mail: string | Pick<Mail, 'id'>, options?: InboxCheckOptions): Promise<CheckReport>
  /**
   * How mail clients support the HTML and CSS of a mail, from the tables of Can I email; nothing is fetched.
   *
   * @throws not_found, validation_error.
   */
  clientSupport(id: string, options?: ClientSupportOptions): Promise<ClientSupport>
  /**
   * What a mail client keeps of the HTML of a mail, and what it ignores: an approximation from the tables of Can I
   * email and known rules of the client. Nothing is fetched.
   *
   * @param mail  A mail or its id.
   * @throws not_found, validation_error for a client without a preview.
   */
  preview(
    mail: string | Pick<Mail, 'id'>,
    options: { client: PreviewClient } & ReadOptions,
  ): Promise<MailPreview>
  /**
   * All tags, in lower case, with the number of their mails: the most frequent first, at most 1,000; then the other
   * tags with a set colour.
   */
  tags(): Promise<TagCount[]>
  /**
   * Sets the colour of a tag for everybody; null resets it to the one derived from its name. No mail needs to have the
   * tag. The last 1,000 tags with a set colour keep it.
   *
   * @param tag  In any case.
   * @throws validation_error for a text that cannot be a tag, and for an unknown colour.
   */
  updateTag(tag: string, changes: TagChanges): Promise<TagCount>
  /**
   * How a mail differs from another one: header fields, structure, text, formatted HTML and attachments.
   *
   * @param mail  A mail or its id.
   * @param other  Another one or its id, or `previous`: the last mail before it whose subject is the same but for numbers,
   *   dates and codes.
   * @throws not_found.
   */
  compare(
    mail: string | Pick<Mail, 'id'>,
    other: string | Pick<Mail, 'id'>,
    options?: CompareOptions,
  ): Promise<MailComparison>
  /** @throws not_found, validation_error. */
  update(id: string, changes: MailChanges): Promise<MailSummary>
  /** @throws not_found. */
  remove(id: string): Promise<void>
  /**
   * Removes the selected mails: the matches of a query, mails by their ids, or all mail for null. This runs in small
   * steps; if it is aborted, the other mails stay.
   *
   * @returns The number of removed mails.
   * @throws invalid_query, service_unavailable.
   */
  removeMatching(selection: Selection, options?: BulkOptions): Promise<number>
  /** Removes all mail. @returns The number of removed mails. */
  removeAll(): Promise<number>
  /** The newest mail, or the newest match; null if there is none. @throws invalid_query. */
  latest(query?: MailQuery): Promise<Mail | null>
  /**
   * A position in the inbox, after all mail that exists now. Pass it as `after` to queries and waits.
   *
   * @example
   * const before = await post.inbox.mark()
   * await signUp('ada@example.com')
   * const mail = await post.inbox.waitFor({ to: 'ada@example.com', after: before })
   */
  mark(): Promise<string>
  /**
   * Changes the selected mails: unread state and tags. This runs in small steps; if it is aborted, the other mails stay as
   * they are.
   *
   * @returns The number of mails that are as wanted now.
   * @throws invalid_query, validation_error, service_unavailable.
   */
  updateMatching(selection: Selection, changes: BulkChanges, options?: BulkOptions): Promise<number>
  /**
   * Stores one message (`.eml`) as if it had just been submitted. The envelope is read from its header.
   *
   * @throws validation_error, message_too_large.
   */
  import(bytes: Uint8Array): Promise<{ id: string }>
  /** The messages of the matches as `.eml` files in a ZIP archive, newest first. @throws invalid_query, validation_error. */
  export(query?: string): Promise<Readable>
  /**
   * The newest match that already exists, otherwise the next match to arrive. A mail has arrived when its first delivery
   * was tried, or when it has failed permanently.
   *
   * @param query  As the page searches, or by members. Default: any mail.
   * @throws wait_timeout with the mails that came closest, invalid_query, closed.
   * @example
   * const mail = await post.inbox.waitFor({ to: 'ada@example.com', subject: /welcome/i })
   */
  waitFor(query?: MailQuery, options?: WaitOptions): Promise<Mail>
  /**
   * Waits until there are `count` matches, and returns them, newest first.
   *
   * @throws wait_timeout with the number of matches so far, invalid_query, validation_error, closed.
   */
  waitForCount(query: MailQuery | undefined, count: number, options?: WaitOptions): Promise<Mail[]>
  /**
   * Resolves after a while, by default a second, if no match exists or arrives until then.
   *
   * @throws unexpected_mail as soon as there is a match, with the mail in the message; invalid_query, closed.
   */
  expectNone(query?: MailQuery, options?: QuietOptions): Promise<void>
  /**
   * Why there is no mail: what became of it, refused requests and SMTP sessions, rules, faults, the suppression list,
   * scheduled emails and, from the account `default`, the other accounts. The likeliest cause comes first.
   *
   * @throws invalid_query.
   * @example
   * const { causes } = await post.inbox.explainMissing({ to: 'ada@example.com' })
   * console.log(causes[0]?.message, causes[0]?.remedy)
   */
  explainMissing(query?: MissingQuery): Promise<MissingMail>
  /**
   * Answers a mail as its recipient, to Reply-To or From. Nothing is sent: the answer is stored as if it had been
   * submitted now, and belongs to the conversation of its mail.
   *
   * @param mail  A mail or its id.
   * @param options  An answer that is being stored when the signal is aborted is stored.
   * @returns The id of the answer.
   * @throws not_found, validation_error, invalid_attachment, message_too_large, message_pending, state_conflict for a
   *   mail without an address to answer to, or that was sent automatically.
   * @example
   * await post.inbox.reply(mail, { text: 'Thank you, that works.', quote: true })
   */
  reply(
    mail: string | Pick<Mail, 'id'>,
    request: ReplyRequest,
    options?: ReadOptions,
  ): Promise<{ id: string }>
  /** Sends a captured message to one real address through the relay. @throws relay_not_configured, relay_failed. */
  release(id: string, request: { to: string }): Promise<{ id: string; to: string; smtp_response: string }>
}

/** Options of `inbox.check()`. */
export interface InboxCheckOptions extends MailCheckOptions {
  /** Asks each link and image once whether it answers, and fetches the BIMI logo. Default: false. */
  live?: boolean | undefined
  /** Ends the checks. */
  signal?: AbortSignal | undefined
}

/** The methods that the inbox page needs in addition to the public inbox. */
export interface InboxPages {
  /** The same as `list`, with more of each header, for lists of other interfaces. Errors as for `list`. */
  entries(query?: Parameters<Inbox['list']>[0]): Promise<SearchPage<MailEntry>>
  /** One mail as `entries` has it. @throws not_found. */
  entry(id: string): Promise<MailEntry>
  /** How many mails there are and how many are unread, and the tags that they have. */
  overview(): Promise<Overview>
  /** The same as `get`, which takes one argument so that arrays of ids can be mapped by it. */
  read(id: string, options: ReadOptions): Promise<Mail>
  /** The HTML of a mail as UTF-8, for display in a frame: everything that would connect is removed. @throws not_found. */
  page(id: string, options: CopyOptions & Required<PageOptions>['frame']): Promise<Uint8Array>
  /** The MIME tree of a message. @throws not_found, message_pending, service_unavailable. */
  structure(id: string, options?: ReadOptions): Promise<MimeTree>
  /** Why there is no mail. The caller says whether it may see the other accounts. */
  readonly missing: Missing
  /** Messages that are attached to mails. */
  readonly nested: NestedMails
  /** What outside services say of a mail: the servers of its links, and a spam filter. */
  readonly outside: OutsideAnswers
  /** Removals that can be undone for a while. */
  readonly removals: Pick<MailRemovals, 'begin' | 'undo' | 'undoAll' | 'onChanged'>
  /** Changes of many mails, with their progress and a way to cancel them. */
  readonly bulk: Bulk & Pick<BulkRuns, 'list' | 'cancel' | 'onProgress'>
}
