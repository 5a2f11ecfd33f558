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
      const { mail = throwNotFound(id, path) } = await read(id, path, { view: 'mail' }, signal)
      const { message, size_bytes } = mail
      const { headers, subject, html, text, attachments, problem } = message
      return { headers, subject, html, text, attachments: toAttachments(attachments), size_bytes, problem }
    },
    async page(id, path, options, signal) {
      const { page = throwNotFound(id, path) } = await read(id, path, { view: 'page', options }, signal)
      return page
    },
    async attachment(id, path, index, signal) {
      const request = { view: 'attachment', index } as const
      const { attachment = throwNotFound(id, path) } = await read(id, path, request, signal)
      // From a thread it comes as a `Uint8Array`.
      return { ...attachment, content: asBuffer(attachment.content) }
    },
  }
}

function throwNotFound(id: string, path: readonly number[]): never {
  const message = `Mail ${quote(id)} has no such message or part at ${path.join('.')}.`
  throw new LocalpostError('not_found', message)
}
