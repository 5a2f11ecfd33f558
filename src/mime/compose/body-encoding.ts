import { Readable } from 'node:stream'
import { sliceBytes } from '../slices.ts'

/** A body as nodemailer takes one: a text, or a stream of bytes with the encoding that it is to have. */
export type ComposableBody = string | { content: Readable; contentTransferEncoding: string }

/**
 * Prepares a body for the composer. A long one becomes a stream, because nodemailer encodes a text as one, with several
 * objects for each of its characters. It gets the encoding that nodemailer chooses for a long text.
 */
export function composableBody(body: string): ComposableBody {
  if (body.length <= sliceBytes) return canonicalLines(body)
  return {
    content: Readable.from(textSlices(body), { objectMode: false }),
    contentTransferEncoding: prefersBase64(countBody(body)) ? 'base64' : 'quoted-printable',
  }
}

/** The facts that decide how a body is encoded. */
export interface BodyCounts {
  letters: number
  /** Characters beyond ASCII, and control characters but for tab and line ends. */
  others: number
  /** Line ends without CR, which are sent as CRLF. */
  lineEnds: number
}

/** Whether nodemailer encodes such a text in base64, if it does not send it unencoded. The rule is nodemailer's. */
export function prefersBase64({ letters, others }: Omit<BodyCounts, 'lineEnds'>): boolean {
  return others >= letters
}

/** Counts through a text, at about 5 ms per million characters. */
export function countBody(text: string): BodyCounts {
  let letters = 0
  let others = 0
  let lineEnds = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x80) others++
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) letters++
    else if (code === 0x0a && before !== 0x0d) lineEnds++
    else if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) others++
    before = code
  }
  return { letters, others, lineEnds }
}

function* textSlices(text: string): Generator<Buffer> {
  for (let start = 0; start < text.length;) {
    // `sliceBytes` counts characters here; their bytes may be three times as many.
    let end = start + sliceBytes
    // Neither within a surrogate pair nor within a line end.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++
    if (text[end] === '\n' && text[end - 1] === '\r') end++
    yield Buffer.from(canonicalLines(text.slice(start, end)))
    start = end
  }
}

/** Line ends become CRLF here, because an encoded body keeps them as they are. */
export function canonicalLines(body: string): string {
  return body.replace(/\r?\n/g, '\r\n')
}
