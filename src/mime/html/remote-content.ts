/** The content that a reader allowed to load over http(s): nothing, images, or images, fonts and style sheets. */
export type RemoteContent = 'none' | 'images' | 'all'

/**
 * Whether an image is there to be fetched, not to be seen: it has one pixel or none, or it is the opening's image of
 * tracked mail.
 *
 * @param attributes  By their name in lower case, entities decoded.
 */
export function isTrackingPixel(attributes: ReadonlyMap<string, string>): boolean {
  if (/\/t\/o\/[\w.~-]+$/.test(attributes.get('src') ?? '')) return true
  const style = attributes.get('style')?.slice(0, longestStyle) ?? ''
  return ['width', 'height'].every((side) => isTiny(sizeInStyle(style, side) ?? attributes.get(side)))
}

/**
 * A link to a style sheet over http(s), written anew; `""` for every other `<link>`: those connect without being seen.
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

/** A value, fit for an attribute in double quotes. */
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
