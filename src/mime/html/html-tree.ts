/**
 * A node of an HTML document. All nodes have the same members, and children form a linked list, because mails may have a
 * million nodes. Only `html-builder.ts` changes nodes.
 */
export interface HtmlNode {
  /** The name of an element, in lower case except in SVG; `#text` or `#document`. Comments and doctypes are left out. */
  readonly name: string
  /** Of an element; else `""`. */
  readonly namespace: string
  /** Of an element; else empty. */
  readonly attributes: readonly HtmlAttribute[]
  /** Of a text; else `""`. */
  readonly text: string
  readonly parent: HtmlNode | null
  readonly previous: HtmlNode | null
  readonly next: HtmlNode | null
  readonly first: HtmlNode | null
  readonly last: HtmlNode | null
}

/** An attribute with its decoded value. */
export interface HtmlAttribute {
  /** In SVG and MathML, `xlink:href` has the name `href` and the prefix `xlink`; in HTML, the name `xlink:href`. */
  readonly name: string
  readonly value: string
  readonly prefix?: string | undefined
}

/** The namespace of HTML elements; those of SVG and MathML have others. */
export const htmlNamespace = 'http://www.w3.org/1999/xhtml'

/** Elements without content, and without an end tag. */
export const voidElements: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
)

/** The value of the first attribute with this name, whatever its prefix; undefined without one. */
export function attributeOf({ attributes }: HtmlNode, name: string): string | undefined {
  return attributes.find((one) => one.name === name)?.value
}

/** Callbacks of a walk. */
export interface HtmlVisitor {
  /** @returns Whether to visit what is in the element. */
  open(element: HtmlNode): boolean
  text(node: HtmlNode): void
  /** Called for an element whose content was visited. */
  close(element: HtmlNode): void
}

/** Visits all nodes of a document in their order; the root is neither opened nor closed. */
export function walkHtml(root: HtmlNode, visitor: HtmlVisitor): void {
  for (let node: HtmlNode | null = root; node;) {
    let next: HtmlNode | null = null
    if (node.name === '#text') visitor.text(node)
    else if (node === root || visitor.open(node)) {
      next = node.first
      if (!next && node !== root) visitor.close(node)
    }
    while (!next && node !== root) {
      next = node.next
      if (next) break
      node = node.parent ?? root
      if (node !== root) visitor.close(node)
    }
    node = next
  }
}
