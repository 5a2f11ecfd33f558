import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { foldSpace } from '../../core/text.ts'
import { composableBody } from './body-encoding.ts'
import { inSlices, sliceBytes } from '../slices.ts'
import { needsEncoding } from '../headers/fold.ts'
import type { MessageAttachment, MessageInput } from './message-input.ts'
import { writePlainMessage } from './plain-message.ts'
import { writeNode, type Encoders } from './write-node.ts'

/** An RFC 5322 message in pieces, so that a large one is held once. */
export interface ComposedMessage {
  /** One piece up to 256 KiB, more beyond. */
  parts: Buffer[]
  size_bytes: number
}

/**
 * Composes a message: text and HTML as alternatives, attachments beside them.
 *
 * Every line ends with CRLF and has at most 998 octets. `parseMessage` returns the bodies as given, except for line
 * endings and the final newline. No file and no URL is ever read.
 *
 * @param input  Without recipients who are only in the envelope (Bcc).
 * @throws Error if the address fields cannot be written as header fields.
 * @see RFC 5322, RFC 2046
 */
export async function composeMessage(input: MessageInput): Promise<ComposedMessage> {
  // nodemailer would ask the system for random bytes at every message.
  const base = randomUUID().replaceAll('-', '')
  const plain = await writePlainMessage(input, base, loadEncoders)
  return plain ? { parts: [plain], size_bytes: plain.length } : composeByNodemailer(input, base)
}

/**
 * Composes any message with nodemailer; exported for tests that compare both ways.
 *
 * @param base  Makes the boundaries unique.
 */
export async function composeByNodemailer(input: MessageInput, base: string): Promise<ComposedMessage> {
  const { MailComposer, encodeWord, ...encoders } = await loadComposer()
  const composer = new MailComposer({
    from: formatAddressField(input.from),
    to: formatAddressField(input.to),
    cc: formatAddressField(input.cc),
    replyTo: formatAddressField(input.reply_to),
    subject: needsEncoding(input.subject) ? encodeWord(input.subject, 'B', 52) : input.subject,
    html: composableBody(input.html),
    text: composableBody(input.text),
    messageId: input.message_id,
    date: input.date,
    headers: headersWithoutBcc(input.headers ?? {}),
    attachments: (input.attachments ?? []).map((attachment) => ({
      filename: attachment.filename,
      contentType: safeContentType(attachment),
      ...(attachment.content_id ? { cid: attachment.content_id } : {}),
      // Otherwise the composer puts a message/rfc822 next to the text instead of attaching it.
      contentDisposition:
        attachment.content_id && input.html !== '' ? ('inline' as const) : ('attachment' as const),
      content: attachment.content.length > sliceBytes ? inSlices(attachment.content) : attachment.content,
    })),
    baseBoundary: base,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const tree = composer.compile()
  const written = writeNode(tree, encoders)
  return written ? { parts: [written], size_bytes: written.length } : collect(tree.createReadStream())
}

/** Up to this size a message is kept in one piece. */
export const inOnePieceBytes: number = 256 * 1024

/** Collects a stream in pieces; in one piece if that is cheap. */
async function collect(stream: Readable): Promise<ComposedMessage> {
  const parts: Buffer[] = []
  let size = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    parts.push(piece)
    size += piece.length
  }
  return { parts: size <= inOnePieceBytes ? [Buffer.concat(parts, size)] : parts, size_bytes: size }
}

/** nodemailer's composer takes 30 ms to load, so it is loaded when the first message is composed. */
async function loadComposer() {
  const [{ default: MailComposer }, { encodeWord }, encoders] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/mime-funcs'),
    loadEncoders(),
  ])
  return { MailComposer, encodeWord, ...encoders }
}

async function loadEncoders(): Promise<Encoders> {
  const [base64, qp] = await Promise.all([import('nodemailer/lib/base64'), import('nodemailer/lib/qp')])
  return { base64, qp }
}

function formatAddressField(value: string | null | undefined): string | undefined {
  return value ? foldSpace(value) : undefined
}

function headersWithoutBcc(headers: Readonly<Record<string, string>>): { key: string; value: string }[] {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() !== 'bcc')
    .map(([key, value]) => ({ key, value }))
}

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\t\x20-\x7e]*)?$/

function safeContentType({ content_type, content }: MessageAttachment): string | undefined {
  if (!content_type) return undefined
  if (!mediaType.test(content_type) || /^multipart\//i.test(content_type)) return 'application/octet-stream'
  // RFC 2046 section 5.2.1 forbids encoding message/*. If SMTP cannot carry such a part unencoded, it is sent as
  // application/octet-stream.
  if (/^message\//i.test(content_type) && !isCarriable(content)) return 'application/octet-stream'
  return content_type
}

/** Whether bytes can be sent unencoded: CRLF line ends only, lines of at most 998 octets, no NUL, ASCII. */
function isCarriable(content: Buffer): boolean {
  let lineStart = 0
  for (let i = 0; i < content.length; i++) {
    const octet = content[i] as number
    if (octet === 0 || octet > 0x7f) return false
    if (octet === 0x0d ? content[i + 1] !== 0x0a : octet === 0x0a && content[i - 1] !== 0x0d) return false
    if (octet === 0x0a) lineStart = i + 1
    else if (i - lineStart >= 998) return false
  }
  return true
}
