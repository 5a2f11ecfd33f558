import type {
  BulkChanges,
  Mail,
  MailChanges,
  MailSummary,
  MimeTree,
  TagCount,
  TranscriptLine,
} from './types.ts'
import { paced } from '../core/yield.ts'
import type { Readable } from 'node:stream'
import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import { emailCollection, messageBlob, type EmailRecord } from '../emails/email.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { MimePart } from '../mime/part.ts'
import type { PageOptions } from '../reading/page.ts'
import type { Reader } from '../reading/reader.ts'
import { changeRecord, readRecord } from '../store/repository.ts'
import { remove, type Store } from '../store/store.ts'
import { clientSupport, type ClientSupportOptions } from '../client-support/client-support.ts'
import type { ClientSupport } from '../client-support/types.ts'
import { assertCheckOptions, type MailCheckOptions } from '../checks/options.ts'
import type { SendingKnowledge } from '../checks/knowledge.ts'
import { rawFactSteps } from '../checks/raw-facts.ts'
import type { CheckServices, MailKnowledge } from '../checks/subject.ts'
import { zoneOf } from '../domains/names.ts'
import type { OwnRecords } from './own-records.ts'
import { createMailChecks } from '../checks/thread.ts'
import type { CheckReport } from '../checks/types.ts'
import { createCompare } from './compare.ts'
import type { CompareOptions } from '../compare/compare.ts'
import type { MailComparison } from '../compare/types.ts'
import { createDetails } from './detail.ts'
import { startIndexer } from '../search/indexer.ts'
import { createDigests } from '../search/digests.ts'
import { createMessageFields } from '../search/message-fields.ts'
import { assertExportable, zipMessages } from './export.ts'
import { importMessage, type Submit } from './import.ts'
import { createBulk, type Bulk, type BulkOptions, type Selection } from './bulk.ts'
import { createBulkRuns, type BulkRuns } from './bulk-runs.ts'
import {
  createMessageStreams,
  type CopyOptions,
  type OpenAttachment,
  type RawOptions,
} from './message-streams.ts'
import { createNestedMails, type NestedMails } from './nested.ts'
import { releaseMail, type Relay } from './release.ts'
import type { QuietOptions, WaitOptions } from './wait.ts'
import { createPending } from './pending.ts'
import { parseMailQuery } from '../search/query.ts'
import type { MailQuery } from '../search/query-members.ts'
import { createHeads, type HeadsDeps } from '../search/heads.ts'
import { createSearch, type SearchPage, type SearchQuery } from '../search/search.ts'
import type { TextColumn } from '../search/text-column.ts'
import { checkChanges } from './tags.ts'
import { toSummary } from './views.ts'
import { createWaits } from './wait.ts'

/** Reads and manages all captured and sent mail, for people and tests. */
export interface Inbox {
  /**
   * Newest first; `count` is the number of matches.
   *
   * @throws invalid_query, invalid_cursor, validation_error.
   */
  list(query?: SearchQuery & { query?: string }): Promise<SearchPage<MailSummary>>
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
  attachment(id: string, index: number): Promise<{ filename: string; content_type: string; content: Buffer }>
  /** The same as a stream, which reads only as much as is consumed. @throws not_found, message_pending. */
  openAttachment(id: string, index: number): Promise<OpenAttachment>
  /** One leaf of the message's MIME tree, decoded, as a stream. @throws not_found, message_pending. */
  part(id: string, index: number): Promise<MimePart & { stream: Readable }>
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
  /** All tags, in lower case, with the number of their mails: the most frequent first, at most 1,000. */
  tags(): Promise<TagCount[]>
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
  /** See {@link Waits.waitFor}. @throws wait_timeout, invalid_query, closed. */
  waitFor(query?: MailQuery, options?: WaitOptions): Promise<Mail>
  /** See {@link Waits.waitForCount}. @throws wait_timeout, invalid_query, validation_error, closed. */
  waitForCount(query: MailQuery | undefined, count: number, options?: WaitOptions): Promise<Mail[]>
  /** See {@link Waits.expectNone}. @throws unexpected_mail, invalid_query, closed. */
  expectNone(query?: MailQuery, options?: QuietOptions): Promise<void>
  /** Sends a captured message to one real address through the relay. @throws relay_not_configured, relay_failed. */
  release(id: string, request: { to: string }): Promise<{ id: string; to: string; smtp_response: string }>
}

