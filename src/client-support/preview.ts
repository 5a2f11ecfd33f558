import { withoutEnding } from '../core/text.ts'
import { createLineAt } from '../core/line-at.ts'
import { scannedLength } from '../mime/html/scan-html.ts'
import { clientSupport } from './client-support.ts'
import { asWord } from './conditional-comments.ts'
import { features } from './features.ts'
import { maxPlaces, placeText } from './find-features.ts'
import type { ImagePart } from './html-features.ts'
import { previewedClient, ruleTitles, type PreviewClient } from './preview-clients.ts'
import type { Ignored } from './preview-css.ts'
import { filterHtml } from './preview-html.ts'
import type { MailPreview, RemovedFeature } from './types.ts'

/**
 * The HTML of a mail without what a mail client ignores, from the tables of Can I email and what else is known of the
 * client: an approximation of what the client shows. Nothing is fetched.
 *
 * @throws validation_error for a client without a preview.
 */
export function previewHtml(
  mail: { html: string; attachments: readonly ImagePart[] },
  client: PreviewClient,
): MailPreview {
  const previewed = previewedClient(client)
  const { html, ignored } = clip(mail.html, previewed.rules.maxHtmlBytes)
  const read = previewed.rules.isWord ? asWord(html) : { html, ignored: [] }
  const filtered = filterHtml(read.html, previewed, mail.attachments)
  const lineAt = createLineAt(read.html)
  const removed = new Map<string, RemovedFeature>()
  for (const { feature, start, snippet } of [...ignored, ...read.ignored, ...filtered.ignored]) {
    const row = removed.get(feature) ?? { ...described(feature), count: 0, places: [] }
    removed.set(feature, row)
    row.count++
    if (row.places.length < maxPlaces) row.places.push({ line: lineAt(start), snippet: placeText(snippet) })
  }
  const note = `An approximation of ${previewed.name}: what it is known to ignore is removed.`
  const shown = ignored.some(({ feature }) => feature === 'clipped')
    ? `${filtered.html}<p>[Message clipped]</p>`
    : filtered.html
  return { client, name: previewed.name, note, html: shown, removed: [...removed.values()] }
}

/** The part of the HTML that is shown, to the last whole tag. */
function clip(html: string, maxBytes?: number): { html: string; ignored: Ignored[] } {
  const isClipped = maxBytes !== undefined && Buffer.byteLength(html) > maxBytes
  if (!isClipped && html.length <= scannedLength) return { html, ignored: [] }
  const shown = isClipped
    ? withoutEnding(Buffer.from(html.slice(0, maxBytes)).subarray(0, maxBytes).toString(), '\ufffd')
    : html.slice(0, scannedLength)
  const tag = shown.lastIndexOf('<')
  const start = tag > shown.lastIndexOf('>') ? tag : shown.length
  const snippet = `${html.length - start} characters`
  return {
    html: html.slice(0, start),
    ignored: [{ feature: isClipped ? 'clipped' : 'too-long', start, snippet }],
  }
}

function described(feature: string): Pick<RemovedFeature, 'feature' | 'title' | 'url'> {
  const existing = features.get(feature)
  if (existing) return { feature, title: existing.title, url: existing.url }
  const rule = Object.entries(ruleTitles).find(([id]) => id === feature)
  return { feature, title: rule?.[1] ?? feature, url: null }
}

/** The work of this folder for the worker thread. */
export const clientSupportJobs: { clientSupport: typeof clientSupport; preview: typeof previewHtml } = {
  clientSupport,
  preview: previewHtml,
}
