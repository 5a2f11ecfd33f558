import type { ListedMail, Mail, TranscriptLine } from './types.ts'
import type { Counts } from '../core/counts.ts'
import type { Ids } from '../core/ids.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { assertRemovesAll, assertKnownOptions } from '../core/known-options.ts'
import type { headerJobs } from '../emails/header-facts.ts'
import { changeRecord, readRecord } from '../store/repository.ts'
import { remove, type Store } from '../store/store.ts'
import type { clientSupportJobs } from '../client-support/jobs.ts'
import { previewedClient } from '../client-support/preview-clients.ts'
import type { compareJobs } from '../compare/compare.ts'
import type { JobThread } from '../core/job-thread.ts'
import { createCompare } from './compare.ts'
import { createDetails } from './detail.ts'
import { type Columns, openSearchIndex } from '../search/search-index.ts'
import type { Digest } from '../reading/digest.ts'
import { createDigests } from '../search/digests.ts'
import type { FoldedGroup } from '../search/folded.ts'
import type { SearchPage } from '../search/search-page.ts'
import { createMissing, likelyCauses, type MissingSources } from './missing.ts'
import { createMessageFields } from '../search/message-fields.ts'
import { assertExportable, zipMessages } from './export.ts'
import { importMessage, type Submit } from './import.ts'
import { createBulk } from './bulk.ts'
import type { BulkBoard } from './bulk-board.ts'
import { createBulkRuns } from './bulk-runs.ts'
import { createMessageStreams } from './message-streams.ts'
import { createOverview } from './overview.ts'
import { createNestedMails } from './nested.ts'
import { createOutsideAnswers } from './outside-answers.ts'
import { createRemovals } from './removals.ts'
import { releaseMail, type Relay } from './release.ts'
import type { answerJobs } from './answered.ts'
import { replyToMail, type ReplyDeps } from './reply.ts'
import { parseMailQuery } from '../search/query.ts'
import { hiding } from '../search/search.ts'
import { createTags } from './tag-colors.ts'
import { checkChanges } from './tags.ts'
import { toEntry, toListedBroadcast, toSummary } from './views.ts'
import { createWaits } from './wait.ts'
import type { Inbox, InboxPages } from './methods.ts'
import type { checkJobs } from '../checks/run.ts'
import { createInboxCheck, type InboxChecksDeps } from './checks.ts'
import type { Reader } from '../reading/reader.ts'
import { createSearch } from '../search/mail-search.ts'

type InboxJobs = typeof answerJobs &
  typeof checkJobs &
  typeof clientSupportJobs &
  typeof compareJobs &
  typeof headerJobs

