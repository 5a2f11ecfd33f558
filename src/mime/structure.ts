import { displayFilename, mediaTypeOf } from './attachments.ts'
import { endsWithReturns } from './fields.ts'
import { splitMultipart, type SplitBudget } from './multipart.ts'
import { readParameters } from './parameters.ts'
import { readPartHeader, type PartHeader } from './part-header.ts'
import { chooseBodies, type MimeNode } from './roles.ts'
import type { PlacedPart } from './part.ts'
import type { TransferEncoding } from './transfer.ts'

/** The MIME structure of a message. Plain data: it can be posted from a worker. */
export interface MimeStructure {
  /** All leaves. */
  parts: PlacedPart[]
  /** The plain body; null without one. */
  text: PlacedPart | null
  html: PlacedPart | null
  /** All parts that are no body, in the order of the message. */
  attachments: PlacedPart[]
  /** Why this is not all, or not as the message says; null where it is. */
  problem: string | null
}

/** Leaves of one message. What follows is not looked at. */
export const maxParts = 1000
const maxDepth = 100
/** Header of all parts together. */
const maxHeaderBytes = 4 * 1024 * 1024
/** Eight times the largest message. */
const maxSearchedBytes = 8 * 40 * 1024 * 1024
const maxFalseLines = 10_000

/**
 * Takes the MIME tree of a message apart, without decoding anything. An embedded message is one part.
 *
 * Never throws. Bounded in parts (1,000), depth (100), header and time; `problem` says where a bound was met.
 *
 * @param message  The RFC 5322 bytes; any bytes are fine.
 * @see RFC 2046 section 5.1
 */
export function readStructure(message: Buffer): MimeStructure {
  const reading: Reading = {
    message: withLineEnds(message),
    parts: [],
    problems: new Set(),
    headerBytes: maxHeaderBytes,
    budget: { bytes: maxSearchedBytes, falseLines: maxFalseLines },
  }
  const outermost = { depth: 0, defaultType: 'text/plain', isRelated: false }
  const root = readNode(reading, [0, message.length], outermost)
  const { text, html } = root ? chooseBodies(root) : { text: null, html: null }
  if (text) text.disposition = 'inline'
  if (html) html.disposition = 'inline'
  const { parts, problems } = reading
  const attachments = parts.filter((part) => part !== text && part !== html)
  return { parts, text, html, attachments, problem: problems.size > 0 ? [...problems].join(' ') : null }
}

interface Reading {
  message: Buffer
  parts: PlacedPart[]
  problems: Set<string>
  headerBytes: number
  budget: SplitBudget
}

type Place = readonly [start: number, end: number]

/** What a part has from the multiparts around it. */
interface Surroundings {
  depth: number
  /** The type of a part that names none. */
  defaultType: string
  isRelated: boolean
}

function readNode(reading: Reading, place: Place, around: Surroundings): MimeNode | null {
  const { message, parts, problems } = reading
  const isRoot = around.depth === 0
  if (parts.length >= maxParts) {
    problems.add(`There are more than ${maxParts} parts; the rest is not shown.`)
    return null
  }
  if (reading.headerBytes <= 0) {
    problems.add(`The parts have more than ${maxHeaderBytes} bytes of header; the rest is not shown.`)
    return null
  }
  const header = readPartHeader(message, place, isRoot)
  if (header.isCut) problems.add('A header is too long; its end is not read.')
  reading.headerBytes -= isRoot ? 0 : header.bodyStart - place[0]
  const { type, parameters } = readType(header, around.defaultType)
  const content_id = contentIdOf(header.field('content-id'))
  const body: Place = [header.bodyStart, place[1]]
  const places = type.startsWith('multipart/') ? splitBody(reading, body, parameters, around.depth) : []
  if (places.length > 0) {
    const inside: Surroundings = {
      depth: around.depth + 1,
      defaultType: type === 'multipart/digest' ? 'message/rfc822' : 'text/plain',
      isRelated: around.isRelated || type === 'multipart/related',
    }
    const children: MimeNode[] = []
    for (const child of places) {
      const node = readNode(reading, child, inside)
      if (node) children.push(node)
    }
    return { type, content_id, start: contentIdOf(parameters.get('start') ?? ''), children }
  }
  const declared = readParameters(header.field('content-disposition'))
  const disposition = dispositionOf(declared.value)
  const name = declared.parameters.get('filename') ?? parameters.get('name')
  const charset = parameters.get('charset')?.trim().toLowerCase() ?? ''
  // What cannot be taken apart is shown as it stands.
  const content_type = type.startsWith('multipart/') ? 'text/plain' : type
  const part: PlacedPart = {
    index: parts.length,
    content_type,
    charset: /^[\w.:-]{1,40}$/.test(charset) ? charset : null,
    filename: displayFilename(name),
    content_id,
    disposition: disposition ?? (around.isRelated && content_id !== null ? 'inline' : 'attachment'),
    encoding: type.startsWith('multipart/') ? 'none' : encodingOf(header, problems),
    start: header.bodyStart,
    end: place[1],
    flowed: content_type === 'text/plain' ? flowedOf(parameters) : null,
  }
  parts.push(part)
  // The name of a message that is one text is no reason to show nothing.
  const isNamed = isRoot ? declared.parameters.has('filename') : part.filename !== null
  return { part, isFile: disposition === 'attachment' || isNamed }
}

