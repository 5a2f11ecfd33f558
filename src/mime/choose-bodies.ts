import type { PlacedPart } from './part.ts'

/** The members of a MIME tree that decide which leaves are bodies. */
export type MimeNode = MimeLeaf | Multipart

interface MimeLeaf {
  part: PlacedPart
  /** Whether its disposition says that it is a file. */
  isFile: boolean
}

interface Multipart {
  type: string
  content_id: string | null
  /** Of a multipart/related: the content id of its root (RFC 2387). */
  start: string | null
  children: MimeNode[]
}

/** The parts of each body, in the order in which mail programs show them. */
export interface BodyParts {
  text: PlacedPart[]
  /** HTML, and the plain texts that are shown with it. */
  html: PlacedPart[]
}

/**
 * Determines which leaves are the bodies of a message: plain text and HTML without a file name, which no disposition makes
 * a file. Where only texts with a name exist, the first of them is the body. All others are attachments, among them the
 * parts beside the root of a multipart/related, and the further alternatives of the same kind.
 *
 * A plain text that is shown after HTML is a part of both bodies. One before HTML is too, unless it is the text version of
 * that HTML: programs that build `multipart/mixed` instead of `multipart/alternative` send the two like this.
 */
export function chooseBodies(root: MimeNode): BodyParts {
  const unnamed = bodiesOf(root, ({ filename }) => filename === null)
  if (unnamed.text.length > 0 || unnamed.html.length > 0) return unnamed
  const named = bodiesOf(root, () => true)
  const [first] = [...named.text, ...named.html].sort((a, b) => a.index - b.index)
  return bodiesOf(root, (part) => part === first)
}

interface Bodies extends BodyParts {
  /**
   * The HTML with the texts before it, for a place where another part is its text version. In
   * `alternative(text 1, mixed(text 2, html))` that is text 2 and the HTML, because text 1 is the text version; in
   * `mixed(text, html)` alone, `html` leaves the text out as the text version.
   */
  htmlWithTexts: PlacedPart[]
}

type IsWanted = (part: PlacedPart) => boolean

function bodiesOf(node: MimeNode, isWanted: IsWanted): Bodies {
  if ('part' in node) return isWanted(node.part) ? bodiesOfLeaf(node) : none
  switch (node.type) {
    case 'multipart/related':
      return bodiesOfRelated(node, isWanted)
    case 'multipart/alternative':
      return bodiesOfAlternatives(node.children, isWanted)
    default:
      return bodiesOfSequence(node.children.map((child) => bodiesOf(child, isWanted)))
  }
}

const none: Bodies = { text: [], html: [], htmlWithTexts: [] }

function bodiesOfLeaf({ part, isFile }: MimeLeaf): Bodies {
  if (isFile) return none
  if (part.content_type === 'text/plain') return { ...none, text: [part] }
  return part.content_type === 'text/html' ? { ...none, html: [part], htmlWithTexts: [part] } : none
}

/** A name does not make an alternative or a root a file: its place says that it is to be shown. */
function bodiesOfVersion(node: MimeNode, isWanted: IsWanted): Bodies {
  return 'part' in node ? bodiesOfLeaf(node) : bodiesOf(node, isWanted)
}

/** The body of related parts is their root: the part that `start` names, else the first one that has a body. */
function bodiesOfRelated({ start, children }: Multipart, isWanted: IsWanted): Bodies {
  const root = start === null ? undefined : children.find((child) => ownContentId(child) === start)
  // Once each: the root twice would be 2 to the power of the depth in nested parts.
  const others = children.filter((child) => child !== root)
  for (const child of root ? [root, ...others] : others) {
    const bodies = bodiesOfVersion(child, isWanted)
    if (bodies.text.length > 0 || bodies.html.length > 0) return bodies
  }
  return none
}

/** The first alternative of each kind; one without a name is preferred. */
function bodiesOfAlternatives(children: MimeNode[], isWanted: IsWanted): Bodies {
  const isNamed = (child: MimeNode): boolean => 'part' in child && child.part.filename !== null
  const sorted = [...children.filter((child) => !isNamed(child)), ...children.filter(isNamed)]
  const versions = sorted.map((child) => bodiesOfVersion(child, isWanted))
  const ofText = versions.find(({ text }) => text.length > 0)
  const ofHtml = versions.find(({ html }) => html.length > 0)
  const htmlWithTexts = ofHtml?.htmlWithTexts ?? []
  const html = ofText === ofHtml ? (ofHtml?.html ?? []) : htmlWithTexts
  return { text: ofText?.text ?? [], html, htmlWithTexts }
}

/** Bodies that are shown one after the other. */
function bodiesOfSequence(all: Bodies[]): Bodies {
  const text = all.flatMap((one) => one.text)
  const first = all.findIndex(({ html }) => html.length > 0)
  if (first === -1) return { ...none, text }
  const isTextVersion = all[first]?.text.length === 0
  return {
    text,
    html: (isTextVersion ? all.slice(first) : all).flatMap((one) =>
      one.html.length > 0 ? one.html : one.text,
    ),
    htmlWithTexts: all.flatMap((one) => (one.html.length > 0 ? one.htmlWithTexts : one.text)),
  }
}

function ownContentId(node: MimeNode): string | null {
  return 'part' in node ? node.part.content_id : node.content_id
}
