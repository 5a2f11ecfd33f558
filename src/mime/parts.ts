import { displayFilename, mediaTypeOf } from './attachments.ts'
import { decodeHeaderValue, readHeaderBlock, type HeaderBlock } from './headers.ts'

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
  const [type, parameters] = readField(block, 'Content-Type')
  const boundary = parameters.get('boundary') ?? ''
  if (type.toLowerCase().startsWith('multipart/') && boundary !== '' && depth < maxDepth) {
    const children = split(message, bodyStart, end, boundary)
    for (const [from, to] of children) walk(message, from, to, depth + 1, parts)
    if (children.length > 0) return
  }
  const [disposition, extra] = readField(block, 'Content-Disposition')
  const charset = parameters.get('charset') ?? ''
  const content_id = /<([^<>]{1,500})>/.exec(fieldOf(block, 'Content-ID'))?.[1] ?? null
  parts.push({
    index: parts.length,
    content_type: type === '' ? 'text/plain' : mediaTypeOf(type),
    charset: /^[\w.:-]{1,40}$/.test(charset) ? charset.toLowerCase() : null,
    filename: displayFilename(extra.get('filename') ?? parameters.get('name')),
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

/** A field's value before the first semicolon, and its parameters with the continuations of RFC 2231 joined. */
function readField(block: HeaderBlock, name: string): [value: string, parameters: Map<string, string>] {
  const field = fieldOf(block, name)
  const semicolon = field.indexOf(';')
  if (semicolon === -1) return [field.trim(), new Map()]
  const parameters = new Map<string, string>()
  for (const [, key = '', quoted, plain = ''] of field.slice(semicolon).matchAll(parameter)) {
    const value = quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')
    const [base = '', ...marks] = key.toLowerCase().split('*')
    const isEncoded = marks.at(-1) === ''
    parameters.set(
      base,
      (parameters.get(base) ?? '') + (isEncoded ? decodeExtended(value) : decodeHeaderValue(value)),
    )
  }
  return [field.slice(0, semicolon).trim(), parameters]
}

const parameter = /;\s{0,80}([\w*.-]{1,80})\s{0,80}=\s{0,80}(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g

function decodeExtended(value: string): string {
  try {
    return decodeURIComponent(value.replace(/^[\w-]{0,40}'[\w-]{0,40}'/, ''))
  } catch {
    return value
  }
}

function encodingOf(field: string): PlacedPart['encoding'] {
  const encoding = field.trim().toLowerCase()
  return encoding === 'base64' || encoding === 'quoted-printable' ? encoding : 'none'
}
