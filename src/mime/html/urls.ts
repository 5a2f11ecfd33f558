import { withoutEnding } from '../../core/text.ts'

/** Stands for a relative URL, which a browser would resolve against the server of Localpost. */
export const blockedAddress: string = 'about:invalid'

/**
 * An address of a mail that no browser resolves against that of the document: {@link blockedAddress} for a relative one, and
 * `//host` with `http:`. A fragment stays, because it leads to a place in the same document.
 *
 * @param address  As written, entities decoded.
 * @see https://url.spec.whatwg.org/#concept-basic-url-parser
 */
export function absoluteAddress(address: string): string {
  // The usual forms, so that images of megabytes in `data:` are not copied.
  if (usual.test(address)) return address
  // Browsers ignore these, even in the middle of `http:`.
  const plain = address.replace(/[\t\n\r]/g, '').replace(/^[\0-\x20]+/, '')
  if (plain === '' || plain.startsWith('#')) return address
  if (/^[\\/]{2}/.test(plain)) return URL.canParse(`http:${plain}`) ? `http:${plain}` : blockedAddress
  // Without slashes it is resolved against a document of the same scheme.
  if (/^https?:/i.test(plain)) return /^https?:[\\/]{2}/i.test(plain) ? plain : blockedAddress
  return /^[a-z][a-z0-9+.-]*:/i.test(plain) ? plain : blockedAddress
}

const usual = /^(?:https?:\/\/|data:|cid:|mailto:|tel:)/i

/** Whether an address is loaded from a server. */
export function isRemote(address: string): boolean {
  return /^https?:/i.test(address)
}

/** The attributes whose value is one address that a browser loads or navigates to. */
export const addressAttributes: ReadonlySet<string> = new Set(
  (
    'href xlink:href src background poster action formaction data lowsrc dynsrc cite longdesc profile codebase classid ' +
    'archive code icon manifest xml:base definitionurl'
  ).split(' '),
)

/** The attributes whose value is a list of addresses, each with its width or density. */
export const sourceAttributes: ReadonlySet<string> = new Set(['srcset', 'imagesrcset'])

/**
 * A `srcset` with the images that have absolute addresses. Takes linear time; images after the first thousand are left out.
 *
 * @param clean  Returns an address that is absolute; {@link blockedAddress} leaves the image out.
 * @see https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
 */
export function absoluteSources(srcset: string, clean = absoluteAddress): string {
  const kept: string[] = []
  let at = 0
  for (let count = 0; at < srcset.length && count < maxSources; count++) {
    while (' \t\n\f\r,'.includes(srcset.charAt(at)) && at < srcset.length) at++
    const start = at
    at = nextOf(/[ \t\n\f\r]/g, srcset, start)
    const written = withoutEnding(srcset.slice(start, at), ',')
    let descriptor = ''
    // A comma after the address ends the image.
    if (start + written.length === at) {
      const end = endOfImage(srcset, at)
      descriptor = srcset.slice(at, end).trim()
      at = end
    }
    if (written === '') continue
    const address = clean(written)
    if (address === blockedAddress) continue
    if (descriptor === '' || size.test(descriptor)) kept.push(`${address} ${descriptor}`.trim())
  }
  return kept.join(', ')
}

/** Where an image ends: at the next comma outside parentheses. One expression would need a stack as long as the text. */
function endOfImage(srcset: string, from: number): number {
  let at = nextOf(/[,(]/g, srcset, from)
  while (srcset[at] === '(') at = nextOf(/[,(]/g, srcset, nextOf(/\)/g, srcset, at))
  return at
}

/** Where a global pattern is found next; the length of the text if it is not. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** The width or the density of an image. */
const size = /^[\d.]{1,20}[wxh]$/
// No real image has as many versions.
const maxSources = 1000
