/** The image formats that every browser shows, by the extension of a name. Never SVG: it is a document with scripts. */
const byExtension: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['jpe', 'image/jpeg'],
  ['jfif', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
])
const shown: ReadonlySet<string> = new Set(byExtension.values())

/** How many octets of an image show its format. */
export const signatureBytes = 32

/**
 * The type as which a browser can show a part that HTML names as an image. Where the declared type is not one of
 * {@link shown}, and says nothing, the extension of the name decides, then the first octets.
 *
 * @param first  The first {@link signatureBytes} octets of the content.
 * @returns Null if it is not an image that browsers show, or declared as something else, such as SVG or HTML.
 */
export function shownImageType(
  { content_type, filename }: { content_type: string; filename: string | null },
  first: () => Buffer,
): string | null {
  if (shown.has(content_type)) return content_type
  if (!saysNothing.test(content_type)) return null
  const extension = /\.(\w{1,5})$/.exec(filename ?? '')?.[1] ?? ''
  return byExtension.get(extension.toLowerCase()) ?? typeOf(first().toString('latin1'))
}

/** Types that programs write for any file, misspelled types of images, and the default of a part without a type. */
const saysNothing =
  /^(?:image\/(?!svg)|binary\/|unknown\/|text\/plain$|application\/(?:octet-?stream|x-|unknown|binary|(?:force-)?download))/

function typeOf(first: string): string | null {
  return signatures.find(([signature]) => signature.test(first))?.[1] ?? null
}

/** https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm, and AVIF of ISO/IEC 23000-22. */
const signatures: readonly (readonly [signature: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBPVP/, 'image/webp'],
  [/^[^]{4}ftypavi[fs]/, 'image/avif'],
  // Two letters alone would be too common; four octets of a bitmap's header are reserved.
  [/^BM[^]{4}\0\0\0\0/, 'image/bmp'],
]
