import { displayFilename, mediaTypeOf } from './attachments.ts'
import { decodeHeaderValue, readHeaderBlock, readParameters, type HeaderBlock } from './headers.ts'

/** One leaf of a message's MIME tree: a body or an attachment. */
export interface MimePart {
  /** Position among the leaves, from 0, in the order of the message. */
  index: number
  /** A well-formed media type without parameters. */
  content_type: string
  /** As the part says, where it could be one. */
  charset: string | null
  /** For display: the last path segment; null without a usable one. */
  filename: string | null
  /** Without angle brackets; null without one. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
}

/** A part with the place of its encoded bytes in the message. */
export interface PlacedPart extends MimePart {
  encoding: 'base64' | 'quoted-printable' | 'none'
  start: number
  end: number
}

/**
 * Takes the MIME tree of a message apart, without decoding anything. An embedded message is one part.
 *
 * @returns At most 1,000 leaves; what is nested deeper than 20 is one leaf.
 * @see RFC 2046 section 5.1
 */
export function listParts(message: Buffer): PlacedPart[] {
  const parts: PlacedPart[] = []
  walk(message, 0, message.length, 0, parts)
  return parts
}

const maxDepth = 20
const maxParts = 1000

function walk(message: Buffer, start: number, end: number, depth: number, parts: PlacedPart[]): void {
  if (parts.length >= maxParts) return
  const block = readHeaderBlock(message.subarray(start, end))
  const bodyStart = start + block.bodyStart
  const { value: type, parameters } = readParameters(fieldOf(block, 'Content-Type'))
  const boundary = parameters.boundary ?? ''
  if (type.toLowerCase().startsWith('multipart/') && boundary !== '' && depth < maxDepth) {
    const children = split(message, bodyStart, end, boundary)
    for (const [from, to] of children) walk(message, from, to, depth + 1, parts)
    if (children.length > 0) return
  }
  const { value: disposition, parameters: extra } = readParameters(fieldOf(block, 'Content-Disposition'))
  const charset = parameters.charset ?? ''
  const content_id = /<([^<>]{1,500})>/.exec(fieldOf(block, 'Content-ID'))?.[1] ?? null
  parts.push({
    index: parts.length,
    content_type: type === '' ? 'text/plain' : mediaTypeOf(type),
    charset: /^[\w.:-]{1,40}$/.test(charset) ? charset.toLowerCase() : null,
    filename: displayFilename(decodeHeaderValue(extra.filename ?? parameters.name ?? '')),
    content_id,
    disposition: disposition.toLowerCase() === 'attachment' ? 'attachment' : 'inline',
    encoding: encodingOf(fieldOf(block, 'Content-Transfer-Encoding')),
    start: bodyStart,
    end,
  })
}

/** The places between the boundaries; the line end before one belongs to it. */
function split(
  message: Buffer,
  start: number,
  end: number,
  boundary: string,
): [start: number, end: number][] {
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  // A boundary that is not there must not be looked for in all that follows, part after part.
  const within = message.subarray(0, end)
  const pieces: [number, number][] = []
  let open = -1
  for (let at = within.indexOf(mark, start); at !== -1; at = within.indexOf(mark, at + mark.length)) {
    if (at > start && message[at - 1] !== 0x0a) continue
    const after = within.subarray(at + mark.length, at + mark.length + 80)
    const rest = after.toString('latin1')
    // Only white space may follow, or it is the boundary of another multipart that begins alike.
    const isLast = rest.startsWith('--')
    const line = /^[ \t]{0,40}\r?\n|^[ \t]{0,40}$/.exec(isLast ? rest.slice(2) : rest)
    if (!line && !isLast) continue
    if (open !== -1) pieces.push([open, Math.max(open, at - (message[at - 2] === 0x0d ? 2 : 1))])
    if (isLast || pieces.length >= maxParts) return pieces
    open = at + mark.length + (line?.[0].length ?? 0)
  }
  // The end may be missing: what is there is a part all the same.
  if (open !== -1) pieces.push([open, end])
  return pieces
}

function fieldOf(block: HeaderBlock, name: string): string {
  const wanted = name.toLowerCase()
  return block.fields.find(([written]) => written.toLowerCase() === wanted)?.[1].slice(0, 4096) ?? ''
}

function encodingOf(field: string): PlacedPart['encoding'] {
  const encoding = field.trim().toLowerCase()
  return encoding === 'base64' || encoding === 'quoted-printable' ? encoding : 'none'
}
