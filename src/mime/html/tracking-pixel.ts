import { attributeOf, type HtmlNode } from './html-tree.ts'

/** Whether an image has at most one pixel, by its attributes or its style, or is the tracking image of Localpost. */
export function isTrackingPixel(element: HtmlNode): boolean {
  return isOpeningImage(attributeOf(element, 'src') ?? '') || isTiny(element)
}

/** Whether an address is that of a tracking image of Localpost, which records that a mail was opened: `server/tracking.ts`. */
export function isOpeningImage(address: string): boolean {
  return /\/t\/o\/[\w.~-]+$/.test(address)
}

/** Whether an element has at most one pixel, by its attributes or its style. */
export function isTiny(element: HtmlNode): boolean {
  const style = attributeOf(element, 'style')?.slice(0, longestStyle) ?? ''
  return ['width', 'height'].every((side) => {
    const length = sizeInStyle(style, side) ?? attributeOf(element, side)?.slice(0, longestLength)
    return /^\s*[01](?:px)?\s*$/i.test(length ?? '')
  })
}

const longestStyle = 1000
const longestLength = 20

function sizeInStyle(style: string, side: string): string | undefined {
  return new RegExp(`(?:^|[;\\s])${side}\\s{0,9}:\\s{0,9}([\\d.]{1,9}(?:px|em|%|rem)?)`, 'i').exec(style)?.[1]
}
