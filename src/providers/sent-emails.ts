import { validationError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { emailCollection, type EmailContent, type EmailRecord } from '../emails/email.ts'
import { readContent } from '../emails/emails.ts'
import type { Reader } from '../reading/reader.ts'
import { isScheduled, type ScheduledRecord } from '../sending/scheduled.ts'
import type { SendingService } from '../sending/service.ts'
import type { Where } from '../store/queries.ts'
import { notFound, pagesOf } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { idAt } from './event-facts.ts'

interface SentQuery {
  readonly provider: string
  readonly limit: number
  /** Only those after the email with this id, in the order of the list. */
  readonly after?: string | undefined
  /** Only those before the email with this id, the nearest of them. */
  readonly before?: string | undefined
}

interface SentEmailsDeps {
  store: Store
  sending: Pick<SendingService, 'find'>
  reader: Pick<Reader, 'bodies' | 'content'>
}

/** The emails of an account as a provider names them. */
export class SentEmails {
  readonly #deps: SentEmailsDeps

  constructor(deps: SentEmailsDeps) {
    this.#deps = deps
  }

  /**
   * The email, or the one that waits for its time.
   *
   * @param id  Of the provider or, for one that was sent, of Localpost.
   * @throws not_found
   */
  async get(id: string, provider: string): Promise<EmailRecord | ScheduledRecord> {
    const named = isId('em', id) ? null : await this.#deps.sending.find(provider, id)
    const found = named
      ? (named.emails[0] ?? named.scheduled[0])
      : await this.#deps.store.get(emailCollection, id)
    if (!found || (!isScheduled(found) && found.source !== 'api')) throw notFound('email', id)
    return found
  }

  /** Its bodies; `""` for one that it does not have. */
  content({ id }: Pick<EmailRecord, 'id'>, signal: AbortSignal): Promise<EmailContent> {
    return readContent(this.#deps, { id, source: 'api' }, signal)
  }

  /** Newest first: those of the interfaces and the library, without those that wait for their time. */
  async page(query: SentQuery): Promise<{ emails: EmailRecord[]; more: boolean }> {
    const { provider, limit, after, before } = query
    if (after !== undefined && before !== undefined)
      throw validationError([{ field: 'after', message: 'must not be given together with before' }])
    const beside = after ?? before
    const email = beside === undefined ? undefined : await this.get(beside, provider)
    if (email && isScheduled(email)) {
      const field = after === undefined ? 'before' : 'after'
      throw validationError([{ field, message: 'must not be the id of an email that waits' }])
    }
    const { records, more } = await this.#deps.store.page(emailCollection, {
      limit,
      direction: before === undefined ? 'desc' : 'asc',
      after: email && [email.id],
      where: { flag: 'api' },
    })
    return { emails: before === undefined ? records : records.reverse(), more }
  }

  /**
   * Those that match, newest first, page by page: only the wanted ones are read.
   *
   * @param where  Default: all of them.
   */
  matching(where: Where = { all: [] }): AsyncIterable<EmailRecord[]> {
    const query = { all: [{ flag: 'api' }, where] }
    return pagesOf(this.#deps.store, emailCollection, { limit: 200, direction: 'desc', where: query })
  }

  /** How many of them were accepted since a time, in Unix milliseconds. */
  countSince(time: number): Promise<number> {
    const where = { all: [{ flag: 'api' }, { number: 'created', above: time }] }
    return this.#deps.store.count(emailCollection, { where })
  }

  /** The id by which a provider knows an email; that of Localpost if it did not come by this provider. */
  idOf(email: EmailRecord | ScheduledRecord, provider: string): string {
    return idAt(provider, isScheduled(email) ? { ...email.email, id: email.id } : email)
  }
}
