/** The size at which a frame shows its whole mail without scrolling. */
export function measure(frame: HTMLIFrameElement): { width: number; height: number } {
  const { contentDocument: content } = frame
  const root = content && rootOf(content)
  if (!content || !root) return { width: 0, height: 0 }
  // A component may set the height too, and does not set it again while it stays the same.
  const before = frame.style.height
  // Measured in a frame without height: content that is as tall as its window would otherwise grow with it.
  frame.style.height = '1px'
  const height = Math.max(root.scrollHeight, bodyOf(content)?.scrollHeight ?? 0)
  frame.style.height = `${height}px`
  // A body that is as tall as its window never fits together with its margins; those are empty.
  const rest = root.scrollHeight - height
  setOverflow(root, rest > 0 && rest <= emptyRest)
  frame.style.height = before
  return { width: root.scrollWidth, height }
}

/** Resolves lengths in `vh` against a usual window, because the height of the frame depends on the mail. */
export function freezeWindowHeight(content: Document): void {
  for (const style of all(content, 'style')) {
    const { textContent: css } = style
    if (css && css.search(windowHeights) >= 0) style.textContent = frozen(css)
  }
  for (const element of all(content, '[style*="vh" i]')) {
    const css = Element.prototype.getAttribute.call(element, 'style') ?? ''
    Element.prototype.setAttribute.call(element, 'style', frozen(css))
  }
}

// A mail may name elements after members of `document` and hide these (DOM clobbering).
export const rootOf = (content: Document): Element | null =>
  Document.prototype.querySelector.call(content, ':root')
export const bodyOf = (content: Document): Element | null =>
  Document.prototype.querySelector.call(content, ':root > body')
const all = (content: Document, selector: string): NodeListOf<Element> =>
  Document.prototype.querySelectorAll.call(content, selector)

function setOverflow(root: Element, isHidden: boolean): void {
  // Of another realm, so that instanceof does not know it; a root element is SVG only in XML.
  if ('style' in root && typeof root.style === 'object' && root.style)
    Reflect.set(root.style, 'overflowY', isHidden ? 'hidden' : '')
}

const emptyRest = 64
const usualHeight = 800
const windowHeights = /(?<![\w.-])(\d{0,6}\.?\d{1,6})[sld]?vh\b/gi
const frozen = (css: string): string =>
  css.replace(windowHeights, (_, count: string) => `${(Number(count) * usualHeight) / 100}px`)
