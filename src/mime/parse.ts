import { quote } from '../core/quote.ts'
import { joinSentences } from '../core/text.ts'
import type { ParsedAddress } from './headers/addresses.ts'
import { maxBodyBytes, readBodies } from './bodies.ts'
import { decodeField } from './headers/decode-field.ts'
import { readHeader, type HeaderBlock } from './headers/headers.ts'
import { attachmentNames } from './attachment-names.ts'
import { measurePart } from './part-stream.ts'
import type { MimePart, PlacedPart } from './part.ts'
import { readStructure, type MimeStructure } from './structure.ts'
import { encodingMisfit } from './transfer.ts'

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
  const { problem, ...facts } = parsedFacts(source, structure)
  const { text, html, isCut, problems } = readBodies(source, structure)
  return { ...facts, html, text, problem: joinSentences([problem, ...problems, isCut ? bodyIsCut : null]) }
}

/** The content of a message except for its bodies. */
export type ParsedFacts = Omit<ParsedMessage, 'html' | 'text'>

/** The same without the bodies, which take most of the time. */
export function parseFacts(source: Buffer): ParsedFacts {
  return parsedFacts(source, readStructure(source))
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
    filenames: attachmentNames(readStructure(source).attachments),
  }
}

/** The `problem` of a mail with a body of which only the beginning is shown. */
export const bodyIsCut: string = `A body has more than ${maxBodyBytes} bytes; its beginning is shown. Download the part for all of it.`

function parsedFacts(source: Buffer, structure: MimeStructure): ParsedFacts {
  const block = readHeader(source)
  const to = block.addresses('To')
  const cc = block.addresses('Cc')
  const headers = decodedFields(block)
  const { attachments, problems: misfits } = parseAttachments(source, structure)
  const cuts = [cutList(block, 'To', to.length), cutList(block, 'Cc', cc.length)]
  return {
    headers,
    from: block.addresses('From'),
    to,
    cc,
    reply_to: block.addresses('Reply-To'),
    subject: block.decoded('Subject'),
    attachments,
    problem: joinSentences([structure.problem, ...cuts, ...misfits, ...undecodedFields(block, headers)]),
  }
}

/** The fields whose encoded words have octets that are not of their charset, as sentences. */
function undecodedFields({ fields }: HeaderBlock, decoded: ParsedFacts['headers']): string[] {
  const names = decoded.flatMap(([name, value], index) =>
    value.includes('\ufffd') && !fields[index]?.[1].includes('\ufffd') ? [name] : [],
  )
  const listed = [...new Set(names)].slice(0, maxListed).join(', ')
  return listed === '' ? [] : [`A field has octets that do not fit their charset: ${listed}.`]
}

const maxListed = 10

function decodedFields({ fields }: HeaderBlock): ParsedFacts['headers'] {
  return fields.map(([name, value]) => [name, decodeField(name, value)])
}

function cutList(block: HeaderBlock, name: string, listed: number): string | null {
  const { length: further } = block.furtherAddresses(name)
  if (further === 0) return null
  return `${name} has ${listed + further} addresses; only the first ${listed} are listed.`
}

/** @returns The attachments, and which octets of them are not of their encoding, as sentences. */
function parseAttachments(source: Buffer, structure: MimeStructure) {
  const problems: string[] = []
  let unfit = 0
  const attachments = structure.attachments.map((part, index) => {
    const { filename, content_type, content_id, disposition, encoding } = part
    const { misfits, ...measured } = measurePart(source, part)
    const misfit = encodingMisfit(misfits, encoding)
    if (misfit !== null && unfit++ < maxListed)
      problems.push(`The attachment ${quote(filename ?? String(index))} ${misfit}.`)
    return {
      index,
      filename,
      content_type,
      ...measured,
      content_id,
      disposition,
      part,
    }
  })
  if (unfit > maxListed) problems.push(`${unfit - maxListed} more attachments have such octets.`)
  return { attachments, problems }
}
