import { LocalpostError, quote } from '../core/errors.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import type { NestedRequest, NestedViews } from '../reading/nested.ts'
import type { PageOptions } from '../reading/page.ts'
import type { Reader } from '../reading/reader.ts'
import type { NestedMail } from './types.ts'
import { toAttachment } from './views.ts'

/** Reads messages that are attached to a message, at any depth. */
export interface NestedMails {
  /**
   * @param path  The position among the attachments, then that among the attachments of the attached message, and so on.
   * @throws not_found if there is no message, service_unavailable.
   */
  get(id: string, path: readonly number[]): Promise<NestedMail>
  /** The HTML, for a frame. Errors as for `get`. */
  page(id: string, path: readonly number[], options: PageOptions): Promise<Uint8Array>
  /** An attachment of the attached message. Errors as for `get`. */
  attachment(
    id: string,
    path: readonly number[],
    index: number,
  ): Promise<{ filename: string; content_type: string; content: Buffer }>
}

interface NestedDeps {
  reader: Pick<Reader, 'nested'>
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
}

export function createNestedMails({ reader, find }: NestedDeps): NestedMails {
  async function read<View extends keyof NestedViews>(
    id: string,
    path: readonly number[],
    request: Extract<NestedRequest, { view: View }>,
    view: View,
  ): Promise<NestedViews[View]> {
    const email = await find(id)
    const found = (await reader.nested(messageBlob(email.id), path, request))?.[view]
    if (found) return found
    throw new LocalpostError(
      'not_found',
      `Mail ${quote(id)} has no such message or part at ${path.join('.')}.`,
    )
  }
  return {
    async get(id, path) {
      const { message, size_bytes } = await read(id, path, { view: 'mail' }, 'mail')
      const { headers, subject, html, text, attachments, problem } = message
      return {
        headers,
        subject,
        html,
        text,
        attachments: attachments.map(toAttachment),
        size_bytes,
        problem,
      }
    },
    page: (id, path, options) => read(id, path, { view: 'page', options }, 'page'),
    async attachment(id, path, index) {
      const { content, ...facts } = await read(id, path, { view: 'attachment', index }, 'attachment')
      // From a thread it comes as a `Uint8Array`.
      return { ...facts, content: Buffer.from(content.buffer, content.byteOffset, content.byteLength) }
    },
  }
}
