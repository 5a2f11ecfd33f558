import type { TraceContext } from '../core/trace-context.ts'
import { isId } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { listRecords, readRecord, type ListOrder } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { contentBlob, emailCollection, messageBlob, type EmailContent, type EmailRecord } from './email.ts'
import type { EmailDetail, EmailListItem } from './types.ts'
import type { SendRequest } from './send-types.ts'
import { toDetail, toListItem } from './views.ts'
import type { Reader } from '../reading/reader.ts'

/** The emails of an instance, as `/v1/emails` shows them. */
export interface Emails {
  /**
   * Accepts a transactional email; it is delivered afterwards. It is logged in `requests`, and its warnings are
   * reported to the option `onNotice`, each text once.
   *
   * @returns With the option `warnings`, the warnings too; none for a repeated idempotency key.
   * @throws validation_error, invalid_attachment, template_not_found, missing_variable, message_too_large,
   *   domain_not_verified, domain_not_registered, idempotency_conflict, or an error of the store: nothing was stored.
   */
  send(
    request: SendRequest,
    options: SendOptions & { warnings: true },
  ): Promise<{ id: string; warnings: string[] }>
  send(request: SendRequest, options?: SendOptions): Promise<{ id: string }>
  /** Newest first. @throws invalid_cursor. */
  list(query?: ListQuery): Promise<ListPage<EmailListItem>>
  /** @throws not_found. */
  get(id: string): Promise<EmailDetail>
}

/** The same as {@link Emails}, for input that is not checked yet and for callers that may disconnect. */
export interface EmailService extends Pick<Emails, 'list' | 'get'> {
  /** The same as `get`. @throws not_found; the signal's reason. */
  read(id: string, signal: AbortSignal): Promise<EmailDetail>
  /**
   * Accepts a transactional email, and returns its warnings for the request log. Made by `sending/sending.ts`.
   *
   * @throws as {@link Emails.send}.
   */
  accept(
    input: unknown,
    options?: AcceptOptions & { trace?: TraceContext | undefined },
  ): Promise<{ id: string; warnings: string[] }>
}

export interface AcceptOptions {
  /** At most 256 characters, remembered for 24 hours. A repeated body gets the same answer; another is refused. */
  idempotencyKey?: string
}

export interface SendOptions extends AcceptOptions {
  /** Whether the answer includes warnings about problems of an accepted email. Default: false. */
  warnings?: boolean
}

/**
 * The stored emails, as `/v1` shows them.
 *
 * @param deps.reader  Reads the messages of submissions.
 */
export function createEmails(deps: {
  store: Store
  reader: Pick<Reader, 'bodies' | 'content'>
  pageSize: number
}): Pick<EmailService, 'list' | 'get' | 'read'> {
  const { store, pageSize } = deps

  async function read(id: string, signal?: AbortSignal): Promise<EmailDetail> {
    const email = await readRecord(store, emailCollection, id, 'email')
    return toDetail(email, await readContent(deps, email, signal))
  }

  return {
    async list(query) {
      const page = await listRecords(store, emailCollection, query, emailOrder(pageSize))
      return { ...page, items: page.items.map(toListItem) }
    },
    get: (id) => read(id),
    read,
  }
}

/** Newest first: ids sort by arrival. */
export function emailOrder(pageSize: number): ListOrder<EmailRecord> {
  return { pageSize, direction: 'desc', cursorIs: 'the id of an email', isCursor: (text) => isId('em', text) }
}

/**
 * The bodies of an email as the detail shows them: as rendered for API sends, read out of the message for submissions.
 *
 * @param signal  Ends the reading. @throws its reason.
 * @returns `""` for a body that the email does not have.
 */
export async function readContent(
  { reader }: { reader: Pick<Reader, 'bodies' | 'content'> },
  email: Pick<EmailRecord, 'id' | 'source'>,
  signal?: AbortSignal,
): Promise<EmailContent> {
  const { html = '', text = '' } =
    (email.source === 'api'
      ? await reader.content(contentBlob(email.id), signal)
      : await reader.bodies(messageBlob(email.id), signal)) ?? {}
  return { html, text }
}
