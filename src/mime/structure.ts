import { joinSentences } from '../core/text.ts'
import { chooseBodies, type BodyParts, type MimeNode } from './choose-bodies.ts'
import { withLineFeeds } from './headers/line-ends.ts'
import { splitMultipart, type SplitBudget } from './multipart.ts'
import { contentIdOf, readPartHeader, toPart, type PlacedPart } from './part.ts'

/** The MIME structure of a message, with the parts of its bodies. Plain data: it can be posted from a worker. */
export interface MimeStructure extends BodyParts {
  /** All leaves. */
  parts: PlacedPart[]
  /** All parts that are not a body, in the order of the message. */
  attachments: PlacedPart[]
  /** The tree as a list, each node before those in it. */
  nodes: StructureNode[]
  /** How this differs from what the message declares; null if it does not. */
  problem: string | null
}

/** A node of the MIME tree: a multipart, or a leaf, of which `index` is the position among the parts. */
export interface StructureNode {
  depth: number
  content_type: string
  index: number | null
  /** Of the encoded body. */
  size_bytes: number
}

/** The maximum number of leaves of one message. Later ones are ignored. */
const maxParts = 1000
const maxDepth = 100
/** The maximum size of the headers of all parts together. */
const maxAllPartHeaderBytes = 4 * 1024 * 1024
/** Four times the largest message, because nested multiparts are searched once for each level. */
const maxSearchedBytes = 4 * 40 * 1024 * 1024
/** RFC 2046 allows 70 characters. Searching for one of a thousand characters can take seconds. */
const maxBoundaryLength = 200
const maxFalseLines = 10_000

/**
 * Parses the MIME tree of a message, without decoding anything. An embedded message is one part.
 *
 * Never throws. Parts (1,000), depth (100), header and time are limited; `problem` says which limit was exceeded.
 *
 * @param message  The RFC 5322 bytes; any bytes are fine.
 * @see RFC 2046 section 5.1
 */
export function readStructure(message: Buffer): MimeStructure {
  const reading: StructureReading = {
    message: withLineFeeds(message),
    parts: [],
    nodes: [],
    problems: new Set(),
    headerBytes: maxAllPartHeaderBytes,
    budget: { bytes: maxSearchedBytes, falseLines: maxFalseLines },
  }
  const outermost = { depth: 0, defaultType: 'text/plain', isInRelated: false }
  const root = readNode(reading, [0, message.length], outermost)
  const { text, html } = root ? chooseBodies(root) : { text: [], html: [] }
  const bodies = new Set([...text, ...html])
  for (const part of bodies) part.disposition = 'inline'
  const { parts, nodes, problems } = reading
  const attachments = parts.filter((part) => !bodies.has(part))
  return { parts, text, html, attachments, nodes, problem: joinSentences([...problems]) }
}

interface StructureReading {
  message: Buffer
  parts: PlacedPart[]
  nodes: StructureNode[]
  problems: Set<string>
  headerBytes: number
  budget: SplitBudget
}

type ByteRange = readonly [start: number, end: number]

/** The context that a part inherits from the multiparts around it. */
interface Surroundings {
  depth: number
  /** The type of a part without a Content-Type. */
  defaultType: string
  /** Whether a multipart/related is around it. */
  isInRelated: boolean
}

function readNode(reading: StructureReading, place: ByteRange, around: Surroundings): MimeNode | null {
  const { message, parts, nodes, problems } = reading
  const isRoot = around.depth === 0
  if (parts.length >= maxParts) {
    problems.add(`There are more than ${maxParts} parts; the rest is not shown.`)
    return null
  }
  if (reading.headerBytes <= 0) {
    problems.add(`The parts have more than ${maxAllPartHeaderBytes} bytes of header; the rest is not shown.`)
    return null
  }
  const header = readPartHeader(message, place, { isRoot, defaultType: around.defaultType })
  reading.headerBytes -= isRoot ? 0 : header.bodyStart - place[0]
  const { type, parameters, content_id } = header
  const body: ByteRange = [header.bodyStart, place[1]]
  for (const problem of header.problems) problems.add(problem)
  const places = type.startsWith('multipart/') ? splitBody(reading, body, parameters, around.depth) : []
  const node = { depth: around.depth, content_type: type, size_bytes: body[1] - body[0] }
  if (places.length > 0) {
    nodes.push({ ...node, index: null })
    const inside: Surroundings = {
      depth: around.depth + 1,
      defaultType: type === 'multipart/digest' ? 'message/rfc822' : 'text/plain',
      isInRelated: around.isInRelated || type === 'multipart/related',
    }
    const children = places.flatMap((child) => readNode(reading, child, inside) ?? [])
    return { type, content_id, start: contentIdOf(parameters.get('start') ?? ''), children }
  }
  const part = toPart(header, { index: parts.length, place, isInRelated: around.isInRelated })
  nodes.push({ ...node, content_type: part.content_type, index: part.index })
  parts.push(part)
  return { part, isFile: header.disposition === 'attachment' }
}

/** The parts of a multipart; none if it cannot be split. It is then a single part, and a problem says why. */
function splitBody(
  { message, parts, problems, budget }: StructureReading,
  body: ByteRange,
  parameters: ReadonlyMap<string, string>,
  depth: number,
): ByteRange[] {
  const boundary = parameters.get('boundary')?.trimEnd() ?? ''
  if (boundary === '') {
    problems.add('A multipart names no boundary; it is shown as text.')
    return []
  }
  if (boundary.length > maxBoundaryLength) {
    problems.add(`A boundary has more than ${maxBoundaryLength} characters; its multipart is shown as text.`)
    return []
  }
  if (depth >= maxDepth) {
    problems.add(`Multiparts are nested more than ${maxDepth} deep; the innermost is shown as text.`)
    return []
  }
  if (budget.bytes <= 0) {
    problems.add('Nested multiparts are too large to be split; the innermost is shown as text.')
    return []
  }
  const { places, isCut } = splitMultipart(message, body, boundary, maxParts - parts.length, budget)
  if (isCut) problems.add('Too many lines begin like a boundary but are not one; the rest is one part.')
  else if (places.length === 0) problems.add('The boundary that the header names is not in the body.')
  return places
}
