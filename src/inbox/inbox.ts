import type { clientSupportJobs } from '../client-support/preview.ts'
import type { compareJobs } from '../compare/compare.ts'
import { lowestId, type Ids } from '../core/ids.ts'
import type { JobThread } from '../core/job-thread.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { headerJobs } from '../emails/header-facts.ts'
import { assertRemovesAll } from '../search/query-members.ts'
import { createDigests } from '../search/digests.ts'
import { createMessageFields } from '../search/message-fields.ts'
import { parseMailQuery } from '../search/query.ts'
import { type Columns, openSearchIndex } from '../search/search-index.ts'
import { hiding } from '../search/search.ts'
import { readRecord } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import type { answerJobs } from './answered.ts'
import type { BulkBoard } from './bulk-board.ts'
import { createBulkRuns } from './bulk-runs.ts'
import { createBulk } from './bulk.ts'
import { createClientViews } from './client-views.ts'
import { createCompare } from './compare.ts'
import { createDetails, type DetailDeps } from './detail.ts'
import { createEdit } from './edit.ts'
import { assertExportable, zipMessages } from './export.ts'
import { importMessage, type Submit } from './import.ts'
import { createListing } from './listing.ts'
import { createMessageStreams } from './message-streams.ts'
import { createMissing, type MissingSources } from './missing.ts'
import { createNestedMails } from './nested.ts'
import { createOutsideAnswers } from './outside-answers.ts'
import { createOverview } from './overview.ts'
import { releaseMail, type Relay } from './release.ts'
import { createMailRemovals } from './removals.ts'
import { replyToMail, type ReplyDeps } from './reply.ts'
import { createTags } from './tags.ts'
import type { Mail } from './types.ts'
import { createWaits, type WaitDeps } from './wait.ts'
import { toMailEntry } from './views.ts'
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

export interface InboxDeps
  extends
    InboxChecksDeps,
    Pick<ReplyDeps, 'compose'>,
    Pick<DetailDeps, 'transcriptOf'>,
    Pick<WaitDeps, 'counts'> {
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
  /** The changes of the instances that share the store; null if only this process uses it. Default: null. */
  bulkBoard?: BulkBoard | null
  /** Why there may be no mail. */
  missing: MissingSources
  /** Called when mails whose removal was not undone cannot be removed. That is tried again. */
  onUnremoved(error: unknown): void
  /** See `IndexerDeps`. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
}

/** The id of a mail, or the id itself. */
const idOf = (mail: string | Pick<Mail, 'id'>): string => (typeof mail === 'string' ? mail : mail.id)

/** The inbox of a store. `close` ends its waits, its bulk changes and at last its search index; the store stays open. */
export function createInbox(deps: InboxDeps): Inbox & InboxPages & { close(): Promise<void> } {
  const { store, reader, thread, ids, clock, now, pageSize, transcriptOf } = deps
  const digests = createDigests({ reader })
  const index = openSearchIndex({ store, clock, digests, onLongWork: deps.onLongWork }, deps.columns)
  const removals = createMailRemovals({
    ids,
    clock,
    // Not one of the bulk changes, which wait for each other.
    remove: (removed) => store.bulk(emailCollection, removed, 'remove'),
    isStored: async (id) => (await store.count(emailCollection, { prefix: [id] })) > 0,
    onError: deps.onUnremoved,
  })
  // A database may have been restored to an earlier state.
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
  const missing = createMissing({ store, search, now, sources: deps.missing })
  const tags = createTags({ store, ids })
  const runs = createBulkRuns(ids, deps.bulkBoard)
  const bulk = createBulk({ store, search, runs, now, hidden: removals.hidden })
  const find = (id: string): Promise<EmailRecord> => readRecord(store, emailCollection, id, 'mail')
  const details = createDetails({ store, reader, now, digests, transcriptOf })
  const waits = createWaits({
    store,
    clock,
    now,
    search,
    details,
    missing,
    counts: deps.counts,
    defaultTimeoutMs: deps.waitTimeoutMs,
  })
  const check = createInboxCheck(deps, { find, details })
  const compare = createCompare({ store, find, details, thread })
  const clientViews = createClientViews({ find, details, thread, idOf })
  const { whole, ...streams } = createMessageStreams({ store, reader, find })
  const receive: Inbox['import'] = (bytes) => importMessage(bytes, deps.submit, thread)
  const replying = { find, open: streams.raw, details, thread, compose: deps.compose, receive }
  const read = async (id: string, signal?: AbortSignal): Promise<Mail> => details.read(await find(id), signal)

  return {
    ...createListing({ store, search, digests, now }),
    async entry(id) {
      const email = await find(id)
      return toMailEntry(email, await digests.of(email))
    },
    get: (id) => read(id),
    read: (id, { signal }) => read(id, signal),
    ...streams,
    ...createEdit({ store, digests, find }),
    check: (mail, options) => check(idOf(mail), options),
    ...clientViews,
    tags: tags.list,
    overview: createOverview({ store }, tags),
    updateTag: tags.update,
    compare: (mail, other, options) => compare(idOf(mail), idOf(other), options),
    nested: createNestedMails({ reader, find }),
    outside: createOutsideAnswers({ ...deps, find, details }),
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
      return records[0]?.id ?? lowestId('em')
    },
    updateMatching: async (selection, changes, options) =>
      (await bulk.change(selection, changes, options)).count,
    waitFor: waits.waitFor,
    waitForCount: waits.waitForCount,
    expectNone: waits.expectNone,
    explainMissing: (query = {}) => missing.explain(query, { seesAccounts: true }),
    missing,
    import: receive,
    async export(query) {
      const filter = parseMailQuery(query, now())
      assertExportable((await search.list(filter, { limit: 1 })).count)
      return zipMessages(search.matches(filter, { complete: true }), store)
    },
    reply: (mail, request, options) => replyToMail(replying, idOf(mail), request, options),
    release: (id, request) => releaseMail({ relay: deps.release, find, open: whole }, id, request),
    async close() {
      waits.close()
      stopListening()
      // Both at once: bulk changes are cancelled while the removals run.
      await Promise.all([runs.close(), removals.close()])
      await index.close()
    },
  }
}
