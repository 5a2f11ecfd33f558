import { createHtmlCleaner } from './clean-element.ts'
import { parseHtml } from './parse-html.ts'
import type { RemoteContent } from './remote-content.ts'
import { writeHtml, type WrittenHtml } from './write-html.ts'

/**
 * Removes from HTML everything that makes a browser connect, look up names, run scripts or navigate without an action of
 * the reader, and that no Content-Security-Policy blocks: `<link>` of any kind (preconnect, dns-prefetch, …),
 * `<meta http-equiv>`, `<base>`, scripts (speculation rules, web bundles), frames and plug-ins, templates with their shadow
 * roots, and the attributes `ping` and `attributionsrc`. Relative URLs, which would lead to Localpost itself, are replaced
 * by one that leads nowhere.
 *
 * The HTML is parsed as browsers do, and what stays of the tree is written anew. SVG and MathML stay only if the written
 * HTML has the same meaning when it is parsed again.
 *
 * @param html  Any HTML. Some megabytes take a second, so long HTML belongs in the worker thread.
 * @param remote  What the reader asked to load: `all` keeps links to style sheets over http(s), and both `all` and
 * `images` remove tracking pixels. Default: `none`.
 */
export function withoutConnections(
  html: string,
  { remote = 'none' }: { remote?: RemoteContent } = {},
): string {
  const written = rewrite(html, { remote, withForeign: html.length <= longestForeign })
  if (!written.hasForeign) return written.html
  const again = rewrite(written.html, { remote, withForeign: true })
  return again.html === written.html ? written.html : rewrite(html, { remote, withForeign: false }).html
}

/** The SVG of a longer mail is left out: to parse it a second time would take too long. */
const longestForeign = 1_000_000

/** @param how.withForeign  Whether SVG and MathML stay. */
function rewrite(
  html: string,
  { remote, withForeign }: { remote: RemoteContent; withForeign: boolean },
): WrittenHtml {
  return writeHtml(parseHtml(html), createHtmlCleaner(remote), { withForeign })
}
