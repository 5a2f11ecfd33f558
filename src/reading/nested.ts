import { attachmentNames } from '../mime/attachment-names.ts'
import { parseMessage, type ParsedMessage } from '../mime/parse.ts'
import { readPart } from '../mime/part-stream.ts'
import { readStructure } from '../mime/structure.ts'
import { readPage, type PageOptions } from './page.ts'

/** What to read of an attached message. */
export type NestedRequest =
  | { view: 'mail' }
  | { view: 'page'; options: PageOptions }
  | { view: 'attachment'; index: number }

/** The answer to a request. It is empty if a step of the path is not a message, or if there is no such attachment. */
export interface NestedAnswer {
  mail?: { message: ParsedMessage; size_bytes: number }
  page?: Uint8Array
  attachment?: { filename: string; content_type: string; content: Uint8Array }
}

/**
 * Reads a message that is attached to a message, at any depth.
 *
 * @param path  The position among the attachments, then that among the attachments of the attached message, and so on.
 */
export async function readNested(
  bytes: Buffer,
  path: readonly number[],
  request: NestedRequest,
): Promise<NestedAnswer> {
  const message = nestedMessage(bytes, path)
  if (!message) return {}
  switch (request.view) {
    case 'mail':
      return { mail: { message: parseMessage(message), size_bytes: message.length } }
    case 'page':
      return { page: await readPage(message, null, request.options) }
    case 'attachment':
      return attachmentOf(message, request.index)
  }
}

function attachmentOf(message: Buffer, index: number): NestedAnswer {
  const { attachments } = readStructure(message)
  const part = attachments[index]
  const filename = attachmentNames(attachments)[index]
  if (!part || filename === undefined) return {}
  return { attachment: { filename, content_type: part.content_type, content: readPart(message, part) } }
}

function nestedMessage(message: Buffer, path: readonly number[]): Buffer | null {
  let bytes = message
  for (const index of path) {
    const part = readStructure(bytes).attachments[index]
    if (!part || !messageTypes.has(part.content_type)) return null
    bytes = readPart(bytes, part)
  }
  return bytes
}

const messageTypes: ReadonlySet<string> = new Set(['message/rfc822', 'message/global'])
