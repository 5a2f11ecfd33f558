import { createHash } from 'node:crypto'
import type { Inbox } from '../../inbox/methods.ts'
import type { Mail, MimeTree } from '../../inbox/types.ts'
import type { Attachment } from './schema.ts'

/**
 * The ids that Mailpit gives to the leaves of a message: `0` for the only one, else the places in the multiparts, as
 * `2` or `1.3`.
 *
 * @returns By `index` of the leaf: its place among all leaves, not among the attachments.
 */
export function partIds({ parts }: Pick<MimeTree, 'parts'>): Map<number, string> {
  const ids = new Map<number, string>()
  /** How many parts there were so far, by their depth, on the way to the current one. */
  const places: number[] = []
  for (const { depth, index } of parts) {
    // The message itself: a leaf only if it has no parts.
    if (depth === 0) {
      if (index !== null) ids.set(index, '0')
      continue
    }
    places.length = Math.min(places.length, depth)
    places[depth - 1] = (places[depth - 1] ?? 0) + 1
    if (index !== null) ids.set(index, places.join('.'))
  }
  return ids
}

/** The attachments of a mail, in its order. Their bytes are read for the checksums, as streams. */
export async function readAttachments(
  inbox: Pick<Inbox, 'openAttachment'>,
  mail: Mail,
  tree: MimeTree,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const ids = partIds(tree)
  // The `index` of an attachment of a mail is its place among these.
  const attachmentIds = tree.parts.flatMap(({ role, index }) =>
    role === 'attachment' && index !== null ? (ids.get(index) ?? []) : [],
  )
  const attachments: Attachment[] = []
  for (const { index, filename, content_type, content_id, size_bytes, sha256 } of mail.attachments) {
    const { stream } = await inbox.openAttachment(mail.id, index, { signal })
    const [md5, sha1] = [createHash('md5'), createHash('sha1')]
    for await (const piece of stream as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      md5.update(piece)
      sha1.update(piece)
    }
    attachments.push({
      PartID: attachmentIds[index] ?? '',
      FileName: filename,
      ContentType: content_type,
      ContentID: content_id ?? '',
      Size: size_bytes,
      Checksums: { MD5: md5.digest('hex'), SHA1: sha1.digest('hex'), SHA256: sha256 },
    })
  }
  return attachments
}
