import { cutText } from '../core/text.ts'
import { voidElements } from '../mime/html/html-tree.ts'
import type { TagAttributes } from '../mime/html/scan-html.ts'
import { initialStyle, styleWithin, type TextStyle } from './text-style.ts'
import { StyleRules, type StyledElement } from './style-rules.ts'

/** A text that readers see, and how it looks. */
export interface StyledText {
  style: TextStyle
  text: string
  offset: number
}

/** Follows the open elements of HTML, to find the styles of its texts. Call its methods in the order of the HTML. */
export class StyledTexts {
  /** The styles of the texts that readers see, each with its first text. */
  readonly found: StyledText[] = []
  readonly #open: (StyledElement & { style: TextStyle })[] = []
  readonly #rules = new StyleRules()
  /** What was read of the open `style` element. */
  #sheet = ''
  /** The styles in `found`, as keys. */
  readonly #seenStyles = new Set<string>()

  /** The name of the element that a text here is in; `""` outside of all. */
  get within(): string {
    return this.#open.at(-1)?.name ?? ''
  }

  onOpenTag(name: string, attributes: TagAttributes): void {
    if (voidElements.has(name) || this.#open.length >= maxStyledDepth) return
    const parent = this.#open.at(-1)?.style ?? initialStyle
    const classes = attributes.class?.trim().split(/\s+/, maxClasses) ?? []
    const element = { name, classes, id: attributes.id?.trim() ?? '' }
    const declared = this.#rules.matching(element, this.#open)
    this.#open.push({ ...element, style: styleWithin(parent, name, attributes, declared) })
  }

  onText(piece: string, offset: number): void {
    const { name = '', style = initialStyle } = this.#open.at(-1) ?? {}
    if (name === 'style') this.#sheet += piece
    if (unseenElements.has(name) || style.hiddenBy.length > 0 || isBlank.test(piece)) return
    const key = [style.color, style.background, style.fontSize, style.isBold].join()
    if (this.#seenStyles.has(key) || this.found.length >= maxStyles) return
    this.#seenStyles.add(key)
    this.found.push({ style, text: cutText(piece.trim(), 80), offset })
  }

  onCloseTag(name: string): void {
    if (name === 'style' && this.#sheet !== '') {
      this.#rules.add(this.#sheet)
      this.#sheet = ''
    }
    // A tag that closes nothing is ignored, as browsers do.
    const at = this.#open.findLastIndex((element) => element.name === name)
    if (at !== -1) this.#open.length = at
  }
}

/** Elements whose text readers do not see. */
export const unseenElements: ReadonlySet<string> = new Set('style script title noscript template'.split(' '))

const maxClasses = 20
const maxStyles = 1000
/** Deeper elements get the style of the element at this depth. */
const maxStyledDepth = 200
/** White space, and the invisible characters that fill preview texts. */
const isBlank = /^(?:\s|[\u00ad\u200b-\u200f\u2060]|\u034f)*$/