/** A type that is none is plain text (RFC 2045 section 5.2). */
function readType(
  header: PartHeader,
  defaultType: string,
): { type: string; parameters: ReadonlyMap<string, string> } {
  const { value, parameters } = readParameters(header.field('content-type'))
  const type = value.replace(/\s*\/\s*/, '/')
  if (type === '') return { type: defaultType, parameters }
  return { type: /^[^/\s]+\/[^/\s]+$/.test(type) ? mediaTypeOf(type) : 'text/plain', parameters }
}

/** None where the multipart cannot be taken apart, which is a problem: it is a part itself then. */
function splitBody(
  { message, parts, problems, budget }: Reading,
  body: Place,
  parameters: ReadonlyMap<string, string>,
  depth: number,
): Place[] {
  const boundary = parameters.get('boundary')?.trimEnd() ?? ''
  if (boundary === '') {
    problems.add('A multipart names no boundary; it is shown as text.')
    return []
  }
  if (depth >= maxDepth || budget.bytes <= 0) {
    problems.add('Multiparts are nested too deep; the innermost is shown as text.')
    return []
  }
  const { places, isCut } = splitMultipart(message, body, boundary, maxParts - parts.length, budget)
  if (isCut) problems.add('Too many lines begin like a boundary and are none; what follows is one part.')
  else if (places.length === 0) problems.add('The boundary that the header names is not in the body.')
  return places
}

/** A kind that is unknown is handled as an attachment (RFC 2183 section 2.8). */
function dispositionOf(written: string): 'attachment' | 'inline' | null {
  if (written === '') return null
  return written.toLowerCase() === 'inline' ? 'inline' : 'attachment'
}

function contentIdOf(field: string): string | null {
  return /<([^<>]{1,500})>/.exec(field)?.[1] ?? /^\s*([^\s<>]{1,500})\s*$/.exec(field)?.[1] ?? null
}

function encodingOf(header: PartHeader, problems: Set<string>): TransferEncoding {
  const { value } = readParameters(header.field('content-transfer-encoding'))
  const name = value.toLowerCase().replace(/^"|"$/g, '')
  const encoding = encodings.get(name)
  if (encoding === undefined) {
    problems.add(
      `The transfer encoding ${JSON.stringify(value.slice(0, 60))} is unknown; its bytes are shown as they are.`,
    )
  }
  return encoding ?? 'none'
}

const encodings: ReadonlyMap<string, TransferEncoding> = new Map([
  ['', 'none'],
  ['7bit', 'none'],
  ['8bit', 'none'],
  ['binary', 'none'],
  ['base64', 'base64'],
  ['quoted-printable', 'quoted-printable'],
  ['uuencode', 'uuencode'],
  ['x-uuencode', 'uuencode'],
  ['uue', 'uuencode'],
  ['x-uue', 'uuencode'],
])

function flowedOf(parameters: ReadonlyMap<string, string>): PlacedPart['flowed'] {
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return null
  return parameters.get('delsp')?.toLowerCase() === 'yes' ? 'delete-spaces' : 'keep-spaces'
}

/** A message whose lines end with CR alone, with LF in their place: as long, so that all places are the same. */
function withLineEnds(message: Buffer): Buffer {
  const first = message.indexOf(0x0d)
  if (first === -1 || message[first + 1] === 0x0a) return message
  if (!endsWithReturns(message.toString('latin1', 0, 1024 * 1024))) return message
  const copy = Buffer.from(message)
  for (let at = 0; at < copy.length; at++) if (copy[at] === 0x0d && copy[at + 1] !== 0x0a) copy[at] = 0x0a
  return copy
}
