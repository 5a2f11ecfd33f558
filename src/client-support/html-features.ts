/** The attributes that show features. */
export const featureAttributes = [
  'align',
  'aria-describedby',
  'aria-hidden',
  'aria-label',
  'aria-labelledby',
  'aria-live',
  'background',
  'cellpadding',
  'cellspacing',
  'dir',
  'height',
  'hidden',
  'href',
  'inert',
  'lang',
  'loading',
  'name',
  'popover',
  'required',
  'role',
  'sizes',
  'src',
  'srcset',
  'style',
  'target',
  'type',
  'usemap',
  'valign',
  'width',
] as const

/** The attributes of an element, as far as they are in {@link featureAttributes}. */
export type FeatureAttributes = { [name in (typeof featureAttributes)[number]]?: string }

/** The features that an element uses, by slug; each once. */
export function elementFeatures(name: string, attributes: FeatureAttributes): Set<string> {
  const found = new Set([...(byElement.get(name) ?? []), ...ofValues(name, attributes)])
  for (const attribute of Object.keys(attributes)) {
    const slug = byAttribute.get(attribute)
    if (slug !== undefined) found.add(slug)
  }
  return found
}

/** Whether it is the element itself that a feature is about, and not one of its attributes. */
export function isOfElement(name: string, slug: string): boolean {
  if (byElement.get(name)?.includes(slug)) return true
  return slug === 'html-meta-color-scheme' || /^html-(?:button|input)-/.test(slug)
}

/** The attributes that use a feature. */
export function attributesOf(slug: string): readonly (keyof FeatureAttributes)[] {
  if (slug === 'html-anchor-links' || slug === 'html-mailto-links') return ['href']
  return featureAttributes.filter((name) => byAttribute.get(name) === slug)
}

/** A part of a message, as far as its use as an image depends on it. */
export interface ImagePart {
  content_type: string
  content_id: string | null
}

/** The features of an image: its format, and whether the URL holds it. */
export function imageFeatures(url: string, parts: readonly ImagePart[]): string[] {
  const id = /^cid:(.*)$/i.exec(url.trim())?.[1]
  const slug =
    id === undefined
      ? formatOf(url)
      : formatOfType(parts.find(({ content_id }) => content_id === id)?.content_type ?? '')
  const isData = /^data:[^,]{0,200};base64,/i.test(url)
  return [...(slug === null ? [] : [slug]), ...(isData ? ['image-base64'] : [])]
}

/** The URLs of the images that an element shows. */
export function imagesOf(name: string, { src, srcset, background }: FeatureAttributes): string[] {
  const shown = name === 'img' || name === 'source' || name === 'input'
  const candidates =
    shown && srcset !== undefined ? srcset.split(',', 100).map((one) => one.trim().split(/\s/)[0]) : []
  return [shown ? src : undefined, background, ...candidates].filter((url) => url !== undefined)
}

/** The feature for the format of an image, by slug; null if its URL does not show the format. */
function formatOf(url: string): string | null {
  const ending = /^data:image\/([\w.+-]+)/i.exec(url)?.[1] ?? /\.(\w+)(?:[?#]|$)/.exec(url)?.[1] ?? ''
  return formats.get(ending.toLowerCase()) ?? null
}

/** The feature for the content type of an image, by slug. */
function formatOfType(contentType: string): string | null {
  return formats.get(/^(?:image|video)\/([\w.+-]+)/.exec(contentType)?.[1] ?? '') ?? null
}

function* ofValues(name: string, { href, type, name: named }: FeatureAttributes): Generator<string> {
  if (name === 'a' && href !== undefined) {
    if (/^\s*#./.test(href)) yield 'html-anchor-links'
    if (/^\s*mailto:/i.test(href)) yield 'html-mailto-links'
  }
  if (name === 'meta' && /^color-scheme$/i.test(named ?? '')) yield 'html-meta-color-scheme'
  // The default type of a button is `submit`, that of an input is `text`.
  const kind = (type ?? '').trim().toLowerCase()
  if (name === 'button') yield `html-button-${kind || 'submit'}`
  if (name === 'input') yield `html-input-${kind || 'text'}`
}

const elements: Readonly<Record<string, readonly string[]>> = {
  'html-h1-h6': ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  'html-image-maps': ['map', 'area'],
  'html-lists': ['ul', 'ol', 'dl'],
  'html-semantics':
    'article aside details figcaption figure footer header main mark nav section summary time'.split(' '),
  // Elements whose feature has their name.
  ...Object.fromEntries(
    (
      'abbr acronym address audio base bdi blockquote body code del dfn dialog div form hr img link marquee meter object ' +
      'p picture pre progress rp rt ruby select small span strike strong style svg table textarea video wbr'
    )
      .split(' ')
      .map((name) => [`html-${name}`, [name]]),
  ),
}

const byElement: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(elements).flatMap(([slug, names]) => names.map((name) => [name, [slug]])),
)

const byAttribute: ReadonlyMap<string, string> = new Map([
  ['inert', 'css-inert-attribute'],
  ['loading', 'html-loading-attribute'],
  ['usemap', 'html-image-maps'],
  ['srcset', 'html-srcset'],
  ['sizes', 'html-srcset'],
  // Attributes whose feature has their name.
  ...(
    'align aria-describedby aria-hidden aria-label aria-labelledby aria-live background cellpadding cellspacing dir ' +
    'height hidden lang popover required role target valign width'
  )
    .split(' ')
    .map((name): [string, string] => [name, `html-${name}`]),
])

const formats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image-apng': ['apng', 'vnd.mozilla.apng'],
    'image-avif': ['avif'],
    'image-bmp': ['bmp', 'x-ms-bmp'],
    'image-gif': ['gif'],
    'image-hdr': ['hdr', 'vnd.radiance'],
    'image-heif': ['heif', 'heic'],
    'image-ico': ['ico', 'x-icon', 'vnd.microsoft.icon'],
    'image-jpg': ['jpg', 'jpeg'],
    'image-mp4': ['mp4'],
    'image-png': ['png'],
    'image-svg': ['svg', 'svg+xml'],
    'image-tiff': ['tif', 'tiff'],
    'image-webp': ['webp'],
  }).flatMap(([slug, names]) => names.map((name) => [name, slug])),
)
