import type { Severity } from './types.ts'

/** A fault of a link: it does not work, should not be sent like this, or is good to know. */
export interface LinkFault {
  severity: Severity
  reason: string
}

/**
 * Checks the URL of a link without fetching it.
 *
 * @param href  As written, trimmed.
 * @returns null if it is fine.
 */
export function linkFault(href: string): LinkFault | null {
  if (href === '') return error('it is empty')
  if (href === '#') return error('it leads nowhere')
  // A place in the mail, or a link that opens another app.
  if (/^(?:#|mailto:.|tel:.|sms:.)/i.test(href)) return null
  if (/^javascript:/i.test(href)) return error('mail clients run no scripts')
  // Another check finds placeholders.
  if (/^(?:\{\{|\{%|<%|\*\||%recipient\.)/.test(href)) return null
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(href)?.[1]?.toLowerCase()
  if (scheme === undefined) return error('it is relative, and a mail has no address to start from')
  // Apps register their own schemes.
  if (scheme !== 'http' && scheme !== 'https') return null
  const host = hostOf(href)
  if (host === null) return error('it is not an address')
  if (localHost.test(host)) return { severity: 'note', reason: 'it works on this machine only' }
  if (placeholderHost.test(host)) return warning('its host is a placeholder')
  if (ipHost.test(host)) return warning('its host is an IP address, which spam filters distrust')
  return scheme === 'http' ? warning('it is not encrypted: http') : null
}

const localHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/
const placeholderHost =
  /(?:^|\.)(?:example(?:\.(?:com|org|net))?|invalid|your-?(?:site|domain|company|app|website)\.[a-z]+)$/
// The URL parser writes every form of an IPv4 address as four numbers.
const ipHost = /^(?:\d+(?:\.\d+){3}|\[.*\])$/

const error = (reason: string): LinkFault => ({ severity: 'error', reason })
const warning = (reason: string): LinkFault => ({ severity: 'warning', reason })

function hostOf(href: string): string | null {
  try {
    return new URL(href.slice(0, 4000)).hostname || null
  } catch {
    return null
  }
}
