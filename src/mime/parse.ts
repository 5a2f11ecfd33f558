import { paced } from '../core/yield.ts'
import type { ParsedAddress } from './addresses.ts'
import { maxBodyBytes, readBodies } from './bodies.ts'
import type { HeaderBlock } from './headers.ts'
import { decodeHeaderValue, readHeaderBlock } from './headers.ts'
import { measurePart } from './part-stream.ts'
import type { MimePart, PlacedPart } from './part.ts'
import { structureSteps, type MimeStructure } from './structure.ts'

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
  /** The plain body, in the same way. */
  text: string
  attachments: ParsedAttachment[]
  /** Why the message could not be read whole, or not as it says; null where it could. */
  problem: string | null
}

export interface ParsedAttachment extends Omit<MimePart, 'charset'> {
  /** Position among the attachments, from 0. */
  index: number
  /** Of the decoded bytes. */
  size_bytes: number
  /** Hex. */
  sha256: string
  /** Where its bytes are: for `openPart`. */
  part: PlacedPart
}

/**
 * Reads a message into bodies and attachments. Never throws and always ends.
 *
 * @param source  The RFC 5322 bytes; any bytes are fine. Not kept.
 */
export async function parseMessage(source: Buffer): Promise<ParsedMessage> {
  const structure = await paced(structureSteps(source))
  return {
    ...factsOf(readHeaderBlock(source)),
    ...(await readBodies(source, structure)),
    attachments: await readAttachments(source, structure),
    problem: problemOf(structure),
  }
}

function problemOf({ text, html, problem }: MimeStructure): string | null {
  const isCut = [text, html].some((part) => part && part.end - part.start > maxBodyBytes)
  if (!isCut) return problem
  const said = `A body has more than ${maxBodyBytes} bytes; its beginning is shown. Download the part for all of it.`
  return problem === null ? said : `${problem} ${said}`
}

function factsOf(
  block: HeaderBlock,
): Pick<ParsedMessage, 'headers' | 'from' | 'to' | 'cc' | 'reply_to' | 'subject'> {
  return {
    headers: block.fields.map(([name, value]) => [name, decodeHeaderValue(value)]),
    from: block.addresses('From'),
    to: block.addresses('To'),
    cc: block.addresses('Cc'),
    reply_to: block.addresses('Reply-To'),
    subject: block.decoded('Subject'),
  }
}

/** One after the other: all parts together must not be decoded at once. */
async function readAttachments(source: Buffer, { attachments }: MimeStructure): Promise<ParsedAttachment[]> {
  const read: ParsedAttachment[] = []
  for (const part of attachments) {
    const { filename, content_type, content_id, disposition } = part
    const { size_bytes, sha256 } = await measurePart(source, part)
    read.push({
      index: read.length,
      filename,
      content_type,
      size_bytes,
      sha256,
      content_id,
      disposition,
      part,
    })
  }
  return read
}