export interface InboxDeps extends InboxChecksDeps, Pick<ReplyDeps, 'compose'> {
  store: Store
  reader: Reader
  /** For long work on mails. */
  thread: JobThread<InboxJobs>
  ids: Ids
  /** The instance's time, for relative dates in queries. */
  now(): number
  /** For searches, closed with the inbox; null if the store keeps the text of mail. */
  columns: Columns | null
  pageSize: number
  /** The option of that name. */
  waitTimeoutMs: number
  /** Stores imported messages. */
  submit: Submit
  /** Sends one message to the relay and returns its reply; null if no relay is configured. */
  release: Relay | null
  /** The SMTP transcript of a submission; null if it is not kept. Default: no transcripts. */
  transcriptOf?(id: string, sizeBytes: number): TranscriptLine[] | null | Promise<TranscriptLine[] | null>
  /** The changes of the instances that share the store; null if only this process uses it. Default: null. */
  bulkBoard?: BulkBoard | null
  /** Why there may be no mail. */
  missing: MissingSources
  /** Counts the waits that are open. Default: nothing is counted. */
  counts?: Counts['waits'] | undefined
  /** Called when mails whose removal was not undone cannot be removed. That is tried again. */
  onUnremoved(error: unknown): void
  /** See `IndexerDeps`. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
}

const idOf = (mail: string | Pick<Mail, 'id'>): string => (typeof mail === 'string' ? mail : mail.id)

/** How long a wait that timed out looks for the reason, in milliseconds. */
const mostExplainMs = 1000

/** Sorts before the id of every mail. */
const beforeAll = `em_${'0'.repeat(22)}`

export function createInbox(deps: InboxDeps): Inbox & InboxPages & { close(): Promise<void> } {
  const { store, reader, thread, clock, now, pageSize, counts } = deps
  const digests = createDigests(deps)
  const index = openSearchIndex({ store, clock, digests, onLongWork: deps.onLongWork }, deps.columns)
  const removals = createRemovals({
    ids: deps.ids,
    clock,
    // Not one of the bulk changes, which wait for each other.
    remove: (ids) => store.bulk(emailCollection, ids, 'remove'),
    isStored: async (id) => (await store.count(emailCollection, { prefix: [id] })) > 0,
    onError: deps.onUnremoved,
  })
  // A database may have an earlier state again.
  const stopListening = store.changes(({ op }) => {
    if (op === 'gap') removals.undoAll().catch(deps.onUnremoved)
  })
  const everything = createSearch({
    store,
    digests,
    indexer: index.indexer,
    rows: index.rows,
    fieldsOf: createMessageFields({ reader }),
    pageSize,
  })
  const search = hiding(everything, removals.hidden)
  /** The waits of callers that have not ended. */
  const open = new Set<Promise<unknown>>()
  const held = <T>(work: () => Promise<T>): Promise<T> => {
    if (counts) counts.open++
    const promise = work().finally(() => {
      if (counts) counts.open--
      open.delete(promise)
    })
    open.add(promise)
    return promise
  }
  const missing = createMissing({ store, search, now, sources: deps.missing })
  const waits = createWaits({
    store,
    clock,
    search,
    now,
    defaultTimeoutMs: deps.waitTimeoutMs,
    async explain(to, since) {
      const signal = AbortSignal.timeout(mostExplainMs)
      // Whoever waits may have a key that sees only this account. The time-out is the error, whatever this finds.
      const found = await missing.explain({ to, since, signal }, false).catch(() => null)
      return found === null ? '' : likelyCauses(found)
    },
  })
  const tags = createTags(deps)
  const runs = createBulkRuns(deps.ids, deps.bulkBoard)
  const bulk = createBulk({ store, search, runs, now, hidden: removals.hidden })
  const find = (id: string): Promise<EmailRecord> => readRecord(store, emailCollection, id, 'mail')
  const details = createDetails({ ...deps, digests })
  const check = createInboxCheck(deps, { find, details })
  /** Runs work on a whole mail. Large mails take turns. */
  const withMail = async <T>(
    id: string,
    signal: AbortSignal | undefined,
    work: (mail: Mail) => Promise<T>,
  ): Promise<T> => {
    const email = await find(id)
    return details.inTurn([email], async () => work(await details.read(email, signal)), signal)
  }
  /** A page of the list, each item made from its record and its digest. */
  async function listed<Item>(
    query: Parameters<Inbox['list']>[0],
    toItem: (email: EmailRecord, digest: Digest, group: FoldedGroup | undefined) => Promise<Item>,
  ): Promise<SearchPage<Item>> {
    const { query: text, ...wanted } = query ?? {}
    const { groups, ...page } = await search.list(parseMailQuery(text, now()), wanted)
    // One after the other, so that a page of large submissions is not parsed at once.
    const items: Item[] = []
    for (const email of page.items)
      items.push(await toItem(email, await digests.of(email, wanted.signal), groups?.get(email.id)))
    return { ...page, items }
  }
  const compare = createCompare({ store, find, details, thread })
  const streams = createMessageStreams({ store, reader, find })
  const receive: Inbox['import'] = (bytes) => importMessage(bytes, deps.submit, thread)
  const replying = { ...deps, find, details, open: streams.raw, receive }

  return {
    async list(query) {
      assertKnownOptions(
        query,
        ['cursor', 'offset', 'limit', 'query', 'fold', 'count', 'signal'],
        'inbox.list()',
      )
      return listed(query, async (email, digest, group): Promise<ListedMail> => {
        const summary = toSummary(email, digest)
        return group ? { ...summary, broadcast: await toListedBroadcast(store, email, group) } : summary
      })
    },
    entries: (query) => listed(query, async (email, digest) => toEntry(email, digest)),
    async entry(id) {
      const email = await find(id)
      return toEntry(email, await digests.of(email))
    },
    async get(id) {
      return details.read(await find(id))
    },
    async read(id, { signal }) {
      return details.read(await find(id), signal)
    },
    raw: streams.raw,
    async html(id, options) {
      assertKnownOptions(options, ['recipient', 'signal'], 'inbox.html()')
      return Buffer.from(await streams.page(id, options, {})).toString()
    },
    page: (id, { recipient, signal, ...frame }) =>
      streams.page(id, { signal, ...(recipient === undefined ? {} : { recipient }) }, { frame }),
    async attachment(id, index, options) {
      const { stream, ...attachment } = await streams.attachment(id, index, options)
      const { signal } = options ?? {}
      return { ...attachment, content: Buffer.concat(await stream.toArray(signal && { signal })) }
    },
    openAttachment: streams.attachment,
    part: streams.part,
    check: (mail, options) => check(idOf(mail), options),
    async clientSupport(id, options) {
      assertKnownOptions(options, ['shares', 'signal'], 'inbox.clientSupport()')
      const { shares, signal } = options ?? {}
      return withMail(id, signal, ({ html, headers, attachments }) =>
        thread.run('clientSupport', [{ html, headers, attachments }, { shares }], {
          size: html.length,
          signal,
        }),
      )
    },
    async preview(mail, options) {
      assertKnownOptions(options, ['client', 'signal'], 'inbox.preview()')
      const { signal } = options
      const { client } = previewedClient(options.client)
      return withMail(idOf(mail), signal, ({ html, attachments }) =>
        thread.run('preview', [{ html, attachments }, client], { size: html.length, signal }),
      )
    },
    tags: tags.list,
    overview: createOverview(deps, tags),
    updateTag: tags.update,
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
    outside: createOutsideAnswers(deps, { find, details }),
    removals,
    bulk: { ...bulk, list: runs.list, cancel: runs.cancel, onProgress: runs.onProgress },
    removeMatching: async (selection, options) => (await bulk.remove(selection, options)).count,
    async removeAll(...given: unknown[]) {
      assertRemovesAll(given)
      return (await bulk.remove(null)).count
    },
    async latest(query) {
      for await (const email of search.matches(parseMailQuery(query, now()))) return details.read(email)
      return null
    },
    async mark() {
      const { records } = await store.page(emailCollection, { direction: 'desc', limit: 1 })
      return records[0]?.id ?? beforeAll
    },
    updateMatching: async (selection, changes, options) =>
      (await bulk.change(selection, changes, options)).count,
    waitFor: (query, options) =>
      held(async () => details.read(await waits.waitFor(query, options), options?.signal)),
    waitForCount: (query, count, options) =>
      held(async () => {
        const mails: Mail[] = []
        // One after the other, so that many large messages are not parsed at once.
        for (const email of await waits.waitForCount(query, count, options))
          mails.push(await details.read(email, options?.signal))
        return mails
      }),
    explainMissing: (query = {}) => missing.explain(query, true),
    missing,
    expectNone: (query, options) => held(() => waits.expectNone(query, options)),
    import: receive,
    async export(query) {
      const filter = parseMailQuery(query, now())
      assertExportable((await search.list(filter, { limit: 1 })).count)
      return zipMessages(search.matches(filter, { complete: true }), store)
    },
    reply: (mail, request, options) => replyToMail(replying, idOf(mail), request, options),
    release: (id, request) => releaseMail({ relay: deps.release, find, open: streams.whole }, id, request),
    async close() {
      // Node would report their failures as unhandled, and hide the error that ended the test. Who awaits them gets them.
      for (const promise of open) promise.catch(() => {})
      waits.close()
      stopListening()
      // Both at once: bulk changes are cancelled while the removals run.
      await Promise.all([runs.close(), removals.close()])
      await index.close()
    },
  }
}
