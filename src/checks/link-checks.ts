import type { HtmlImage } from './html-facts.ts'
import { linkFault } from './link-faults.ts'
import type { CheckRow, Found, FoundPlace } from './subject.ts'

/** Checks of links and images. Nothing is fetched. */
export const linkChecks: readonly CheckRow[] = [
  {
    id: 'links',
    title: 'Links have complete addresses',
    group: 'Links and images',
    severity: 'error',
    about:
      'Links that lead nowhere, are relative, run scripts, are not encrypted, or name a placeholder or an IP address. ' +
      'A link to localhost is a note. Nothing is fetched: a complete address may still answer 404.',
    fix: 'Write the complete https address of the page.',
    link: 'https://www.rfc-editor.org/rfc/rfc3986#section-4.3',
    run({ mail, html }) {
      const links =
        mail.html === '' ? mail.links.map(({ href, text }) => ({ href, text, offset: null })) : html.links
      if (links.length === 0) return null
      const found: Found[] = []
      for (const { href, text, offset } of links) {
        const fault = linkFault(href)
        if (!fault) continue
        const name = text.replace(/\s+/g, ' ').trim().slice(0, 100)
        const place: FoundPlace = offset === null ? { text: null, snippet: href } : { html: offset }
        const what = name === '' || name === href ? 'The link' : `The link ${JSON.stringify(name)}`
        const message = `${what} to ${href === '' ? '""' : cut(href)}: ${fault.reason}.`
        found.push({ severity: fault.severity, message, place })
      }
      return found
    },
  },
  {
    id: 'images',
    title: 'Images have a source that clients can load',
    group: 'Links and images',
    severity: 'error',
    about:
      'Images without a source, with a relative one, or with a `cid:` that no part of the mail has. Nothing is fetched: ' +
      'a complete address may still answer 404.',
    fix: 'Use the complete https address of the image, or attach the image and name its Content-ID.',
    link: 'https://www.rfc-editor.org/rfc/rfc2392',
    run({ mail: { attachments }, html: { images } }) {
      if (images.length === 0) return null
      const ids = new Set(attachments.map(({ content_id }) => content_id))
      const found: Found[] = []
      for (const { src, offset } of images) {
        const reason = imageFault(src, ids)
        if (reason !== null) found.push({ message: reason, place: { html: offset } })
      }
      return found
    },
  },
  {
    id: 'tracking-pixel',
    title: 'No image tracks when the mail is opened',
    group: 'Links and images',
    severity: 'note',
    about:
      'Images of one pixel. Many clients load them although nobody reads the mail, so they say little about openings.',
    fix: 'Keep it if you need it, and say so in your privacy notice.',
    link: 'https://support.apple.com/guide/mail/use-mail-privacy-protection-mlhl03be2866/mac',
    run({ html: { images } }) {
      if (images.length === 0) return null
      return images
        .filter(({ isPixel }) => isPixel)
        .map(({ src, offset }) => ({
          message: `An image of one pixel tracks when the mail is opened: ${cut(src)}.`,
          place: { html: offset },
        }))
    },
  },
]

function imageFault(src: HtmlImage['src'], ids: ReadonlySet<string | null>): string | null {
  if (src === '') return 'The image has no source.'
  const id = /^cid:(.*)$/i.exec(src)?.[1]
  if (id !== undefined) return ids.has(decoded(id)) ? null : `The mail has no part for the image ${cut(src)}.`
  if (/^(?:https?|data):|^(?:\{\{|\{%|<%)/i.test(src)) return null
  return `No mail client can load the image ${cut(src)}.`
}

function decoded(contentId: string): string {
  try {
    return decodeURIComponent(contentId)
  } catch {
    return contentId
  }
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
