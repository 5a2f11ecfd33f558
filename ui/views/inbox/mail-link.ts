/** A link of a mail that may be opened. */
export interface MailLink {
  /** The whole address, as the browser reads it: an international host is in A-labels. */
  href: string
  /** The target of a tracked link; null for a link that is not tracked. */
  target: string | null
  /** The host that the text of the link shows, if the link leads to another one. */
  shownHost: string | null
}

/**
 * Reads a link of a mail: only http, https, mailto and tel; null for every other URL.
 *
 * @param href  As written in the mail, so it is not trusted.
 * @param own  The origins whose tracking URLs count as tracked links. Any other host could imitate such a URL.
 */
export function readLink(href: string, text: string, own: OwnAddresses): MailLink | null {
  const trimmed = href.trim()
  if (trimmed.length > longestHref || !URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  if (!opened.has(url.protocol)) return null
  const target = targetOf(url, own)
  const leadsTo = target === null ? url : new URL(target)
  const shown = /^https?:$/.test(leadsTo.protocol) ? hostIn(text) : null
  const isSame = shown === null || isHostOf(leadsTo.hostname, shown)
  return { href: url.href, target, shownHost: isSame ? null : shown }
}

/** The tracking URLs of a mail. */
export interface OwnAddresses {
  mailId: string
  /** Of the instance, as {@link ownOrigins} gives them. */
  origins: readonly string[]
}

/**
 * The origins at which tracking URLs belong to this instance.
 *
 * @param page  The origin that the page was opened at.
 */
export function ownOrigins(
  health: { url: string | null; tracking_url: string | null } | null,
  page: string,
): string[] {
  const urls = [page, health?.url ?? null, health?.tracking_url ?? null]
  return urls.flatMap((url) => (url === null ? [] : [new URL(url).origin]))
}

/** Opens a link in a new tab without access to this page and without a referrer. */
export function openLink(href: string): void {
  const anchor = document.createElement('a')
  anchor.href = href
  anchor.target = '_blank'
  anchor.rel = 'noopener noreferrer'
  anchor.click()
}

const longestHref = 20_000
const opened: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/** The target of a tracking URL of this mail, read from its token. The token is signed but not encrypted; the page does not check the signature. */
function targetOf(url: URL, { mailId, origins }: OwnAddresses): string | null {
  if (!origins.includes(url.origin)) return null
  const [, payload] = /\/t\/c\/([\w-]+)\.[\w-]+$/.exec(url.pathname) ?? []
  if (payload === undefined) return null
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) =>
      char.charCodeAt(0),
    )
    const token: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (!Array.isArray(token) || token[1] !== 'c' || token[2] !== mailId) return null
    const link: unknown = token[4]
    return typeof link === 'string' && /^https?:/i.test(link) && URL.canParse(link)
      ? new URL(link).href
      : null
  } catch {
    return null
  }
}

/** The host that a reader sees in a text: that of the first URL in it, or of the whole text if that is a host with or without a path. */
function hostIn(text: string): string | null {
  const plain = text.trim().slice(0, 2000)
  const [, written] = /https?:\/\/([^\s/?#:]{1,253})/i.exec(plain) ?? alone.exec(plain) ?? []
  const url = `http://${written}`
  if (written === undefined || fileName.test(written) || !URL.canParse(url)) return null
  return new URL(url).hostname
}

const alone = /^((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})(?:[/?#:]\S*)?$/u
/** A name such as `Vue.js` or `report.pdf` is not a host. */
const fileName = /\.(?:js|ts|md|json|html?|css|txt|pdf|csv|zip|png|jpe?g|gif|docx?|xlsx?)$/i

function isHostOf(actual: string, shown: string): boolean {
  const bare = (host: string): string => host.replace(/^www\./, '').replace(/\.$/, '')
  return bare(actual) === bare(shown) || bare(actual).endsWith(`.${bare(shown)}`)
}
