import type { TreeAdapter, TreeAdapterTypeMap } from 'parse5'
import type { HtmlAttribute, HtmlNode } from './html-tree.ts'

/** How a browser lays the document out, by its doctype. */
export type DocumentMode = ReturnType<TreeAdapter['getDocumentMode']>

/** A document that is being built. */
export interface HtmlBuilder {
  readonly adapter: TreeAdapter<HtmlTypes>
  readonly document: HtmlNode
  mode(): DocumentMode
}

/** All nodes are of one type. */
type HtmlTypes = { [Kind in keyof TreeAdapterTypeMap]: BuiltNode }

/** A node while the document is being built. */
interface BuiltNode extends HtmlNode {
  readonly attributes: HtmlAttribute[]
  text: string
  parent: BuiltNode | null
  previous: BuiltNode | null
  next: BuiltNode | null
  first: BuiltNode | null
  last: BuiltNode | null
}

/**
 * Builds a document from what parse5 finds.
 *
 * @param onElement  Called before each element is made. It ends the parsing by throwing.
 */
export function createHtmlBuilder(onElement: () => void): HtmlBuilder {
  const document = nodeOf('#document')
  /** The contents of templates, which are not part of the document. */
  const contents = new Map<BuiltNode, BuiltNode>()
  let mode = 'no-quirks' as DocumentMode

  const adapter: TreeAdapter<HtmlTypes> = {
    createDocument: () => document,
    createDocumentFragment: () => nodeOf('#document'),
    createElement(name, namespace, attributes) {
      onElement()
      // A copy takes only the memory that it needs.
      return nodeOf(name, namespace, attributes.length === 0 ? attributes : attributes.slice())
    },
    createCommentNode: () => nodeOf('#comment'),
    createTextNode: (text) => ({ ...nodeOf('#text'), text }),
    appendChild: (parent, node) => insertNode(parent, node, null),
    insertBefore: insertNode,
    detachNode: detach,
    insertText: (parent, text) => addText(parent, text, null),
    insertTextBefore: addText,
    setTemplateContent: (template, content) => void contents.set(template, content),
    // parse5 sets the content of each template that it makes.
    getTemplateContent: (template) => contents.get(template) ?? document,
    setDocumentType() {},
    setDocumentMode: (_, given) => void (mode = given),
    getDocumentMode: () => mode,
    adoptAttributes(element, given) {
      // Of a second `<body>`: looking each up in a long list would take quadratic time.
      if (element.attributes.length > maxAdopted) return
      const names = new Set(element.attributes.map(({ name }) => name))
      element.attributes.push(...given.slice(0, maxAdopted).filter(({ name }) => !names.has(name)))
    },
    getFirstChild: ({ first }) => first,
    getChildNodes: childrenOf,
    getParentNode: ({ parent }) => parent,
    getAttrList: ({ attributes }) => attributes,
    getTagName: ({ name }) => name,
    getNamespaceURI: ({ namespace }) => namespace as ReturnType<typeof adapter.getNamespaceURI>,
    getTextNodeContent: ({ text }) => text,
    getCommentNodeContent: () => '',
    getDocumentTypeNodeName: () => '',
    getDocumentTypeNodePublicId: () => '',
    getDocumentTypeNodeSystemId: () => '',
    isTextNode: (node): node is BuiltNode => node.name === '#text',
    isCommentNode: (node): node is BuiltNode => node.name === '#comment',
    isDocumentTypeNode: (node): node is BuiltNode => node.name === '#doctype',
    isElementNode: (node): node is BuiltNode => !node.name.startsWith('#'),
    setNodeSourceCodeLocation() {},
    getNodeSourceCodeLocation: () => null,
    updateNodeSourceCodeLocation() {},
  }
  return { adapter, document, mode: () => mode }
}

const maxAdopted = 100

function nodeOf(name: string, namespace = '', attributes: HtmlAttribute[] = []): BuiltNode {
  const links = { parent: null, previous: null, next: null, first: null, last: null }
  return { name, namespace, attributes, text: '', ...links }
}

function insertNode(parent: BuiltNode, node: BuiltNode, before: BuiltNode | null): void {
  if (node.name === '#comment') return
  node.parent = parent
  node.next = before
  node.previous = before ? before.previous : parent.last
  if (node.previous) node.previous.next = node
  else parent.first = node
  if (before) before.previous = node
  else parent.last = node
}

function detach(node: BuiltNode): void {
  const { parent, previous, next } = node
  if (!parent) return
  if (previous) previous.next = next
  else parent.first = next
  if (next) next.previous = previous
  else parent.last = previous
  node.parent = null
  node.previous = null
  node.next = null
}

function addText(parent: BuiltNode, text: string, before: BuiltNode | null): void {
  const neighbour = before ? before.previous : parent.last
  if (neighbour?.name === '#text') neighbour.text += text
  else insertNode(parent, { ...nodeOf('#text'), text }, before)
}

function childrenOf({ first }: BuiltNode): BuiltNode[] {
  const children: BuiltNode[] = []
  for (let node = first; node; node = node.next) children.push(node)
  return children
}
