/** The content that a reader allowed to load over http(s): nothing, images, or images, fonts and style sheets. */
export type RemoteContent = 'none' | 'images' | 'all'

/**
 * Whether an image is a tracking pixel: it has at most one pixel, or it is the tracking image of Localpost.
 *
 * @param attributes  By their name in lower case, entities decoded.
 */
export function isTrackingPixel(attributes: ReadonlyMap<string, string>): boolean {
  if (/\/t\/o\/[\w.~-]+$/.test(attributes.get('src') ?? '')) return true
  const style = attributes.get('style')?.slice(0, longestStyle) ?? ''
  return ['width', 'height'].every((side) => isTiny(sizeInStyle(style, side) ?? attributes.get(side)))
}

/**
 * A new tag for a link to a style sheet over http(s); `""` for every other `<link>`, because those connect without
 * showing anything.
 *
 * @param attributes  By their name in lower case, entities decoded.
 */
export function keptStylesheetOf(attributes: ReadonlyMap<string, string>): string {
  const href = (attributes.get('href') ?? '').trim()
  const isSheet = (attributes.get('rel') ?? '').trim().toLowerCase() === 'stylesheet'
  if (!isSheet || !/^(?:https?:)?\/\//i.test(href)) return ''
  const media = attributes.get('media')
  return `<link rel="stylesheet" href="${escapedValue(href)}"${media ? ` media="${escapedValue(media)}"` : ''}>`
}

/** A value, escaped for an attribute in double quotes. */
export function escapedValue(value: string): string {
  return value.replace(/[&"<>]/g, (one) => `&#${one.charCodeAt(0)};`)
}

const longestStyle = 1000

function isTiny(length: string | undefined): boolean {
  return /^\s*[01](?:px)?\s*$/i.test(length ?? '')
}

function sizeInStyle(style: string, side: string): string | undefined {
  return new RegExp(`(?:^|[;\\s])${side}\\s{0,9}:\\s{0,9}([\\d.]{1,9}(?:px|em|%|rem)?)`, 'i').exec(style)?.[1]
}
