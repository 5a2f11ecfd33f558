import { quote } from '../core/errors.ts'
import { loadTokenizer } from '../mime/html/scan-html.ts'

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
  const svg: Svg = { root: null, elements: [], title: null, faults: [] }
  const open: string[] = []
  let attributes = new Map<string, string>()
  let name = ''
  let attribute = ''
  let value = ''
  let isBroken = false
  const onOpened = (): void => {
    if (svg.elements.length === 0 && name === 'svg') svg.root = attributes
    if (open.length === 0 && svg.elements.length > 0) isBroken = true
    svg.elements.push({ name, attributes })
    if (name === 'title' && open.length === 1) svg.title ??= ''
    open.push(name)
  }
  const onText = (piece: string): void => {
    if (open.length === 2 && open[1] === 'title') svg.title += piece
  }
  const { Tokenizer } = loadTokenizer()
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = text.slice(start, end)
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = text.slice(start, end)
        value = ''
      },
      onattribdata(start, end) {
        value += text.slice(start, end)
      },
      onattribentity(codepoint) {
        value += String.fromCodePoint(codepoint)
      },
      onattribend() {
        if (attributes.has(attribute)) isBroken = true
        attributes.set(attribute, value)
      },
      onopentagend: onOpened,
      onselfclosingtag() {
        onOpened()
        open.pop()
      },
      onclosetag(start, end) {
        if (open.pop() !== text.slice(start, end)) isBroken = true
      },
      ontext: (start, end) => onText(text.slice(start, end)),
      ontextentity: (codepoint) => onText(String.fromCodePoint(codepoint)),
      oncdata: (start, end) => onText(text.slice(start, end)),
      oncomment() {},
      ondeclaration() {
        svg.faults.push('The logo declares a document type or entities, which receivers do not read.')
      },
      onprocessinginstruction(start, end) {
        const instruction = text.slice(start, end)
        if (!/^\??xml\s/.test(instruction))
          svg.faults.push(`The logo has the processing instruction ${quote(instruction)}.`)
      },
      onend() {},
    },
  )
  tokenizer.write(text)
  tokenizer.end()
  if (isBroken || open.length > 0)
    svg.faults.push('The logo is not well-formed XML: elements or attributes do not match.')
  return { ...svg, faults: [...new Set(svg.faults)] }
}