/** Options of `inbox.check()`. */
export interface InboxCheckOptions extends MailCheckOptions {
  /** Asks each link and image once whether it answers. Default: false. */
  live?: boolean | undefined
  /** Ends the checks. */
  signal?: AbortSignal | undefined
}

export interface InboxDeps {
  store: Store
  /** Closed with the inbox. */
  reader: Reader
  clock: Clock
  ids: Ids
  /** The instance's time, for relative dates in queries. */
  now(): number
  /** Closed with the inbox. */
  column: TextColumn
  /** The column of subjects and addresses; closed with the inbox. */
  heads: Pick<HeadsDeps, 'open' | 'isKept'>
  pageSize: number
  /** The option of that name. Default: all checks, and all mail clients. */
  checks?: MailCheckOptions
  /** What the options say of how mail will be sent. Default: nothing. */
  sending?: SendingKnowledge
  /** Default: no records. */
  recordsOf?: OwnRecords
  /** The programs that checks ask. Default: none. */
  services?: CheckServices
  /** The option of that name. */
  waitTimeoutMs: number
  /** Stores imported messages. */
  submit: Submit
  /** Sends one message to the relay and returns its reply; null if no relay is configured. */
  release: Relay | null
  /** The SMTP transcript of a submission; null if it is not kept. Default: no transcripts. */
  transcriptOf?(id: string, sizeBytes: number): TranscriptLine[] | null
}

/** What the inbox page needs in addition to the public inbox. */
export interface InboxPages {
  /** The HTML of a mail as UTF-8, for display in a frame: everything that would connect is removed. @throws not_found. */
  page(id: string, options: CopyOptions & Required<PageOptions>['frame']): Promise<Uint8Array>
  /** The MIME tree of a message. @throws not_found, message_pending, service_unavailable. */
  structure(id: string): Promise<MimeTree>
  /** Messages that are attached to mails. */
  readonly nested: NestedMails
  /** Changes of many mails, with their progress and a way to cancel them. */
  readonly bulk: Bulk & Pick<BulkRuns, 'list' | 'cancel' | 'onProgress'>
}

/** Longer messages are not given to spam filters, which read only the beginning. */
const maxAskedBytes = 1024 * 1024

/** How many tags are listed. */
const mostTags = 1000

function idOf(mail: string | Pick<Mail, 'id'>): string {
  return typeof mail === 'string' ? mail : mail.id
}

/** Sorts before the id of every mail. */
const beforeAll = `em_${'0'.repeat(22)}`

