import {
  attributeOf,
  boxOf,
  firstChildOf,
  kindOfNode,
  nameOf,
  neighbourOf,
  parentOf,
  quirksOf,
  textOf,
} from './frame-parts.ts'

/** What makes a picture look like a document in quirks mode. Pictures are laid out in standards mode. */
export interface Quirks {
  /** Style rules without specificity, to put before those of the mail. */
  rules: string
  /** Whether the style of an element has to be copied as the browser parsed it, not as it is written in the mail. */
  areLenient: boolean
  /** Attributes to add to an element. */
  marksOf(element: Element): string
  /** Declarations to add to the style of an element. */
  stylesOf(element: Element): string[]
}

/**
 * Covers the quirks that matter in mails. Heights in percent, except those of tables, and line breaks beside images stay as
 * in standards mode.
 *
 * @param color  The text color of the body. In quirks mode tables use it.
 * @see https://quirks.spec.whatwg.org, and chapter 15 (rendering) of the HTML standard
 */
export function quirksFor(content: Document, { view, color }: { view: Window; color: string }): Quirks {
  const quirks = quirksOf(content)
  if (quirks === 'none') return { rules: '', areLenient: false, marksOf: () => '', stylesOf: () => [] }
  const isSeen = (node: Node): boolean => {
    const kind = kindOfNode(node)
    if (kind !== 1) return kind === 3 && hasText(textOf(node))
    const { width, height } = boxOf(node as Element)
    return width > 0 && height > 0
  }

  /** Whether nothing visible is between an element and the edge of its table cell or of the body. */
  function isAtEdge(
    element: Element,
    side: 'previousSibling' | 'nextSibling',
    cells: ReadonlySet<string>,
  ): boolean {
    for (let at = element, level = 0; level < deepest; level++) {
      for (let other = neighbourOf(at, side); other; other = neighbourOf(other, side))
        if (isSeen(other)) return false
      const parent = parentOf(at)
      if (!parent) return false
      if (cells.has(nameOf(parent))) return true
      if (!isPlain(parent, side === 'previousSibling' ? 'Top' : 'Bottom')) return false
      at = parent
    }
    return false
  }
  function isPlain(element: Element, edge: 'Top' | 'Bottom'): boolean {
    const style = view.getComputedStyle(element)
    const sizes = [style[`padding${edge}`], style[`border${edge}Width`], style[`margin${edge}`]]
    return (
      /^(?:block|inline)$/.test(style.display) &&
      style.float === 'none' &&
      sizes.every((size) => Number.parseFloat(size) === 0)
    )
  }

  return {
    rules: quirks === 'all' ? rules.replace('INK', color) : '',
    areLenient: quirks === 'all',
    marksOf(element) {
      if (quirks !== 'all' || !spaced.has(nameOf(element))) return ''
      const marks = [
        ...(isAtEdge(element, 'previousSibling', tops) ? ['top'] : []),
        ...(paragraphs.has(nameOf(element)) && isAtEdge(element, 'nextSibling', bottoms) ? ['bottom'] : []),
      ]
      return marks.length > 0 ? ` data-quirk="${marks.join(' ')}"` : ''
    },
    stylesOf(element) {
      const isTall = quirks === 'all' && attributeOf(element, 'height')?.trim().endsWith('%')
      const height =
        isTall && nameOf(element) === 'table'
          ? [`box-sizing:border-box;height:${boxOf(element).height}px`]
          : []
      // Every element gets its own line height, because those above it may be changed.
      const { lineHeight } = view.getComputedStyle(element)
      return [...height, `line-height:${isWithoutText(element) ? '0' : lineHeight}!important`]
    },
  }

  /** Whether an element has children but no text of its own. In quirks mode it then does not add to the height of its lines. */
  function isWithoutText(element: Element): boolean {
    if (controls.has(nameOf(element)) || view.getComputedStyle(element).display === 'list-item') return false
    let hasChild = false
    for (let child = firstChildOf(element); child; child = neighbourOf(child, 'nextSibling')) {
      if (kindOfNode(child) === 3 && hasText(textOf(child))) return false
      if (kindOfNode(child) !== 1) continue
      if (nameOf(child as Element) === 'br') return false
      hasChild = true
    }
    return hasChild
  }
}

const hasText = (text: string): boolean => /[^ \t\r\n\f]/.test(text)
const deepest = 30
const tops: ReadonlySet<string> = new Set(['body', 'td', 'th'])
// Chromium leaves the space below lists and headings.
const paragraphs: ReadonlySet<string> = new Set(['p', 'pre'])
const bottoms: ReadonlySet<string> = new Set(['td', 'th'])
const controls: ReadonlySet<string> = new Set(
  'input button select textarea meter progress details'.split(' '),
)
const spaced: ReadonlySet<string> = new Set('blockquote dir dl h1 h2 h3 h4 h5 h6 menu ol p pre ul'.split(' '))
const rules =
  ':where(table){white-space:normal;line-height:normal;font-weight:normal;font-size:medium;font-variant:normal;' +
  'font-style:normal;text-align:start;color:INK}' +
  ':where(img[align=left i]){margin-right:3px}:where(img[align=right i]){margin-left:3px}' +
  ':where(input:not([type=image i]),textarea){box-sizing:border-box}:where(form){margin-block-end:1em}' +
  ':where([data-quirk~=top]){margin-block-start:0}:where([data-quirk~=bottom]){margin-block-end:0}'
