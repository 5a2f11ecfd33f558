import { validationError } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { SendingService } from '../sending/sending.ts'
import { notFound } from '../store/repository.ts'
import type { Store } from '../store/store.ts'

/** The emails of an account as a provider names them. */
export interface SentEmails {
  /** @param id  Of the provider or of Localpost. @throws not_found */
  get(id: string, provider: string): Promise<EmailRecord>
  /** Newest first: those of the interfaces and the library, without those that wait for their time. */
  page(query: SentQuery): Promise<{ emails: EmailRecord[]; more: boolean }>
  /** The id by which a provider knows an email; that of Localpost if it did not come by this provider. */
  idOf(email: Pick<EmailRecord, 'id' | 'provider'>, provider: string): string
}

export interface SentQuery {
  readonly provider: string
  readonly limit: number
  /** Only those after the email with this id, in the order of the list. */
  readonly after?: string | undefined
  /** Only those before the email with this id, the nearest of them. */
  readonly before?: string | undefined
}

export function createSentEmails(deps: { store: Store; sending: Pick<SendingService, 'find'> }): SentEmails {
  const { store, sending } = deps

  async function get(id: string, provider: string): Promise<EmailRecord> {
    const found = isId('em', id)
      ? await store.get(emailCollection, id)
      : (await sending.find(provider, id))?.emails[0]
    if (!found) throw notFound('email', id)
    return found
  }

  return {
    get,
    async page({ provider, limit, after, before }) {
      if (after !== undefined && before !== undefined)
        throw validationError([{ field: 'after', message: 'must not be given together with before' }])
      const given = after ?? before
      const cursor = given === undefined ? undefined : [(await get(given, provider)).id]
      const direction = before === undefined ? 'desc' : 'asc'
      const page = await store.page(emailCollection, {
        limit,
        direction,
        after: cursor,
        where: { flag: 'api' },
      })
      return { emails: before === undefined ? page.records : page.records.reverse(), more: page.more }
    },
    idOf: ({ id, provider }, name) => (provider?.name === name ? provider.message_id : id),
  }
}
