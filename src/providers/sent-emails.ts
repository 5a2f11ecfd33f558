import { validationError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { emailCollection, type EmailContent, type EmailRecord } from '../emails/email.ts'
import { readContent } from '../emails/emails.ts'
import type { ScheduledRecord } from '../sending/scheduled.ts'
import type { SendingService } from '../sending/service.ts'
import type { Where } from '../store/queries.ts'
import { notFound, pagesOf } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { idAt } from './event-facts.ts'
import type { Reader } from '../reading/reader.ts'

/** The emails of an account as a provider names them. */
export interface SentEmails {
  /**
   * The email, or the one that waits for its time.
   *
   * @param id  Of the provider or, for one that was sent, of Localpost.
   * @throws not_found
   */
  get(id: string, provider: string): Promise<EmailRecord | ScheduledRecord>
  /** Its bodies; `""` for one that it does not have. */
  content(email: Pick<EmailRecord | ScheduledRecord, 'id'>, signal: AbortSignal): Promise<EmailContent>
  /** Newest first: those of the interfaces and the library, without those that wait for their time. */
  page(query: SentQuery): Promise<{ emails: EmailRecord[]; more: boolean }>
  /**
   * Those that match, newest first, page by page: only the wanted ones are read.
   *
   * @param where  Default: all of them.
   */
  matching(where?: Where): AsyncIterable<EmailRecord[]>
  /** How many of them were accepted since a time, in Unix milliseconds. */
  countSince(time: number): Promise<number>
  /** The id by which a provider knows an email; that of Localpost if it did not come by this provider. */
  idOf(email: EmailRecord | ScheduledRecord, provider: string): string
}

export interface SentQuery {
  readonly provider: string
  readonly limit: number
  /** Only those after the email with this id, in the order of the list. */
  readonly after?: string | undefined
  /** Only those before the email with this id, the nearest of them. */
  readonly before?: string | undefined
}

export function createSentEmails(deps: {
  store: Store
  sending: Pick<SendingService, 'find'>
  reader: Pick<Reader, 'bodies' | 'content'>
}): SentEmails {
  const { store, sending, reader } = deps

  async function get(id: string, provider: string): Promise<EmailRecord | ScheduledRecord> {
    const named = isId('em', id) ? null : await sending.find(provider, id)
    const found = named ? (named.emails[0] ?? named.scheduled[0]) : await store.get(emailCollection, id)
    if (!found || ('source' in found && found.source !== 'api')) throw notFound('email', id)
    return found
  }

  return {
    get,
    content: ({ id }, signal) => readContent({ reader }, { id, source: 'api' }, signal),
    async page({ provider, limit, after, before }) {
      if (after !== undefined && before !== undefined)
        throw validationError([{ field: 'after', message: 'must not be given together with before' }])
      const given = after ?? before
      const place = given === undefined ? undefined : await get(given, provider)
      if (place && 'send_at' in place)
        throw validationError([{ field: 'after', message: 'must not be the id of an email that waits' }])
      const cursor = place && [place.id]
      const direction = before === undefined ? 'desc' : 'asc'
      const page = await store.page(emailCollection, {
        limit,
        direction,
        after: cursor,
        where: { flag: 'api' },
      })
      return { emails: before === undefined ? page.records : page.records.reverse(), more: page.more }
    },
    matching: (where = { all: [] }) =>
      pagesOf(store, emailCollection, {
        limit: 200,
        direction: 'desc',
        where: { all: [{ flag: 'api' }, where] },
      }),
    countSince: (time) =>
      store.count(emailCollection, { where: { all: [{ flag: 'api' }, { number: 'created', above: time }] } }),
    idOf: (email, provider) => idAt(provider, 'send_at' in email ? { ...email.email, id: email.id } : email),
  }
}
