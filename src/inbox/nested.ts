import { LocalpostError, quote } from '../core/errors.ts'
import { messageBlob, type EmailRecord } from '../emails/email.ts'
import { parseMessage } from '../mime/parse.ts'
import { readPart } from '../mime/part-stream.ts'
import { structureSteps } from '../mime/structure.ts'
import { paced } from '../core/yield.ts'
import { readPage, type PageOptions } from '../reading/page.ts'
import type { Reader } from '../reading/reader.ts'
import type { NestedMail } from './types.ts'
import { toAttachment } from './views.ts'

/** Reads messages that are attached to a message, at any depth. */
export interface NestedMails {
  /**
   * @param path  The position among the attachments, then that among the attachments of the attached message, and so on.
   * @throws not_found where there is no message, service_unavailable.
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
  reader: Pick<Reader, 'bytes'>
  /** @throws not_found. */
  find(id: string): Promise<EmailRecord>
}

export function createNestedMails({ reader, find }: NestedDeps): NestedMails {
  async function read<T>(
    id: string,
    path: readonly number[],
    work: (message: Buffer) => Promise<T | null>,
  ): Promise<T> {
    const email = await find(id)
    const found = await reader.bytes(messageBlob(email.id), async (bytes) => {
      const message = await nestedMessage(bytes, path)
      return message && { value: await work(message) }
    })
    if (found?.value) return found.value
    throw new LocalpostError(
      'not_found',
      `Mail ${quote(id)} has no such message or part at ${path.join('.')}.`,
    )
  }
  return {
    get: (id, path) =>
      read(id, path, async (message) => {
        const { headers, subject, html, text, attachments, problem } = await parseMessage(message)
        const size_bytes = message.length
        return {
          headers,
          subject,
          html,
          text,
          attachments: attachments.map(toAttachment),
          size_bytes,
          problem,
        }
      }),
    page: (id, path, options) => read(id, path, (message) => readPage(message, null, options)),
    attachment: (id, path, index) =>
      read(id, path, async (message) => {
        const part = (await paced(structureSteps(message))).attachments[index]
        if (!part) return null
        const { filename, content_type } = part
        return {
          filename: filename ?? `attachment-${index}`,
          content_type,
          content: await readPart(message, part),
        }
      }),
  }
}

/** The bytes of an attached message; null where a step of the path is no message. */
async function nestedMessage(message: Buffer, path: readonly number[]): Promise<Buffer | null> {
  let bytes = message
  for (const index of path) {
    const part = (await paced(structureSteps(bytes))).attachments[index]
    if (!part || !messageTypes.has(part.content_type)) return null
    bytes = await readPart(bytes, part)
  }
  return bytes
}

const messageTypes: ReadonlySet<string> = new Set(['message/rfc822', 'message/global'])
