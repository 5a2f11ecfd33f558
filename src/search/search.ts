import type { EmailRecord } from '../emails/email.ts'
import type { FoldedPage } from './folded.ts'
import type { SearchPage, SearchQuery } from './search-page.ts'
import { type MailFilter, without } from './query.ts'

/** Finds mail by a parsed query. A signal ends the search, which then throws its reason. */
export interface Search {
  /** One page, newest first, with the number of matches. @throws invalid_cursor, validation_error. */
  list(filter: MailFilter, query: SearchQuery | undefined): Promise<EmailPage>
  /** The ids of all matches, newest first; options as for `matches`. */
  ids(filter: MailFilter, options?: MatchOptions): Promise<readonly string[]>
  /**
   * Every match, newest first, one record at a time.
   *
   * @param options.complete  Waits until all mail is indexed. Default: false; after a large flood some mail may be missing.
   */
  matches(filter: MailFilter, options?: MatchOptions): AsyncGenerator<EmailRecord>
  /** Whether one mail matches; no index is asked. */
  fits(email: EmailRecord, filter: MailFilter, signal?: AbortSignal): Promise<boolean>
}

export interface MatchOptions {
  complete?: boolean
  signal?: AbortSignal | undefined
}

/** A page of stored emails; with `fold`, some of them represent the mails of a broadcast. */
export interface EmailPage extends SearchPage<EmailRecord> {
  /** By the id of the email that represents them. */
  groups?: FoldedPage['groups']
}

/** The same search, which never finds these mails. */
export function hiding(search: Search, hidden: () => ReadonlySet<string>): Search {
  const shown = (filter: MailFilter): MailFilter => without(filter, hidden())
  return {
    list: (filter, query) => search.list(shown(filter), query),
    ids: (filter, options) => search.ids(shown(filter), options),
    matches: (filter, options) => search.matches(shown(filter), options),
    fits: (email, filter, signal) => search.fits(email, shown(filter), signal),
  }
}
