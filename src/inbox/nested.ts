import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { asBuffer } from '../core/own-buffers.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import type { NestedAnswer, NestedRequest } from '../reading/nested.ts'
import type { PageOptions } from '../reading/page.ts'
import type { NestedMail } from './types.ts'
import { toAttachments } from './views.ts'
import type { Reader } from '../reading/reader.ts'

/**
 * Reads messages that are attached to a message, at any depth. A signal ends the work of its caller, which then throws
 * the reason of the signal.
 */
export interface NestedMails {
  /**
   * @param path  The position among the attachments, then that among the attachments of the attached message, and so on.
   * @throws not_found if there is no message, service_unavailable.
   */
  get(id: string, path: readonly number[], signal?: AbortSignal): Promise<NestedMail>
  /** The HTML, for a frame. Errors as for `get`. */
  page(id: string, path: readonly number[], options: PageOptions, signal?: AbortSignal): Promise<Uint8Array>
  /** An attachment of the attached message. Errors as for `get`. */
  attachment(
    id: string,
    path: readonly number[],
    index: number,
    signal?: AbortSignal,
  ): Promise<{ filename: string; content_type: string; content: Buffer }>
}

interface NestedDeps {
  reader: Pick<Reader, 'nested'>
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
}

export function createNestedMails({ reader, find }: NestedDeps): NestedMails {
  async function read(
    id: string,
    path: readonly number[],
    request: NestedRequest,
    signal: AbortSignal | undefined,
  ): Promise<NestedAnswer> {
    const email = await find(id)
    return (await reader.nested(messageBlob(email.id), path, request, signal)) ?? {}
  }

  return {
    async get(id, path, signal) {
      const { mail } = await read(id, path, { view: 'mail' }, signal)
      if (!mail) throw notFound(id, path)
      const { message, size_bytes } = mail
      const { headers, subject, html, text, attachments, problem } = message
      return { headers, subject, html, text, attachments: toAttachments(attachments), size_bytes, problem }
    },
    async page(id, path, options, signal) {
      const { page } = await read(id, path, { view: 'page', options }, signal)
      if (!page) throw notFound(id, path)
      return page
    },
    async attachment(id, path, index, signal) {
      const { attachment } = await read(id, path, { view: 'attachment', index }, signal)
      if (!attachment) throw notFound(id, path)
      // From a thread it comes as a `Uint8Array`.
      return { ...attachment, content: asBuffer(attachment.content) }
    },
  }
}

function notFound(id: string, path: readonly number[]): LocalpostError {
  const message = `Mail ${quote(id)} has no such message or part at ${path.join('.')}.`
  return new LocalpostError('not_found', message)
}
