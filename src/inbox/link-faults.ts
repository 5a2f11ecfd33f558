/** What is wrong with a link: it leads nowhere, or it should not go out like this. */
export interface LinkFault {
  verdict: 'fail' | 'warning'
  reason: string
}

/**
 * Looks at the address of a link, without asking anybody.
 *
 * @param href  As written, trimmed.
 * @returns null where nothing is wrong with it.
 */
export function linkFault(href: string): LinkFault | null {
  if (href === '') return fail('it is empty')
  if (href === '#') return fail('it leads nowhere')
  // Inside the mail, or what opens another app.
  if (/^(?:#|mailto:.|tel:.|sms:.)/i.test(href)) return null
  if (/^javascript:/i.test(href)) return fail('mail clients run no scripts')
  // A placeholder is said elsewhere.
  if (/^(?:\{\{|\{%|<%|\*\||%recipient\.)/.test(href)) return null
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(href)?.[1]?.toLowerCase()
  if (scheme === undefined) return fail('it is relative, and a mail has no address to start from')
  // Apps register schemes of their own.
  if (scheme !== 'http' && scheme !== 'https') return null
  const host = hostOf(href)
  if (host === null) return fail('it is no address')
  if (localHost.test(host)) return warning('it works on this machine only')
  if (placeholderHost.test(host)) return warning('its host is a placeholder')
  return scheme === 'http' ? warning('it is not encrypted: http') : null
}

const localHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/
const placeholderHost =
  /(?:^|\.)(?:example(?:\.(?:com|org|net))?|invalid|your-?(?:site|domain|company|app|website)\.[a-z]+)$/

const fail = (reason: string): LinkFault => ({ verdict: 'fail', reason })
const warning = (reason: string): LinkFault => ({ verdict: 'warning', reason })

function hostOf(href: string): string | null {
  try {
    return new URL(href.slice(0, 4000)).hostname || null
  } catch {
    return null
  }
}
