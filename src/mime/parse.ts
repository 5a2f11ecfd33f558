import type { MailParser, MailParserAttachment, MailParserNode } from 'mailparser'
import type { ParsedAddress } from './addresses.ts'
import { displayFilename, mediaTypeOf } from './attachments.ts'
import type { HeaderBlock } from './headers.ts'
import { decodeHeaderValue, readHeaderBlock } from './headers.ts'
import { loadMailparser } from './mailparser.ts'
import { inSlices, sliceBytes } from './slices.ts'
import { clearTimeout, setTimeout } from '../core/machine.ts'

/** A message as people and tests read it. */
export interface ParsedMessage {
  /** Every header field in order: name as written, value decoded and unfolded. */
  headers: [name: string, value: string][]
  from: ParsedAddress[]
  to: ParsedAddress[]
  cc: ParsedAddress[]
  reply_to: ParsedAddress[]
  subject: string
  /** The HTML parts that stand in the message itself, line ends as LF; `""` without any. `cid:` URLs stay as they are. */
  html: string
  /** The same of the plain parts. */
  text: string
  attachments: ParsedAttachment[]
  /** Why the message could not be read whole; null where it could. */
  problem: string | null
}

export interface ParsedAttachment {
  /** Position in the message, from 0. */
  index: number
  /** For display: the last path segment, without control characters; null without a usable one. */
  filename: string | null
  /** A well-formed media type without parameters. */
  content_type: string
  size_bytes: number
  /** Hex. */
  sha256: string
  /** Without angle brackets; null without one. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
  content: Buffer
}

/** How long one message may take. A 40 MB message takes half a second. */
const timeLimitMs = 10_000

/**
 * Reads a message into bodies and attachments.
 *
 * Never throws and always ends: where the parser gives up, what it had read so far stands in the answer, the body as
 * it is stands in `text` if there is nothing better, and `problem` says why. Embedded messages and delivery reports
 * are attachments.
 *
 * @param source  The RFC 5322 bytes; any bytes are fine. Not kept.
 */
export async function parseMessage(source: Buffer): Promise<ParsedMessage> {
  const block = readHeaderBlock(source)
  const body = await readBody(source)
  if (body.problem !== null && body.html === '' && body.text === '') {
    body.text = rawText(source.subarray(block.bodyStart))
  }
  return { ...factsOf(block), ...body }
}

interface Body {
  html: string
  text: string
  attachments: ParsedAttachment[]
  problem: string | null
}

function factsOf(block: HeaderBlock): Omit<ParsedMessage, keyof Body> {
  return {
    headers: block.fields.map(([name, value]) => [name, decodeHeaderValue(value)]),
    from: block.addresses('From'),
    to: block.addresses('To'),
    cc: block.addresses('Cc'),
    reply_to: block.addresses('Reply-To'),
    subject: block.decoded('Subject'),
  }
}

async function readBody(source: Buffer): Promise<Body> {
  const { MailParser } = await loadMailparser()
  // Without the skip options a megabyte of nested tags takes seconds and is then refused.
  const parser = new MailParser({
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    keepDeliveryStatus: true,
    ignoreEmbedded: true,
    checksumAlgo: 'sha256',
    // Header values are taken apart in one go: a quarter of a megabyte is what that may cost.
    maxHeadSize: 256 * 1024,
  })
  // Its own joining adds separators where a body part has no counterpart; the tree is read instead.
  parser.getTextContent = () => ({ type: 'text' })
  const attachments: ParsedAttachment[] = []
  const problem = (await run(parser, source, attachments)) ?? missingParts(parser)
  return { html: join(parser, 'text/html'), text: join(parser, 'text/plain'), attachments, problem }
}

/** A multipart whose boundary is nowhere in it reads as nothing at all. */
function missingParts({ tree }: MailParser): string | null {
  const isEmpty = tree && tree.children.length === 0 && (tree.contentType || '').startsWith('multipart/')
  return isEmpty ? 'The boundary that the header names is not in the body.' : null
}

/** Feeds the parser until it ends, fails or runs out of time. Answers with the problem, if any. */
function run(parser: MailParser, source: Buffer, attachments: ParsedAttachment[]): Promise<string | null> {
  return new Promise((resolve) => {
    const settle = (problem: string | null): void => {
      clearTimeout(timer)
      parser.removeAllListeners('data')
      // What fails after the end is of no interest, and must not be unhandled.
      parser.on('error', () => {})
      if (problem !== null) parser.destroy()
      resolve(problem)
    }
    const timer = setTimeout(
      () => settle(`Not read to its end within ${timeLimitMs / 1000} seconds.`),
      timeLimitMs,
    )
    parser.once('error', (error: Error) => settle(error.message))
    parser.once('end', () => settle(null))
    parser.on('data', (piece: MailParserAttachment | { type: 'text' }) => {
      if (piece.type === 'attachment') readAttachment(piece, attachments)
    })
    if (source.length > sliceBytes) inSlices(source).pipe(parser)
    else parser.end(source)
  })
}

function readAttachment(piece: MailParserAttachment, attachments: ParsedAttachment[]): void {
  const chunks: Buffer[] = []
  piece.content.on('data', (chunk: Buffer) => chunks.push(chunk))
  piece.content.once('error', () => piece.release())
  piece.content.once('end', () => {
    const content = Buffer.concat(chunks)
    attachments.push({
      index: attachments.length,
      filename: displayFilename(piece.filename),
      content_type: mediaTypeOf(declaredType(piece)),
      size_bytes: content.length,
      sha256: piece.checksum ?? '',
      content_id: piece.cid || null,
      disposition:
        piece.contentDisposition === 'inline' || (!piece.contentDisposition && piece.related)
          ? 'inline'
          : 'attachment',
      content,
    })
    piece.release()
  })
}

/** As the message says: the parser itself takes a type from the file name where the message says `application/octet-stream`. */
function declaredType({ headers, contentType }: MailParserAttachment): string | false | undefined {
  const field = headers.get('content-type')
  return typeof field === 'object' && field !== null && 'value' in field ? String(field.value) : contentType
}

/** The bodies of one type, in order. A loop with a list of its own: a hostile tree is deep. */
function join(parser: MailParser, contentType: string): string {
  const texts = []
  const nodes: MailParserNode[] = parser.tree ? [parser.tree] : []
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if (node.contentType === contentType && node.textContent) texts.push(node.textContent)
    nodes.push(...node.children.toReversed())
  }
  return texts.join('\n')
}

/** As much of an unreadable body as somebody would look at. */
function rawText(body: Buffer): string {
  return body
    .subarray(0, 1024 * 1024)
    .toString('utf8')
    .replace(/\r?\n/g, '\n')
}
