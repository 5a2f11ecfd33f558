import { percentDecoded } from '../core/text.ts'
import { shownImageType, signatureBytes } from '../mime/image-type.ts'
import type { PlacedPart } from '../mime/part.ts'
import { readPart } from '../mime/part-stream.ts'

/** An image of a mail that its HTML may show. */
export interface InlineImage extends Pick<PlacedPart, 'content_type' | 'content_id'> {
  size_bytes: number
  content: Buffer
}

/** Reads the images that `cid:` references may name, each with a type that browsers show. */
export function readInlineImages(message: Buffer, attachments: readonly PlacedPart[]): InlineImage[] {
  const images: InlineImage[] = []
  for (const part of attachments) {
    const { content_id, start, end } = part
    if (content_id === null || end - start > maxEncodedBytes) continue
    const content_type = shownImageType(part, () => firstBytes(message, part))
    if (content_type === null) continue
    const content = readPart(message, part)
    images.push({ content_type, content_id, size_bytes: content.length, content })
  }
  return images
}

function firstBytes(message: Buffer, part: PlacedPart): Buffer {
  const end = Math.min(part.end, part.start + firstEncodedBytes)
  return readPart(message, { ...part, end }).subarray(0, signatureBytes)
}

/**
 * Replaces the `cid:` references to images of the mail by `data:` URIs, because a sandboxed frame can load nothing
 * else. Other references stay as they are.
 *
 * @see RFC 2392
 */
export function withInlineImages(html: string, available: readonly InlineImage[]): string {
  const images = new Map<string, InlineImage>()
  for (const image of available) if (image.content_id !== null) images.set(image.content_id, image)
  if (images.size === 0) return html
  let remaining = maxInlinedBytes
  return html.replace(cidReference, (written, before: string, contentId: string) => {
    const image = images.get(percentDecoded(contentId))
    // A mail that refers to one large image a thousand times must not become gigabytes.
    if (!image || image.size_bytes > remaining) return written
    remaining -= image.size_bytes
    return `${before}data:${image.content_type};base64,${image.content.toString('base64')}`
  })
}

const maxInlinedBytes = 20_000_000
/** More than enough for a signature, also behind a first line of uuencode. */
const firstEncodedBytes = 1024
/** No transfer encoding is more than three times as long as its content. */
const maxEncodedBytes = 3 * maxInlinedBytes
// Bounded, because long runs of spaces after each of many equals signs would cost quadratic time.
const cidReference = /((?:=|\()[\s"']{0,16})cid:([^"'\s)>]+)/gi
