/**
 * What the page reads of the elements of a mail. A mail may name elements after members of `document` or of a form and hide
 * these (DOM clobbering), so the members of the prototypes are read.
 */
const read = (prototype: object, name: string, of: Node): unknown => Reflect.get(prototype, name, of)

export const firstChildOf = (node: Node): Node | null =>
  read(Node.prototype, 'firstChild', node) as Node | null
export const neighbourOf = (node: Node, side: 'previousSibling' | 'nextSibling'): Node | null =>
  read(Node.prototype, side, node) as Node | null
export const parentOf = (node: Node): Element | null =>
  read(Node.prototype, 'parentElement', node) as Element | null
export const textOf = (node: Node): string =>
  (read(Node.prototype, 'textContent', node) as string | null) ?? ''
export const kindOfNode = (node: Node): number => read(Node.prototype, 'nodeType', node) as number
export const nameOf = (element: Element): string => read(Element.prototype, 'localName', element) as string
export const namespaceOf = (element: Element): string | null =>
  read(Element.prototype, 'namespaceURI', element) as string | null
export const attributesOf = (element: Element): NamedNodeMap =>
  read(Element.prototype, 'attributes', element) as NamedNodeMap
export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name)
export const boxOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element)
export const allIn = (content: Document, selector: string): Element[] => [
  ...Document.prototype.querySelectorAll.call(content, selector),
]
export const createIn = <Tag extends 'img'>(content: Document, tag: Tag): HTMLElementTagNameMap[Tag] =>
  Document.prototype.createElement.call(content, tag) as HTMLElementTagNameMap[Tag]
/** Whether a document is laid out as old browsers did, because it has no doctype, or half of that. */
export function quirksOf(content: Document): 'all' | 'lines' | 'none' {
  if (read(Document.prototype, 'compatMode', content) === 'BackCompat') return 'all'
  const doctype = read(Document.prototype, 'doctype', content) as DocumentType | null
  return doctype && almostStandard.test(doctype.publicId) ? 'lines' : 'none'
}
const almostStandard = /^-\/\/W3C\/\/DTD (?:XHTML 1\.0|HTML 4\.01) (?:Transitional|Frameset)\/\//i
