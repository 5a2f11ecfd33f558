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

/** Whether one of the images that a `srcset` offers has a relative address. */
export function hasRelativeSource(srcset: string): boolean {
  return srcset
    .split(/[\t\n\f\r ]+/)
    .map((word) => word.replace(/^,+|,+$/g, ''))
    .some((word) => !/^[\d.]+[wxh]$/.test(word) && isRelative(word))
}

/**
 * CSS in which relative addresses lead {@link nowhere}: those of `url()` and `image-set()`. Costs linear time.
 *
 * @param css  A style sheet or the value of a `style` attribute; anything is fine.
 */
export function withoutRelativeUrls(css: string): string {
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
