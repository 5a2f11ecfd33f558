import { shorten } from '../core/quote.ts'
import { cutText, percentDecoded } from '../core/text.ts'
import { shownUrlLength } from './lengths.ts'
import { beginsWithPlaceholder } from './placeholders.ts'
import type { CheckRow, Found, FoundPlace } from './check.ts'
import type { Severity } from './types.ts'

/** Checks of links and images. Nothing is fetched. */
export const linkChecks: readonly CheckRow[] = [
  {
    id: 'links',
    title: 'Links have complete addresses',
    headline: 'Links that may not work',
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
        const name = cutText(text.replace(/\s+/g, ' ').trim(), 100)
        const place: FoundPlace = offset === null ? { text: null, snippet: href } : { html: offset }
        const subject = name === '' || name === href ? 'The link' : `The link ${JSON.stringify(name)}`
        const message = `${subject} to ${href === '' ? '""' : shorten(href, shownUrlLength)}: ${fault.reason}.`
        found.push({ severity: fault.severity, message, place })
      }
      return found
    },
  },
  {
    id: 'images',
    title: 'Images have a source that clients can load',
    headline: 'Images that clients cannot load',
    severity: 'error',
    about:
      'Images without a source, with a relative one, or with a `cid:` that no part of the mail has. Nothing is fetched: ' +
      'a complete address may still answer 404.',
    fix: 'Use the complete https address of the image, or attach the image and name its Content-ID.',
    link: 'https://www.rfc-editor.org/rfc/rfc2392',
    run({ mail: { attachments }, html: { images } }) {
      if (images.length === 0) return null
      const ids = new Set(attachments.map(({ content_id }) => content_id))
      return images.flatMap(({ src, offset }) => {
        const message = imageFault(src, ids)
        return message === null ? [] : [{ message, place: { html: offset } }]
      })
    },
  },
  {
    id: 'tracking-pixel',
    title: 'No image tracks when the mail is opened',
    headline: 'An image tracks when the mail is opened',
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
          message: `An image of one pixel tracks when the mail is opened: ${shorten(src, shownUrlLength)}.`,
          place: { html: offset },
        }))
    },
  },
]

/** A fault of a link: it does not work, should not be sent like this, or is good to know. */
export interface LinkFault {
  severity: Severity
  reason: string
}

/**
 * Checks the URL of a link without fetching it. The first rule that applies decides: those of links that lead to no host come
 * before those of its scheme, and these before those of its host.
 *
 * @param href  As written, trimmed.
 * @returns null if it is fine.
 */
export function linkFault(href: string): LinkFault | null {
  if (href === '') return errorOf('it is empty')
  if (href === '#') return errorOf('it leads nowhere')
  // A place in the mail, or a link that opens another app.
  if (/^(?:#|mailto:.|tel:.|sms:.)/i.test(href)) return null
  if (/^javascript:/i.test(href)) return errorOf('mail clients run no scripts')
  // Another check finds placeholders.
  if (beginsWithPlaceholder(href)) return null
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(href)?.[1]?.toLowerCase()
  if (scheme === undefined) return errorOf('it is relative, and a mail has no address to start from')
  // Apps register their own schemes.
  if (scheme !== 'http' && scheme !== 'https') return null
  const host = hostOf(href)
  if (host === null) return errorOf('it is not an address')
  if (localHost.test(host)) return { severity: 'note', reason: 'it works on this machine only' }
  if (placeholderHost.test(host)) return warningOf('its host is a placeholder')
  if (ipHost.test(host)) return warningOf('its host is an IP address, which spam filters distrust')
  return scheme === 'http' ? warningOf('it is not encrypted: http') : null
}

const localHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/
const placeholderHost =
  /(?:^|\.)(?:example(?:\.(?:com|org|net))?|invalid|your-?(?:site|domain|company|app|website)\.[a-z]+)$/
// The URL parser writes every form of an IPv4 address as four numbers.
const ipHost = /^(?:\d+(?:\.\d+){3}|\[.*\])$/

const errorOf = (reason: string): LinkFault => ({ severity: 'error', reason })
const warningOf = (reason: string): LinkFault => ({ severity: 'warning', reason })

function hostOf(href: string): string | null {
  try {
    return new URL(href.slice(0, 4000)).hostname || null
  } catch {
    return null
  }
}

function imageFault(src: string, ids: ReadonlySet<string | null>): string | null {
  if (src === '') return 'The image has no source.'
  const id = /^cid:(.*)$/i.exec(src)?.[1]
  if (id !== undefined)
    return ids.has(percentDecoded(id))
      ? null
      : `The mail has no part for the image ${shorten(src, shownUrlLength)}.`
  if (/^(?:https?|data):/i.test(src) || beginsWithPlaceholder(src)) return null
  return `No mail client can load the image ${shorten(src, shownUrlLength)}.`
}
