import { quote } from '../core/quote.ts'
import { readMarkup, type MarkupListener } from '../mime/html/markup.ts'

/** By their names as they are written. */
export type SvgAttributes = ReadonlyMap<string, string>

/** What a logo has. */
export interface Svg {
  /** The attributes of the outermost element; null if that is not `svg`. */
  root: SvgAttributes | null
  elements: { name: string; attributes: SvgAttributes }[]
  /** The text of the title that is a child of the root; null without one. */
  title: string | null
  /** The faults of its XML, in sentences, each once. */
  faults: string[]
}

/** Reads an SVG without expanding entities. */
export function readSvg(text: string): Svg {
  const reading = new SvgReading()
  readMarkup(text, reading, { isXml: true })
  return reading.end()
}

class SvgReading implements MarkupListener {
  readonly #svg: Svg = { root: null, elements: [], title: null, faults: [] }
  /** The names of the open elements. */
  readonly #open: string[] = []
  /** The opening tag that is being read. */
  #name = ''
  #attributes = new Map<string, string>()
  /** Whether elements or attributes do not match. */
  #isBroken = false

  onTagName(name: string): void {
    this.#name = name
    this.#attributes = new Map()
  }

  onAttribute(name: string, value: string | null): void {
    if (this.#attributes.has(name)) this.#isBroken = true
    this.#attributes.set(name, value ?? '')
  }

  onTagEnd(_end: number, isSelfClosing: boolean): void {
    const name = this.#name
    const isRoot = this.#svg.elements.length === 0
    if (isRoot && name === 'svg') this.#svg.root = this.#attributes
    if (!isRoot && this.#open.length === 0) this.#isBroken = true
    this.#svg.elements.push({ name, attributes: this.#attributes })
    if (name === 'title' && this.#open.length === 1) this.#svg.title ??= ''
    if (!isSelfClosing) this.#open.push(name)
  }

  onCloseTag(name: string): void {
    if (this.#open.pop() !== name) this.#isBroken = true
  }

  onText(text: string): void {
    if (this.#open.length === 2 && this.#open[1] === 'title') this.#svg.title += text
  }

  onDeclaration(): void {
    this.#svg.faults.push('The logo declares a document type or entities, which receivers do not read.')
  }

  onProcessingInstruction(instruction: string): void {
    if (!/^\??xml\s/.test(instruction))
      this.#svg.faults.push(`The logo has the processing instruction ${quote(instruction)}.`)
  }

  end(): Svg {
    if (this.#isBroken || this.#open.length > 0)
      this.#svg.faults.push('The logo is not well-formed XML: elements or attributes do not match.')
    return { ...this.#svg, faults: [...new Set(this.#svg.faults)] }
  }
}
