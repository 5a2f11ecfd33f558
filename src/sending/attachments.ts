import { checkAttachments, type AttachmentSources } from '../attachments/attachments.ts'
import type { ReadReference } from '../attachments/reference.ts'
import type { FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { SentAttachment } from './types.ts'

/**
 * Checks the attachments of a request as far as this is possible without fetching.
 *
 * @param errors  Receives one entry per wrong attachment.
 * @returns The references to store, bytes as `data:` URIs, and the encoded size in bytes of those whose size is known.
 */
export async function readAttachments(
  attachments: readonly SentAttachment[],
  sources: Pick<AttachmentSources, 'root'>,
  errors: FieldError[],
): Promise<{ references: readonly ReadReference[]; size: number }> {
  const references = attachments.map(toReference)
  const found: FieldError[] = []
  const size = await checkAttachments(references, sources, found)
  for (const error of found) errors.push(inWordsOf(attachments, error))
  const ids = new Set<string>()
  for (const [i, { content_id }] of attachments.entries()) {
    if (content_id === undefined) continue
    const message = `is that of an earlier attachment too: ${quote(content_id)}`
    if (ids.has(content_id)) errors.push({ field: `attachments[${i}].content_id`, message })
    ids.add(content_id)
  }
  return { references, size }
}

function toReference(attachment: SentAttachment): ReadReference {
  if (!('content' in attachment)) return attachment
  const { name, content, ...facts } = attachment
  return { filename: name, path: `data:application/octet-stream;base64,${content}`, ...facts }
}

/**
 * The same error with the members of the request: bytes have no path. `checkAttachments` names fields as
 * `attachments[0].path`.
 */
function inWordsOf(attachments: readonly SentAttachment[], error: FieldError): FieldError {
  const [, index = '', member] = /^attachments\[(\d+)\]\.(\w+)$/.exec(error.field) ?? []
  const attachment = attachments[Number(index)]
  if (!attachment || !('content' in attachment)) return error
  const { content } = attachment
  if (member === 'path')
    return { field: `attachments[${index}].content`, message: `must be base64, not ${quote(content)}` }
  return member === 'filename' ? { ...error, field: `attachments[${index}].name` } : error
}
