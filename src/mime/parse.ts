import type { ParsedAddress } from './headers/addresses.ts'
import { maxBodyBytes, readBodies } from './bodies.ts'
import { decodeField, readHeader, type HeaderBlock } from './headers/headers.ts'
import { measurePart } from './part-stream.ts'
import type { MimePart, PlacedPart } from './part.ts'
import { readStructure, type MimeStructure } from './structure.ts'

/** A message as people and tests read it. */
export interface ParsedMessage {
  /** Every header field in order: name as written, value decoded and unfolded. */
  headers: [name: string, value: string][]
  from: ParsedAddress[]
  to: ParsedAddress[]
  cc: ParsedAddress[]
  reply_to: ParsedAddress[]
  subject: string
  /** The HTML body, line ends as LF; `""` without one. `cid:` URLs stay as they are. */
  html: string
  /** The plain text body, with line ends as LF; `""` without one. */
  text: string
  attachments: ParsedAttachment[]
  /** Why the message could not be read completely or as declared; null if it could. */
  problem: string | null
}

export interface ParsedAttachment extends Omit<MimePart, 'charset'> {
  /** Position among the attachments, from 0. */
  index: number
  /** The size of the decoded bytes. */
  size_bytes: number
  /** The checksum of the decoded bytes, in hex. */
  sha256: string
  /** Where its bytes are: for `readPart`. */
  part: PlacedPart
}

/**
 * Reads a message into bodies and attachments. Never throws and always ends.
 *
 * @param source  The RFC 5322 bytes; any bytes are fine. Not kept.
 */
export function parseMessage(source: Buffer): ParsedMessage {
  const structure = readStructure(source)
  const { problem, ...facts } = factsOf(source, structure)
  const isCut = [structure.text, structure.html].some((part) => part && part.end - part.start > maxBodyBytes)
  return {
    ...facts,
    ...readBodies(source, structure),
    problem: isCut ? [problem, bodyIsCut].filter((said) => said !== null).join(' ') : problem,
  }
}

/** The content of a message except for its bodies. */
export type ParsedFacts = Omit<ParsedMessage, 'html' | 'text'>

/** The same without the bodies, which take most of the time. */
export function parseFacts(source: Buffer): ParsedFacts {
  return factsOf(source, readStructure(source))
}

/** The header fields of a message, decoded, and its attachments. */
export interface MessageNames {
  headers: ParsedMessage['headers']
  filenames: string[]
}

/** Only the header fields and the names of the attachments. No body is decoded. */
export function parseNames(source: Buffer): MessageNames {
  return {
    headers: decodedFields(readHeader(source)),
    filenames: readStructure(source).attachments.flatMap(({ filename }) => filename ?? []),
  }
}

/** The `problem` of a mail with a body of which only the beginning is shown. */
export const bodyIsCut: string = `A body has more than ${maxBodyBytes} bytes; its beginning is shown. Download the part for all of it.`

function factsOf(source: Buffer, structure: MimeStructure): ParsedFacts {
  const block = readHeader(source)
  const to = block.addresses('To')
  const cc = block.addresses('Cc')
  const problems = [structure.problem, cutList(block, 'To', to.length), cutList(block, 'Cc', cc.length)]
  return {
    headers: decodedFields(block),
    from: block.addresses('From'),
    to,
    cc,
    reply_to: block.addresses('Reply-To'),
    subject: block.decoded('Subject'),
    attachments: readAttachments(source, structure),
    problem: problems.filter((said) => said !== null).join(' ') || null,
  }
}

function decodedFields({ fields }: HeaderBlock): ParsedFacts['headers'] {
  return fields.map(([name, value]) => [name, decodeField(name, value)])
}

function cutList(block: HeaderBlock, name: string, listed: number): string | null {
  const { length: further } = block.furtherAddresses(name)
  if (further === 0) return null
  return `${name} has ${listed + further} addresses; only the first ${listed} are listed.`
}

function readAttachments(source: Buffer, { attachments }: MimeStructure): ParsedAttachment[] {
  return attachments.map((part, index) => {
    const { filename, content_type, content_id, disposition } = part
    return {
      index,
      filename,
      content_type,
      ...measurePart(source, part),
      content_id,
      disposition,
      part,
    }
  })
}
