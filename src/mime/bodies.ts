import { charsetOf, decodeText } from './charset.ts'
import { createFlowedJoiner } from './flowed.ts'
import { readPart } from './part-stream.ts'
import { sliceBytes } from './slices.ts'
import type { PlacedPart } from './part.ts'
import type { MimeStructure } from './structure.ts'
import { nextTurn } from '../core/machine.ts'

/** So much of a body is read, in bytes as encoded: more is no text for people, and costs a multiple in memory. */
export const maxBodyBytes: number = 8 * 1024 * 1024

/**
 * Reads the bodies of a message: decoded, line ends as LF, `""` for one that it does not have.
 *
 * Gives the event loop a turn after each slice of a large body.
 */
export async function readBodies(
  message: Buffer,
  { text, html }: Pick<MimeStructure, 'text' | 'html'>,
): Promise<{ text: string; html: string }> {
  return {
    text: text ? await readText(message, text) : '',
    html: html ? await readText(message, html) : '',
  }
}

async function readText(message: Buffer, part: PlacedPart): Promise<string> {
  const bytes = await readPart(message, { ...part, end: Math.min(part.end, part.start + maxBodyBytes) })
  const meta = part.content_type === 'text/html' ? metaCharset(bytes) : null
  const charset = charsetOf(bytes, part.charset, meta)
  const joiner = part.flowed ? createFlowedJoiner(part.flowed === 'delete-spaces') : null
  const pieces: string[] = []
  for (const piece of pieceAtLines(bytes, charset)) {
    if (pieces.length > 0) await nextTurn()
    const decoded = decodeText(withNewlines(piece, charset), charset)
    const text = charset.startsWith('utf-16') ? decoded.replace(/\r\n?/g, '\n') : decoded
    pieces.push(joiner ? joiner.write(text) : text)
  }
  if (joiner) pieces.push(joiner.end())
  return pieces.join('').replace(/^\ufeff/, '')
}

/** Line ends as LF. Octet by octet: to replace them in a text takes ten times as long. */
function withNewlines(bytes: Buffer, charset: string): Buffer {
  // UTF-16 has zeros between them.
  if (charset.startsWith('utf-16') || !bytes.includes(carriageReturn)) return bytes
  const normal = Buffer.allocUnsafe(bytes.length)
  let size = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte !== carriageReturn) normal[size++] = byte
    else if (bytes[at + 1] !== newline) normal[size++] = newline
  }
  return normal.subarray(0, size)
}

const newline = 0x0a
const carriageReturn = 0x0d

/** Slices that end with a line: in no charset does a character reach over a line end. */
function* pieceAtLines(bytes: Buffer, charset: string): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const end =
      start + sliceBytes < bytes.length ? endOfLine(bytes, start + sliceBytes, charset) : bytes.length
    yield bytes.subarray(start, end)
    start = end
  }
}

function endOfLine(bytes: Buffer, from: number, charset: string): number {
  const isWide = charset.startsWith('utf-16')
  const mark = isWide ? (charset === 'utf-16be' ? '\0\n' : '\n\0') : '\n'
  let at = bytes.indexOf(mark, from, 'latin1')
  while (isWide && at % 2 === 1) at = bytes.indexOf(mark, at + 1, 'latin1')
  return at === -1 ? bytes.length : at + mark.length
}

/** What a document says in its first kilobyte, as browsers look for it. */
function metaCharset(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, 1024)
  return /<meta\s[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1] ?? null
}
