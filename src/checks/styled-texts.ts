import { initialStyle, styleWithin, type StyleAttributes, type TextStyle } from './inline-style.ts'
import { createStyleRules, type StyledElement } from './style-rules.ts'

/** A text that readers see, and how it looks. */
export interface StyledText {
  style: TextStyle
  text: string
  offset: number
}

/** Follows the open elements of HTML, to find the styles of its texts. Call its methods in the order of the HTML. */
export interface StyledTexts {
  /** The styles of the texts that readers see, each with its first text. */
  readonly found: StyledText[]
  /** The name of the element that a text here is in; null outside of all. */
  within(): string | null
  open(name: string, attributes: StyleAttributes & { class?: string; id?: string }): void
  text(piece: string, offset: number): void
  close(name: string): void
}

export function createStyledTexts(): StyledTexts {
  const found: StyledText[] = []
  const elements: (StyledElement & { style: TextStyle })[] = []
  const rules = createStyleRules()
  /** What was read of the open `style` element. */
  let sheet = ''
  const styles = new Set<string>()
  return {
    found,
    within: () => elements.at(-1)?.name ?? null,
    open(name, attributes) {
      if (voidElements.has(name) || elements.length >= maxStyledDepth) return
      const parent = elements.at(-1)?.style ?? initialStyle
      const { id = '' } = attributes
      const classes = attributes.class?.trim().split(/\s+/, maxClasses) ?? []
      const element = { name, classes, id: id.trim() }
      const declared = rules.matching(element, elements)
      elements.push({ ...element, style: styleWithin(parent, name, attributes, declared) })
    },
    text(piece, offset) {
      const { name = '', style = initialStyle } = elements.at(-1) ?? {}
      if (name === 'style') sheet += piece
      if (isUnseen(name) || isBlank.test(piece)) return
      if (style.isHidden || found.length >= maxStyles) return
      const key = [style.color, style.background, style.fontSize, style.isBold].join()
      if (styles.has(key)) return
      styles.add(key)
      found.push({ style, text: piece.trim().slice(0, 80), offset })
    },
    close(name) {
      if (name === 'style' && sheet !== '') {
        rules.add(sheet)
        sheet = ''
      }
      // A tag that closes nothing is ignored, as browsers do.
      const at = elements.findLastIndex((element) => element.name === name)
      if (at !== -1) elements.length = at
    },
  }
}

/** Whether readers do not see the text of an element. */
export function isUnseen(name: string): boolean {
  return unseen.has(name)
}

const unseen = new Set(['style', 'script', 'title', 'noscript', 'template'])
const maxClasses = 20
const maxStyles = 1000
/** Deeper elements get the style of the element at this depth. */
const maxStyledDepth = 200
/** White space, and the invisible characters that fill preview texts. */
const isBlank = /^(?:\s|[\u00ad\u200b-\u200f\u2060]|\u034f)*$/
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)
