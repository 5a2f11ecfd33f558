import type { PlacedPart } from './part.ts'

/** The members of a MIME tree that decide which leaves are bodies. */
export type MimeNode = MimeLeaf | Multipart

export interface MimeLeaf {
  part: PlacedPart
  /** Whether it is declared to be a file, by its disposition or by a name. */
  isFile: boolean
}

export interface Multipart {
  type: string
  content_id: string | null
  /** Of a multipart/related: the content id of its root (RFC 2387). */
  start: string | null
  children: MimeNode[]
}

/**
 * Determines which leaves are the bodies of a message: the first plain text and the first HTML that are not files. All
 * others are attachments, including later text parts and the parts beside the root of a multipart/related.
 */
export function chooseBodies(root: MimeNode): { text: PlacedPart | null; html: PlacedPart | null } {
  const bodies = bodyLeaves(root)
  const first = (type: string): PlacedPart | null =>
    bodies.find(({ content_type }) => content_type === type) ?? null
  return { text: first('text/plain'), html: first('text/html') }
}

function bodyLeaves(node: MimeNode): PlacedPart[] {
  if ('part' in node) return node.isFile ? [] : [node.part]
  const { type, start, children } = node
  if (type !== 'multipart/related') return children.flatMap(bodyLeaves)
  const named = start === null ? undefined : children.find((child) => contentIdOf(child) === start)
  const body = named ?? children[0]
  return body ? bodyLeaves(body) : []
}

function contentIdOf(node: MimeNode): string | null {
  return 'part' in node ? node.part.content_id : node.content_id
}
