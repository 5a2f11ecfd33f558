import { charsetOf, createTextDecoder, decodeText, type TextPieces } from './headers/charset.ts'
import { createFlowedJoiner } from './flowed.ts'
import { readPart } from './part-stream.ts'
import { sliceBytes } from './slices.ts'
import type { PlacedPart } from './part.ts'
import type { MimeStructure } from './structure.ts'

/** How much of a body is read, in encoded bytes. Reading more would take several times as much memory. */
export const maxBodyBytes: number = 8 * 1024 * 1024

/** Reads the bodies of a message: decoded, line ends as LF, `""` for a body that it does not have. */
export function readBodies(
  message: Buffer,
  { text, html }: Pick<MimeStructure, 'text' | 'html'>,
): { text: string; html: string } {
  return { text: text ? readText(message, text) : '', html: html ? readText(message, html) : '' }
}

function readText(message: Buffer, part: PlacedPart): string {
  const bytes = readPart(message, { ...part, end: Math.min(part.end, part.start + maxBodyBytes) })
  const meta = part.content_type === 'text/html' ? metaCharset(bytes) : null
  const charset = charsetOf(bytes, part.charset, meta)
  const decoder = createLineDecoder(charset)
  const joiner = part.flowed ? createFlowedJoiner(part.flowed === 'delete-spaces') : null
  const pieces: string[] = []
  // In slices, because decoding the whole body at once takes several times its memory. Not by lines: one line may be all of it.
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const text = decoder.write(bytes.subarray(at, at + sliceBytes))
    pieces.push(joiner ? joiner.write(text) : text)
  }
  const last = decoder.end()
  pieces.push(joiner ? joiner.write(last) + joiner.end() : last)
  return pieces.join('').replace(/^\ufeff/, '')
}

/** Decodes text that comes in pieces, with its line ends as LF. */
function createLineDecoder(charset: string): TextPieces {
  const decoder = createTextDecoder(charset)
  const isAscii = decodeText(Buffer.from('\r\n'), charset) === '\r\n'
  let isAfterReturn = false
  return {
    write(bytes) {
      if (isAscii) {
        const normal = withNewlines(bytes, isAfterReturn)
        isAfterReturn = bytes.at(-1) === carriageReturn
        return decoder.write(normal)
      }
      const text = decoder.write(bytes)
      const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
      if (text !== '') isAfterReturn = text.endsWith('\r')
      return rest.replace(/\r\n?/g, '\n')
    },
    end: () => decoder.end(),
  }
}

/** Makes line ends LF, octet by octet; in a text it takes ten times as long. Not for UTF-16, which has zeros between. */
function withNewlines(bytes: Buffer, isAfterReturn: boolean): Buffer {
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
