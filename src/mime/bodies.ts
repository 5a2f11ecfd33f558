import { charsetOf, createTextDecoder, decodeText, type TextPieces } from './headers/charset.ts'
import { charsetMisfit } from './charset-fit.ts'
import type { BodyParts } from './choose-bodies.ts'
import { FlowedJoiner } from './flowed.ts'
import { decodePart } from './part-stream.ts'
import { sliceBytes } from './slices.ts'
import type { PlacedPart } from './part.ts'
import { encodingMisfit } from './transfer.ts'
import { escapedHtml } from '../core/text.ts'

/** How much of a body is read, in encoded bytes. Reading more would take several times as much memory. */
export const maxBodyBytes: number = 8 * 1024 * 1024

/** The bodies of a message as they are read. */
export interface ReadBodies {
  /** The decoded parts of the plain body, joined by line ends; `""` without one. Line ends are LF. */
  text: string
  /** The same of the HTML. A plain text in it is a paragraph. */
  html: string
  /** Whether a body is longer than what is read of it. */
  isCut: boolean
  /** Which octets of the parts do not fit the encoding or the charset, as sentences. */
  problems: ReadonlySet<string>
}

/**
 * Reads the bodies of a message.
 *
 * @param maxBytes  How much of each body is read, in encoded bytes.
 */
export function readBodies(message: Buffer, { text, html }: BodyParts, maxBytes = maxBodyBytes): ReadBodies {
  const problems = new Set<string>()
  const plain = readJoined(message, text, { maxBytes, type: 'text/plain', problems })
  const rich = readJoined(message, html, { maxBytes, type: 'text/html', problems })
  return { text: plain.joined, html: rich.joined, isCut: plain.isCut || rich.isCut, problems }
}

type BodyType = 'text/plain' | 'text/html'

function readJoined(
  message: Buffer,
  parts: readonly PlacedPart[],
  { maxBytes, type, problems }: { maxBytes: number; type: BodyType; problems: Set<string> },
): { joined: string; isCut: boolean } {
  const pieces: string[] = []
  let remaining = maxBytes
  for (const part of parts) {
    const growth = part.content_type === type ? 1 : paragraphGrowth
    if (remaining < growth) break
    const text = readBodyText(message, part, Math.floor(remaining / growth), problems)
    pieces.push(growth === 1 ? text : paragraphOf(text))
    remaining -= growth * (part.end - part.start)
  }
  return { joined: pieces.join('\n'), isCut: remaining < 0 || pieces.length < parts.length }
}

/** How many times longer a text may be as a paragraph. */
const paragraphGrowth = 6

/** A plain text as HTML. Without styles, so that a check of the HTML is only about what the app wrote. */
function paragraphOf(text: string): string {
  return `<p>${escapedHtml(text).replaceAll('\n', '<br>\n')}</p>`
}

/** @param problems  Gets what does not fit, unless the part is cut: a character may be cut too. */
function readBodyText(message: Buffer, part: PlacedPart, maxBytes: number, problems: Set<string>): string {
  const end = Math.min(part.end, part.start + maxBytes)
  const { bytes, misfits } = decodePart(message, { ...part, end })
  const meta = part.content_type === 'text/html' ? metaCharset(bytes) : null
  const charset = charsetOf(bytes, part.charset, meta)
  const decoder = createLineDecoder(charset)
  const joiner = part.flowed ? new FlowedJoiner(part.flowed === 'delete-spaces') : null
  const pieces: string[] = []
  // In slices, because decoding the whole body at once takes several times its memory. Not by lines: one line may be all of it.
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const piece = decoder.write(bytes.subarray(at, at + sliceBytes))
    pieces.push(joiner ? joiner.write(piece) : piece)
  }
  const last = decoder.end()
  pieces.push(joiner ? joiner.write(last) + joiner.end() : last)
  const text = pieces.join('').replace(/^\ufeff/, '')
  if (end === part.end) {
    const subject = part.content_type === 'text/html' ? 'The HTML' : 'The text'
    for (const misfit of [
      encodingMisfit(misfits, part.encoding),
      charsetMisfit(bytes, text, { declared: part.charset, charset }),
    ])
      if (misfit !== null) problems.add(`${subject} ${misfit}.`)
  }
  return text
}

/** Decodes text that comes in pieces, with its line ends as LF. */
function createLineDecoder(charset: string): TextPieces {
  const decoder = createTextDecoder(charset)
  const hasAsciiLineEnds = decodeText(Buffer.from('\r\n'), charset) === '\r\n'
  let isAfterReturn = false
  return {
    write(bytes) {
      if (hasAsciiLineEnds) {
        const normal = withLf(bytes, isAfterReturn)
        isAfterReturn = bytes.at(-1) === carriageReturn
        return decoder.write(normal)
      }
      const text = decoder.write(bytes)
      const unread = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
      if (text !== '') isAfterReturn = text.endsWith('\r')
      return unread.replace(/\r\n?/g, '\n')
    },
    end: () => decoder.end(),
  }
}

/** Makes line ends LF, octet by octet; in a text it takes ten times as long. Not for UTF-16, which has zeros between. */
function withLf(bytes: Buffer, isAfterReturn: boolean): Buffer {
  const start = isAfterReturn && bytes[0] === newline ? 1 : 0
  if (!bytes.includes(carriageReturn)) return bytes.subarray(start)
  const normal = Buffer.allocUnsafe(bytes.length)
  let size = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== newline || at === start || bytes[at - 1] !== carriageReturn)
      normal[size++] = byte === carriageReturn ? newline : byte
  }
  return normal.subarray(0, size)
}

const newline = 0x0a
const carriageReturn = 0x0d

/** The charset that a document declares in its first kilobyte, where browsers look for it. */
function metaCharset(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 1024)
  return /<meta\s[^>]{0,400}?charset\s*=\s*(?:["']\s*)?([\w.:-]{1,40})/i.exec(head)?.[1] ?? null
}
