import { readBodies } from '../mime/bodies.ts'
import { readStructure } from '../mime/structure.ts'
import type { RemoteContent } from '../mime/html/remote-content.ts'
import { withoutConnections } from '../mime/html/without-connections.ts'
import { previewHtml } from '../client-support/preview.ts'
import type { PreviewClient } from '../client-support/preview-clients.ts'
import { withAppearance, type Appearance } from './appearance.ts'
import { readInlineImages, withInlineImages } from './inline-images.ts'

export interface PageOptions {
  /** For a frame: without anything that connects. Default: unchanged. */
  frame?: {
    appearance: Appearance | null
    remote: RemoteContent
    /** Without the parts that this mail client ignores. */
    client?: PreviewClient | undefined
  }
}

/**
 * The HTML of a mail with its inline images in place, as UTF-8.
 *
 * @param message  Its bytes, where the images are; null if no message has been written yet.
 * @param sent  The HTML of an API send; null if the HTML of the message is shown.
 */
export async function readPage(
  message: Buffer | null,
  sent: string | null,
  { frame }: PageOptions,
): Promise<Uint8Array> {
  const found = message && { message, structure: readStructure(message) }
  const stored =
    sent ?? (found ? readBodies(found.message, { text: [], html: found.structure.html }).html : '')
  const attachments = found?.structure.attachments ?? []
  // Made before the images are inlined, because the preview judges their formats, not their `data:` URIs.
  const html = frame?.client ? previewHtml({ html: stored, attachments }, frame.client).html : stored
  const images = found && /cid:/i.test(html) ? readInlineImages(found.message, attachments) : []
  const withImages = withInlineImages(html, images)
  if (!frame) return Buffer.from(withImages)
  const { appearance, remote } = frame
  const remoteImages = remote !== 'none'
  const shown = appearance ? withAppearance(withImages, appearance, { remoteImages }) : withImages
  return Buffer.from(withoutConnections(shown, { remote }))
}
