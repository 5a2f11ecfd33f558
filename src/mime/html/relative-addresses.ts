/** Replaces a relative URL, which a browser would resolve against the server of Localpost. */
export const nowhere: string = 'about:invalid'

/**
 * Whether a browser resolves an address against that of the document. Fragments do not count, because they stay in the
 * document.
 *
 * @param address  As written, entities decoded.
 * @see https://url.spec.whatwg.org/#concept-basic-url-parser
 */
export function isRelative(address: string): boolean {
  const plain = address.replace(/[\t\n\r]/g, '').replace(/^[\x00-\x20]+/, '')
  if (plain === '' || plain.startsWith('#') || /^[\\/]{2}/.test(plain)) return false
  // Without slashes it is resolved against a document of the same scheme.
  if (/^https?:/i.test(plain)) return !/^https?:[\\/]{2}/i.test(plain)
  return !/^[a-z][a-z0-9+.-]*:/i.test(plain)
}

/** The attributes whose value is one address that a browser loads or navigates to. */
export const addressAttributes: ReadonlySet<string> = new Set([
  'href',
  'xlink:href',
  'src',
  'background',
  'poster',
  'action',
  'formaction',
  'data',
  'lowsrc',
  'dynsrc',
])

/** Whether one of the images that a `srcset` offers has a relative address, or there are too many to look. */
export function hasRelativeSource(srcset: string): boolean {
  let words = 0
  for (const [word] of srcset.matchAll(/[^\t\n\f\r ]+/g)) {
    if (++words > mostSourceWords) return true
    const plain = withoutCommas(word)
    if (!/^[\d.]+[wxh]$/.test(plain) && isRelative(plain)) return true
  }
  return false
}

// No image offers as many.
const mostSourceWords = 1000

/** A word without the commas around it. A regular expression takes quadratic time for many commas inside. */
function withoutCommas(word: string): string {
  let start = 0
  let end = word.length
  while (word[start] === ',') start++
  while (end > start && word[end - 1] === ',') end--
  return word.slice(start, end)
}

/**
 * CSS in which relative addresses lead {@link nowhere}: those of `url()` and `image-set()`. Costs linear time; CSS with
 * more than 20,000 addresses and quotes is left out, because it would block the event loop.
 *
 * @param css  A style sheet or the value of a `style` attribute; anything is fine.
 */
export function withoutRelativeUrls(css: string): string {
  if (css.length > mostMarks && hasManyMarks(css)) return ''
  return css
    .replace(/(url\(\s*["']?)([^"')]*)/gi, (written, open: string, address: string) =>
      isRelative(address) ? open + nowhere : written,
    )
    .replace(/image-set\([^;{}]*/gi, (set) =>
      set.replace(/(?<!type\(\s{0,9})(["'])([^"'\n]*)\1/g, (written, quote: string, address: string) =>
        isRelative(address) ? quote + nowhere + quote : written,
      ),
    )
}

const mostMarks = 20_000

/** Whether it has too many places to look at. */
function hasManyMarks(css: string): boolean {
  const marks = /url\(|["']/gi
  let count = 0
  while (marks.test(css)) if (++count > mostMarks) return true
  return false
}
