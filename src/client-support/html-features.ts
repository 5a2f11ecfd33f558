import type { TagAttributes } from '../mime/html/scan-html.ts'
import { slugsByName } from './features.ts'
import names from './names.json' with { type: 'json' }

/** The features that an element uses, by slug; each once. */
export function elementFeatures(name: string, attributes: TagAttributes): Set<string> {
  const found = new Set([...(byElement.get(name) ?? []), ...ofValues(name, attributes)])
  for (const attribute of Object.keys(attributes))
    for (const slug of byAttribute.get(attribute) ?? []) found.add(slug)
  return found
}

/** Whether it is the element itself that a feature is about, and not one of its attributes. */
export function isOfElement(name: string, slug: string): boolean {
  if (byElement.get(name)?.includes(slug)) return true
  return slug === 'html-meta-color-scheme' || /^html-(?:button|input)-/.test(slug)
}

/** The attributes that use a feature. */
export function attributesOf(slug: string): readonly string[] {
  if (slug === 'html-anchor-links' || slug === 'html-mailto-links') return ['href']
  return attributesBySlug.get(slug) ?? []
}

/** A part of a message, as far as its use as an image depends on it. */
export interface ImagePart {
  content_type: string
  content_id: string | null
}

/** The features of an image: its format, if the URL or the part shows it, and whether the URL holds the image. */
export function imageFeatures(url: string, parts: readonly ImagePart[]): string[] {
  const id = /^cid:(.*)$/i.exec(url.trim())?.[1]
  const part = id === undefined ? undefined : parts.find(({ content_id }) => content_id === id)
  const format =
    id === undefined ? formatInUrl(url) : /^(?:image|video)\/([\w.+-]+)/.exec(part?.content_type ?? '')?.[1]
  const isData = /^data:[^,]{0,200};base64,/i.test(url)
  return [...(byFormat.get(format ?? '') ?? []), ...(isData ? ['image-base64'] : [])]
}

function formatInUrl(url: string): string | undefined {
  const format = /^data:image\/([\w.+-]+)/i.exec(url)?.[1] ?? /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]
  return format?.toLowerCase()
}

/** The URLs of the images that an element shows. */
export function imagesOf(name: string, { src, srcset, background }: TagAttributes): string[] {
  const shown = name === 'img' || name === 'source' || name === 'input'
  const candidates =
    shown && srcset !== undefined ? srcset.split(',', 100).map((one) => one.trim().split(/\s/)[0]) : []
  return [shown ? src : undefined, background, ...candidates].filter((url) => url !== undefined)
}

function* ofValues(name: string, { href, type, name: named }: TagAttributes): Generator<string> {
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

const byElement = slugsByName(names.elements)
const byAttribute = slugsByName(names.attributes)
const attributesBySlug = new Map(
  Object.entries(names.attributes).map(([slug, attributes]) => [slug, attributes.split(' ')]),
)
/** By the extension of a file, and by the subtype of a media type. */
const byFormat = slugsByName(names.images)

/** The attributes that {@link elementFeatures} and {@link imagesOf} read, and the `style` that their callers read. */
export const featureAttributes: readonly string[] = [
  ...new Set([...byAttribute.keys(), 'background', 'href', 'name', 'src', 'srcset', 'style', 'type']),
]
