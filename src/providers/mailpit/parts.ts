import { createHash } from 'node:crypto'
import type { Inbox } from '../../inbox/methods.ts'
import type { Mail, MimeTree } from '../../inbox/types.ts'
import type { Attachment } from './schema.ts'

/**
 * The ids that Mailpit gives to the leaves of a message: `0` for the only one, else the places in the multiparts, as
 * `2` or `1.3`.
 *
 * @returns By the index of the leaf.
 */
export function partIds({ parts }: Pick<MimeTree, 'parts'>): Map<number, string> {
  const ids = new Map<number, string>()
  /** How many parts there were so far, by their depth, on the way to the current one. */
  const places: number[] = []
  for (const { depth, index } of parts) {
    places.length = Math.min(places.length, depth)
    places[depth - 1] = (places[depth - 1] ?? 0) + 1
    if (index !== null) ids.set(index, depth === 0 ? '0' : places.slice(0, depth).join('.'))
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
  const leaves = tree.parts.filter(({ role }) => role === 'attachment')
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
      PartID: ids.get(leaves[index]?.index ?? -1) ?? '',
      FileName: filename,
      ContentType: content_type,
      ContentID: content_id ?? '',
      Size: size_bytes,
      Checksums: { MD5: md5.digest('hex'), SHA1: sha1.digest('hex'), SHA256: sha256 },
    })
  }
  return attachments
}