export function createInbox(deps: InboxDeps): Inbox & InboxPages & { close(): Promise<void> } {
  const { store, reader, clock, now, column, pageSize } = deps
  const digests = createDigests(deps)
  const heads = createHeads({ store, open: deps.heads.open, isKept: deps.heads.isKept })
  const indexer = startIndexer({ store, clock, digests, column, heads })
  const search = createSearch({
    store,
    digests,
    indexer,
    column,
    heads,
    fieldsOf: createMessageFields({ reader }),
    pageSize,
  })
  const pending = createPending()
  const checks = createMailChecks(clock, { services: deps.services })
  const waits = createWaits({ store, clock, search, now, defaultTimeoutMs: deps.waitTimeoutMs })
  const runs = createBulkRuns(deps.ids)
  const bulk = createBulk({ store, search, runs, now })
  const find = (id: string): Promise<EmailRecord> => readRecord(store, emailCollection, id, 'mail')
  const toDetail = createDetails({ ...deps, digests })
  const compare = createCompare({ store, find, toDetail })
  const streams = createMessageStreams({ store, reader, find })
  async function rawOf({ id, message }: EmailRecord): Promise<Buffer | null> {
    if (!message || message.size_bytes > maxAskedBytes) return null
    // The bytes are the reader's own.
    return reader.bytes(messageBlob(id), async (bytes) => Buffer.from(bytes))
  }

  async function knowledgeOf(email: EmailRecord, mail: Mail): Promise<MailKnowledge> {
    const { records = [], complete = [], sendingHosts = [] } = deps.sending ?? {}
    const own = (await deps.recordsOf?.(mail)) ?? []
    // The zone file says what is published.
    const others = own.filter(({ name }) => !complete.includes(zoneOf(name) ?? name))
    const raw =
      email.message && (await reader.bytes(messageBlob(email.id), (bytes) => paced(rawFactSteps(bytes))))
    return { records: [...records, ...others], complete, sendingHosts, raw }
  }

  return {
    async list(query) {
      assertKnownOptions(query, ['cursor', 'offset', 'limit', 'query'], 'inbox.list()')
      const { query: text, ...wanted } = query ?? {}
      const page = await search.list(parseMailQuery(text, now()), wanted)
      // One after the other, so that a page of large submissions is not parsed at once.
      const items: MailSummary[] = []
      for (const email of page.items) items.push(toSummary(email, await digests.of(email)))
      return { ...page, items }
    },
    async get(id) {
      return toDetail(await find(id))
    },
    raw: streams.raw,
    async html(id, options) {
      assertKnownOptions(options, ['recipient'], 'inbox.html()')
      return Buffer.from(await streams.page(id, options, {})).toString()
    },
    page: (id, { recipient, ...frame }) =>
      streams.page(id, recipient === undefined ? {} : { recipient }, { frame }),
    async attachment(id, index) {
      const { stream, ...attachment } = await streams.attachment(id, index)
      return { ...attachment, content: Buffer.concat(await stream.toArray()) }
    },
    openAttachment: streams.attachment,
    part: streams.part,
    async check(mail, options) {
      assertCheckOptions(options, 'inbox.check()', 'validation_error', ['live', 'signal'])
      const { except = deps.checks?.except, clients = deps.checks?.clients, live, signal } = options ?? {}
      const id = typeof mail === 'string' ? mail : mail.id
      const email = await find(id)
      const detail = await toDetail(email)
      const knowledge = await knowledgeOf(email, detail)
      return checks.check(detail, { except, clients }, { raw: () => rawOf(email), live, signal, knowledge })
    },
    async clientSupport(id, options) {
      assertKnownOptions(options, ['shares'], 'inbox.clientSupport()')
      return clientSupport(await toDetail(await find(id)), options)
    },
    async tags() {
      const counts = await store.tally(emailCollection, 'tag')
      return [...counts]
        .map(([tag, count]) => ({ tag, count }))
        .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
        .slice(0, mostTags)
    },
    compare: (mail, other, options) => compare(idOf(mail), idOf(other), options),
    async update(id, changes) {
      checkChanges(changes, ['unread', 'tags'])
      const { unread, tags } = changes
      const email = await changeRecord(store, emailCollection, id, 'mail', (stored) => ({
        ...stored,
        unread: unread ?? stored.unread,
        tags: tags ? [...new Set(tags)] : stored.tags,
      }))
      return toSummary(email, await digests.of(email))
    },
    async remove(id) {
      await find(id)
      await store.commit([remove(emailCollection, id)])
    },
    structure: streams.structure,
    nested: createNestedMails({ reader, find }),
    bulk: { ...bulk, list: runs.list, cancel: runs.cancel, onProgress: runs.onProgress },
    removeMatching: async (selection, options) => (await bulk.remove(selection, options)).count,
    removeAll: async () => (await bulk.remove(null)).count,
    async latest(query) {
      for await (const email of search.matches(parseMailQuery(query, now()))) return toDetail(email)
      return null
    },
    async mark() {
      const { records } = await store.page(emailCollection, { direction: 'desc', limit: 1 })
      return records[0]?.id ?? beforeAll
    },
    updateMatching: async (selection, changes, options) =>
      (await bulk.change(selection, changes, options)).count,
    waitFor: (query, options) => pending.add(async () => toDetail(await waits.waitFor(query, options))),
    waitForCount: (query, count, options) =>
      pending.add(async () => {
        const mails: Mail[] = []
        // One after the other, so that many large messages are not parsed at once.
        for (const email of await waits.waitForCount(query, count, options)) mails.push(await toDetail(email))
        return mails
      }),
    expectNone: (query, options) => pending.add(() => waits.expectNone(query, options)),
    import: (bytes) => importMessage(bytes, deps.submit),
    async export(query) {
      const filter = parseMailQuery(query, now())
      assertExportable((await search.list(filter, { limit: 1 })).count)
      return zipMessages(search.matches(filter, { complete: true }), store)
    },
    release: (id, request) => releaseMail({ relay: deps.release, find, open: streams.whole }, id, request),
    async close() {
      pending.quiet()
      waits.close()
      await runs.close()
      const isWhole = await indexer.close()
      await heads.close()
      await reader.close()
      await checks.close()
      await column.close(isWhole)
    },
  }
}
