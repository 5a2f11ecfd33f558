import { paced, resultSteps, type Steps } from '../core/yield.ts'
import type { ParsedAddress } from './headers/addresses.ts'
import { maxBodyBytes, readBodies } from './bodies.ts'
import { headerBlockSteps, headerValueSteps, type HeaderBlock } from './headers/headers.ts'
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
  const { problem, ...facts } = await factsOf(source, structure)
  const isCut = [structure.text, structure.html].some((part) => part && part.end - part.start > maxBodyBytes)
  return {
    ...facts,
    ...(await readBodies(source, structure)),
    problem: isCut ? [problem, bodyIsCut].filter((said) => said !== null).join(' ') : problem,
  }
}

/** The content of a message except for its bodies. */
export type ParsedFacts = Omit<ParsedMessage, 'html' | 'text'>

/** The same without the bodies, which take most of the time. */
export async function parseFacts(source: Buffer): Promise<ParsedFacts> {
  return factsOf(source, await paced(structureSteps(source)))
}

/** The header fields of a message, decoded, and its attachments. */
export interface MessageNames {
  headers: ParsedMessage['headers']
  filenames: string[]
}

/** Only the header fields and the names of the attachments. No body is decoded. */
export async function parseNames(source: Buffer): Promise<MessageNames> {
  const { attachments } = await paced(structureSteps(source))
  return {
    headers: await paced(headerSteps(source)),
    filenames: attachments.flatMap(({ filename }) => filename ?? []),
  }
}

/** The `problem` of a mail with a body of which only the beginning is shown. */
export const bodyIsCut: string = `A body has more than ${maxBodyBytes} bytes; its beginning is shown. Download the part for all of it.`

async function factsOf(source: Buffer, structure: MimeStructure): Promise<ParsedFacts> {
  const { problems, ...facts } = await paced(headerFactSteps(source))
  return {
    ...facts,
    attachments: await readAttachments(source, structure),
    problem: [structure.problem, ...problems].filter((said) => said !== null).join(' ') || null,
  }
}

type HeaderFacts = Pick<ParsedFacts, 'headers' | 'from' | 'to' | 'cc' | 'reply_to' | 'subject'>

function* headerFactSteps(source: Buffer): Steps<HeaderFacts & { problems: (string | null)[] }> {
  const block = yield* headerBlockSteps(source)
  const headers = yield* decodedFields(block)
  const to = yield* resultSteps(block.addresses('To'))
  const cc = yield* resultSteps(block.addresses('Cc'))
  return {
    headers,
    from: yield* resultSteps(block.addresses('From')),
    to,
    cc,
    reply_to: yield* resultSteps(block.addresses('Reply-To')),
    subject: yield* resultSteps(block.decoded('Subject')),
    problems: [yield* cutListSteps(block, 'To', to.length), yield* cutListSteps(block, 'Cc', cc.length)],
  }
}

function* headerSteps(source: Buffer): Steps<ParsedFacts['headers']> {
  return yield* decodedFields(yield* headerBlockSteps(source))
}

function* decodedFields(block: HeaderBlock): Steps<ParsedFacts['headers']> {
  const headers: ParsedFacts['headers'] = []
  for (const [name, value] of block.fields) headers.push([name, yield* headerValueSteps(value)])
  return headers
}

function* cutListSteps(block: HeaderBlock, name: string, listed: number): Steps<string | null> {
  const { length: further } = yield* block.furtherAddresses(name)
  if (further === 0) return null
  return `${name} has ${listed + further} addresses; only the first ${listed} are listed.`
}

/** One after the other, so that not all decoded parts are in memory. */
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
